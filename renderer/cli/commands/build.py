"""``vmrender build PATH``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app.build import build
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, open_project, print_manifests, report
from renderer.cli.options import (
    OverlayPath,
    TextChoice,
    cluster_option,
    expand_option,
    format_option,
    kubevirt_option,
    one_overlay_option,
    quiet_option,
    strict_option,
)
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode


@click.command("build", cls=Command)
@click.argument("path", type=OverlayPath(exists=True, file_okay=False, path_type=Path), default=".")
@one_overlay_option("Build this overlay of the project, such as one of a Flux or Argo CD entry.")
@expand_option
@kubevirt_option
@format_option(beside_manifests=True)
@cluster_option
@click.option(
    "--validate",
    is_flag=True,
    help="Also check the manifests with --expand off; with any other mode, they are always checked.",
)
@click.option(
    "--load-restrictor",
    type=TextChoice(LoadRestrictor),
    default=LoadRestrictor.ROOT_ONLY,
    help="Whether a kustomization may read files outside its folder; never outside the repository.",
)
@strict_option
@quiet_option
def command(  # noqa: PLR0913 - one for each option
    path: Path,
    named: str,
    expand: ExpandMode | None,
    kubevirt: Release | None,
    load_restrictor: LoadRestrictor,
    *,
    validate: bool,
    strict: bool,
) -> ExitCode:
    """Compose the overlay or catalog folder PATH, expand its virtual machines and print the manifests.

    With --expand off, the output equals that of kustomize build, byte for byte, and nothing is checked: no
    instance type is looked up, and no virtual machine is refused. --validate adds the checks.

    \b
    Examples:
      vmrender build overlays/prod
      vmrender build --overlay clusters/prod:apps
      vmrender build --expand off catalog/common-instancetypes/v1.7.0
    """
    if named and path != Path():
        raise UsageError("--overlay names what to build; leave out PATH")
    project = open_project(path)
    built = build(
        project,
        path,
        name=named,
        kubevirt=kubevirt,
        expand=expand,
        restrictor=load_restrictor,
        validate=validate,
        strict=strict,
    )
    if built.resources is not None:
        print_manifests(built.resources)
    return report(project.fs, built.findings, built.overlays)
