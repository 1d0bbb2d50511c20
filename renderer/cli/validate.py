"""``vmrender validate [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option, kubevirt_option
from renderer.cli.report_target import ReportTarget
from renderer.cli.repository import Repository
from renderer.cli.validated_project import ValidatedProject
from renderer.cli.validation_run import Validated, validate
from renderer.model.codes import Code
from renderer.model.release import Release
from renderer.report.formats import Format
from renderer.validation.kubevirt_kinds import GROUPS


@click.command("validate")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@kubevirt_option
@click.option(
    "--ignore-missing-schemas", is_flag=True, help="Pass over objects that there is no schema to judge by."
)
@format_option()
def command(
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    ignore_missing_schemas: bool,  # noqa: FBT001 - click passes flags so
) -> ExitCode:
    """Check files, folders or, without PATH, the whole project.

    A file that a kustomization lists is judged by the overlays that are built from it: what they say of the
    objects that the file has a part in is shown. Any other file is judged by itself; one without objects of
    KubeVirt's or of the project's own schemas is passed over, as are files that vmrender rendered.

    \b
    Examples:
      vmrender validate
      vmrender validate overlays/prod
      vmrender validate --kubevirt 1.8 --format sarif vm.yaml
    """
    repository = Repository.containing(paths[0]) if paths else Repository.here()
    project = ValidatedProject(repository.fs, repository.config, GROUPS, kubevirt)
    validated = validate(project, [repository.relative(path) for path in paths] or ["."])
    found = [
        each
        for each in validated.diagnostics
        if not (ignore_missing_schemas and each.code is Code.SCHEMA_MISSING)
    ]
    code = report(repository.fs, found, validated.overlays)
    if ReportTarget.chosen().format is Format.TEXT:
        click.echo(f"checked {_looked_at(validated)}", err=True)
    return code


def _looked_at(validated: Validated) -> str:
    """``2 overlays and 1 file``, so that no mistake is taken for nothing to look at."""
    counts = {"overlay": len(validated.overlays), "file": len(validated.files)}
    parts = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count]
    return " and ".join(parts) or "nothing: there is no object of KubeVirt's here"
