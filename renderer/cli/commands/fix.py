"""``vmrender fix [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app.source_edits import FixChoice, fix_paths
from renderer.cli.command import Command
from renderer.cli.completions import complete_codes
from renderer.cli.console import ExitCode, open_project
from renderer.cli.options import OverlayPath, overlay_option
from renderer.cli.source_edits import check_choice, edit_options, finish_edits
from renderer.model.codes import Code
from renderer.model.release import Release
from renderer.model.suggest import member_named


def _parse_codes(
    _context: click.Context, _parameter: click.Parameter, words: tuple[str, ...]
) -> frozenset[Code]:
    try:
        return frozenset(
            member_named(Code, word, "diagnostic code", "vmrender explain lists them") for word in words
        )
    except ValueError as error:
        raise click.BadParameter(str(error)) from error


@click.command("fix", cls=Command)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=OverlayPath(exists=True, path_type=Path))
@overlay_option("Fix")
@click.option(
    "--select",
    "codes",
    metavar="CODE",
    multiple=True,
    callback=_parse_codes,
    shell_complete=complete_codes,
    help="Fix only findings with this code. Repeatable.",
)
@edit_options("fixed")
def command(  # noqa: PLR0913 - one for each option
    paths: tuple[Path, ...],
    named: tuple[str, ...],
    codes: frozenset[Code],
    kubevirt: Release | None,
    *,
    check: bool,
    diff: bool,
) -> ExitCode:
    """Apply the one right answer of each finding to the sources: misspelt names, quotes, units, old fields.

    PATH is a file or a folder; the default is the whole project. Only the lines in question change, and
    comments stay. A fix is kept if its finding is gone afterwards, if no other comes, and if nothing that is
    built changes except what the finding names. Deprecated fields are rewritten as by vmrender migrate, which
    is fix --select deprecated. Findings that have no single answer stay; vmrender validate reports them.

    \b
    Examples:
      vmrender fix --diff
      vmrender fix
      vmrender fix --select unknown-field --select running-deprecated overlays/prod
      vmrender fix --check --overlay prod
    """
    check_choice(paths, named)
    edits = fix_paths(open_project, paths, FixChoice(named, codes, kubevirt))
    return finish_edits(edits, check=check, diff=diff)
