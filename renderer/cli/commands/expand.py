"""``vmrender expand FILE…``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from renderer.app.build import expand_files, place_of_project, read_documents
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, ReportTarget, open_project, print_manifests, report
from renderer.cli.options import (
    OverlayPath,
    cluster_option,
    expand_option,
    format_option,
    kubevirt_option,
    quiet_option,
    strict_option,
)
from renderer.files.file_system import FilesAbove
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode


@click.command("expand", cls=Command)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=OverlayPath(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@expand_option
@kubevirt_option
@strict_option
@quiet_option
@format_option(beside_manifests=True)
@cluster_option
def command(
    files: tuple[Path, ...],
    expand: ExpandMode | None,
    kubevirt: Release | None,
    strict: bool,  # noqa: FBT001 - click passes flags so
) -> ExitCode:
    """Expand the virtual machines in files and print all documents; - is standard input.

    Instance types and preferences are looked up in the files first, then in the catalogs of the project that
    the files are in, wherever that is; standard input is in the working directory. A file that no project
    contains is expanded with default settings.

    \b
    Examples:
      vmrender expand vm.yaml
      vmrender expand ../other-repository/overlays/prod/vm.yaml
      kubectl get vm db -o yaml | vmrender expand --kubevirt 1.8 -
    """
    project = open_project(place_of_project(files))
    documents = read_documents(project, files, sys.stdin.buffer)
    fs = FilesAbove(documents, project.fs)
    ReportTarget.current()._replace(fs=fs).activate()
    expanded = expand_files(project, documents, kubevirt=kubevirt, expand=expand, strict=strict)
    if expanded.resources is not None:
        print_manifests(expanded.resources)
    return report(fs, expanded.findings)
