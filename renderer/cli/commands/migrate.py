"""``vmrender migrate [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app import migrated_files
from renderer.app.migrated_files import MigrationTarget
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, ReportTarget, note, open_project, print_diff, report
from renderer.cli.options import (
    OverlayPath,
    cluster_option,
    format_option,
    kubevirt_option,
    overlay_option,
    quiet_option,
)
from renderer.model.release import Release


@click.command("migrate", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=OverlayPath(exists=True, path_type=Path))
@overlay_option("Migrate")
@click.option(
    "--to",
    "target",
    type=click.Choice([target.value for target in MigrationTarget]),  # of values: click takes an enum's names
    help="Make VirtualMachineTemplates of OpenShift Templates, and change nothing else.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if anything would be rewritten.")
@click.option("--diff", is_flag=True, help="Write nothing; print the changes as a diff.")
@kubevirt_option
@quiet_option
@format_option()
@cluster_option
def command(  # noqa: PLR0913 - one for each option
    paths: tuple[Path, ...],
    named: tuple[str, ...],
    kubevirt: Release | None,
    target: str | None,
    *,
    check: bool,
    diff: bool,
) -> ExitCode:
    """Rewrite deprecated fields, values and API versions.

    With --to vm-template, OpenShift Templates with one machine become VirtualMachineTemplates, in place. One
    stays if the same values would make another machine.

    PATH is a file or a folder; the default is the whole project. Only the lines with these fields change. A
    field is rewritten only if the target releases of all overlays that are built from the file allow it, and
    if everything that is built from the file stays the same; otherwise the reason is reported.

    \b
    Examples:
      vmrender migrate
      vmrender migrate --check --diff
      vmrender migrate --kubevirt 1.9 overlays/base
      vmrender migrate --overlay prod
      vmrender migrate --to vm-template templates
    """
    if paths and named:
        raise click.UsageError("name paths or overlays, not both")
    to = None if target is None else MigrationTarget(target)
    projects = migrated_files.migrate_paths(open_project, paths, kubevirt, to, named)
    if len(projects) > 1:  # then paths are relative to their common folder
        ReportTarget.current()._replace(folder=".").activate()
    for project in projects if diff else ():
        for file in migrated_files.diff(project):
            print_diff(file)
    notes = () if check or diff else tuple(migrated_files.notes(projects))
    code = report(*migrated_files.findings(projects, check=check))
    if not (check or diff):
        migrated_files.write_files(projects)
        note(*notes)
    return code
