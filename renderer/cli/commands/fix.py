"""``vmrender fix [PATH…]``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.app import fixed_files
from renderer.cli.command import Command
from renderer.cli.completions import complete_codes
from renderer.cli.console import ExitCode, ReportTarget, note, open_project, print_diff, report
from renderer.cli.options import (
    OverlayPath,
    cluster_option,
    format_option,
    kubevirt_option,
    overlay_option,
    quiet_option,
)
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
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if anything would be fixed.")
@click.option("--diff", is_flag=True, help="Write nothing; print the changes as a diff.")
@kubevirt_option
@quiet_option
@format_option()
@cluster_option
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
    if paths and named:
        raise click.UsageError("name paths or overlays, not both")
    projects = fixed_files.fix_paths(open_project, paths, fixed_files.FixChoice(named, codes, kubevirt))
    if len(projects) > 1:  # then paths are relative to their common folder
        ReportTarget.current()._replace(folder=".").activate()
    for file in fixed_files.diffs(projects) if diff else ():
        print_diff(file)
    notes = () if check or diff else tuple(fixed_files.notes(projects))
    code = report(*fixed_files.findings(projects, check=check))
    if not (check or diff):
        fixed_files.write_files(projects)
        note(*notes)
    return code
