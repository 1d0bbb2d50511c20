"""``vmrender migrate [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app.source_edits import MigrationTarget, migrate_paths
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, open_project
from renderer.cli.options import OverlayPath, TextChoice, overlay_option
from renderer.cli.source_edits import check_choice, edit_options, finish_edits
from renderer.model.release import Release


@click.command("migrate", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=OverlayPath(exists=True, path_type=Path))
@overlay_option("Migrate")
@click.option(
    "--to",
    "target",
    type=TextChoice(MigrationTarget),
    help="Make VirtualMachineTemplates of OpenShift Templates, and change nothing else.",
)
@edit_options("rewritten")
def command(  # noqa: PLR0913 - one for each option
    paths: tuple[Path, ...],
    named: tuple[str, ...],
    kubevirt: Release | None,
    target: MigrationTarget | None,
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
    check_choice(paths, named)
    edits = migrate_paths(open_project, paths, kubevirt, target, named)
    return finish_edits(edits, check=check, diff=diff)
