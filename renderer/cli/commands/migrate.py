"""``vmrender migrate [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app import migration_report
from renderer.app.migrate import MigratedProject, migrate
from renderer.app.migration_report import MigratedFiles
from renderer.cli.console import print_diff, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option, kubevirt_option
from renderer.cli.repository import Repository
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.migration.migrate_file import changed
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
    """Rewrite deprecated fields, values and API versions.

    In files, in folders or, without PATH, in the whole project. Only the lines concerned change. A file is
    rewritten as far as the oldest release allows that any overlay with a part of it targets, and only if
    everything that is built from it stays the same; what stays is told with the reason.

    \b
    Examples:
      vmrender migrate
      vmrender migrate --check --diff
      vmrender migrate --kubevirt 1.9 overlays/base
    """
    by_root: dict[Path, list[Path]] = {}
    for path in paths or (Path.cwd(),):
        by_root.setdefault(Repository.root_of(path), []).append(path)
    projects = migration_report.side_by_side(
        [_migrated(those, kubevirt, whole=not paths) for those in by_root.values()]
    )
    if diff:
        for project in projects:
            for file in migration_report.diff(project):
                print_diff(file)
    notes = () if check or diff else tuple(migration_report.notes(projects))
    code = report(*migration_report.findings(projects, check=check))
    if not (check or diff):
        _write(projects)
        click.echo("\n".join(notes), err=True)
    return code


def _migrated(paths: list[Path], kubevirt: Release | None, *, whole: bool) -> MigratedFiles:
    """``paths`` are of one project; ``whole``: they stand for all of it."""
    repository = Repository.containing(paths[0])
    project = MigratedProject(repository.fs, repository.config, kubevirt)
    chosen = ["."] if whole else [repository.relative(path) for path in paths]
    return MigratedFiles(repository, migrate(project, chosen))


def _write(projects: tuple[MigratedFiles, ...]) -> None:
    """All files of a project, or none. Raises ``DiagnosticError``."""
    for project in projects:
        check_writable(project.repository.root, changed(project.files))
    for project in projects:
        change_files(project.repository.root, changed(project.files), ())
