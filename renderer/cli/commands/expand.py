"""``vmrender expand FILE…``."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from renderer.cli.console import print_manifests, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import expand_option, format_option, kubevirt_option
from renderer.cli.report_target import ReportTarget
from renderer.cli.repository import Repository
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.pipeline import Pipeline
from renderer.source.file_system import DiskFileSystem, FilesAbove, read_limited

_STANDARD_INPUT = Path("-")


@click.command("expand")
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path),
)
@expand_option
@kubevirt_option
@format_option(beside_manifests=True)
def command(files: tuple[Path, ...], expand: ExpandMode | None, kubevirt: Release | None) -> ExitCode:
    """Expand the virtual machines of files and print all documents; - is standard input.

    Instance types and preferences are looked up in the files themselves, then in the project's catalogs.

    \b
    Examples:
      vmrender expand vm.yaml
      kubectl get vm db -o yaml | vmrender expand --kubevirt 1.8 -
    """
    repository = Repository.here()
    config = repository.config
    documents = {str(file): _content(repository, file) for file in files}
    fs = FilesAbove(documents, repository.fs)
    ReportTarget.chosen()._replace(fs=fs).choose()
    outcome = Pipeline(fs, config).expand(documents, kubevirt or config.kubevirt, expand or config.expand)
    if not outcome.failed:
        print_manifests(outcome.value)
    return report(fs, outcome.diagnostics)


def _content(repository: Repository, file: Path) -> bytes:
    """What is in a file; one of the repository may not lead out of it. Raises ``DiagnosticError``."""
    if file == _STANDARD_INPUT:
        return read_limited(sys.stdin.buffer, str(_STANDARD_INPUT))
    written = Path.cwd() / file
    if written.is_relative_to(repository.root):
        return repository.fs.read(written.relative_to(repository.root).as_posix())
    return DiskFileSystem(written.parent.resolve()).read(written.name)
