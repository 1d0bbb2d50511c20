"""``vmrender migrate [PATH…]``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from renderer.cli.console import print_diff, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.migrated_project import MigratedProject
from renderer.cli.migration_run import migrate
from renderer.cli.options import format_option, kubevirt_option
from renderer.cli.repository import Repository
from renderer.emit.source_files import change_files
from renderer.migration.migrate_file import Migrated, changed
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.release import Release


@click.command("migrate")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when anything would be rewritten.")
@click.option("--diff", is_flag=True, help="Write nothing; print what would be rewritten as a diff.")
@kubevirt_option
@format_option()
def command(
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    check: bool,  # noqa: FBT001 - click passes flags so
    diff: bool,  # noqa: FBT001 - as above
) -> ExitCode:
    """Rewrite deprecated fields, values and API versions in files, folders or, without PATH, the whole project.

    Only the lines concerned change. A file is rewritten as far as the oldest release allows that any overlay
    with a part of it targets, and only if everything that is built from it stays the same; what stays is told
    with the reason.

    \b
    Examples:
      vmrender migrate
      vmrender migrate --check --diff
      vmrender migrate --kubevirt 1.9 overlays/base
    """
    repository = Repository.containing(paths[0]) if paths else Repository.here()
    project = MigratedProject(repository.fs, repository.config, kubevirt)
    migrated = migrate(project, [repository.relative(path) for path in paths] or ["."])
    warnings = [warning for file in migrated for warning in file.warnings]
    if diff:
        _print_diff(migrated)
    if check:
        return report(repository.fs, [*_as_findings(migrated), *warnings])
    code = report(repository.fs, warnings)
    if not diff:
        notes = tuple(_notes(repository, migrated))
        change_files(repository.root, changed(migrated), ())
        click.echo("\n".join(notes), err=True)
    return code


def _as_findings(migrated: Sequence[Migrated]) -> Iterator[Diagnostic]:
    for file in migrated:
        for site, change in file.changes:
            yield Diagnostic(
                code=Code.DEPRECATED,
                message=f"{change.before} is deprecated",
                sites=(site,),
                field=change.field,
                hint=f"vmrender migrate makes it {change.after}",
            )


def _notes(repository: Repository, migrated: Sequence[Migrated]) -> Iterator[str]:
    """A line for each change, at the line that it was on, and how many there are."""
    from renderer.report.plain_text import printable  # noqa: PLC0415 - only when something changed
    from renderer.source.locate import locate  # noqa: PLC0415 - as above

    found = [replace(each, message="") for each in _as_findings(migrated)]
    changes = [change for file in migrated for _, change in file.changes]
    for finding, change in zip(found, changes, strict=True):
        [located] = locate(repository.fs, [finding])
        line = f"{located.location}: {change.before} -> {change.after}"
        yield printable(line, len(line))
    files = len(changed(migrated))
    yield f"{_count(len(changes), 'change')} in {_count(files, 'file')}"


def _print_diff(migrated: Sequence[Migrated]) -> None:
    from renderer.emit.unified_diff import unified_diff  # noqa: PLC0415 - only when one is asked for

    for path, content in changed(migrated).items():
        before = next(file.source.content for file in migrated if file.source.path == path)
        print_diff(unified_diff(path, before, content))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
