"""``vmrender validate [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app.validate import ValidatedProject, ValidationResult, validate
from renderer.cli.console import report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option, kubevirt_option
from renderer.cli.report_target import ReportTarget
from renderer.cli.repository import Repository
from renderer.model.codes import Code
from renderer.model.release import Release
from renderer.report.formats import Format


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
    by_root: dict[Path, list[Path]] = {}
    for path in paths or (Path.cwd(),):
        by_root.setdefault(Repository.root_of(path), []).append(path)
    whole = not paths
    validated = [_validated(those, kubevirt, whole=whole) for those in by_root.values()]
    if len(validated) > 1:
        from renderer.app.several_projects import merged_results  # noqa: PLC0415 - a monorepo has several

        fs, found = merged_results(validated)
    else:
        fs, found = validated[0][0].fs, validated[0][1]
    if ignore_missing_schemas:
        kept = tuple(each for each in found.diagnostics if each.code is not Code.SCHEMA_MISSING)
        found = found._replace(diagnostics=kept)
    code = report(fs, found.diagnostics, found.overlays)
    if ReportTarget.chosen().format is Format.TEXT:
        click.echo(f"checked {_looked_at(found)}", err=True)
    return code


def _validated(
    paths: list[Path], kubevirt: Release | None, *, whole: bool
) -> tuple[Repository, ValidationResult]:
    """``paths`` are of one project; ``whole``: they stand for all of it."""
    repository = Repository.containing(paths[0])
    project = ValidatedProject(repository.fs, repository.config, kubevirt)
    return repository, validate(project, ["."] if whole else [repository.relative(path) for path in paths])


def _looked_at(validated: ValidationResult) -> str:
    """``2 overlays and 1 file``, so that no mistake is taken for nothing to look at."""
    counts = {"overlay": len(validated.overlays), "file": len(validated.files)}
    parts = [f"{count} {noun}{'' if count == 1 else 's'}" for noun, count in counts.items() if count]
    return " and ".join(parts) or "nothing: no file has an object to judge"
