"""What the commands that edit sources share: their options, and how they report and write the edits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import click

from renderer.app import source_edits
from renderer.cli.console import ExitCode, ReportTarget, note, print_diff, report
from renderer.cli.options import cluster_option, format_option, kubevirt_option, quiet_option


def edit_options(done: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Return the options of a command that edits sources; ``done`` says in their help what becomes of one."""

    def add(command: Callable[..., object]) -> Callable[..., object]:
        check = f"Write nothing; exit with 1 if anything would be {done}."
        for option in (
            cluster_option,
            format_option(),
            quiet_option,
            kubevirt_option,
            click.option("--diff", is_flag=True, help="Write nothing; print the changes as a diff."),
            click.option("--check", is_flag=True, help=check),
        ):
            command = option(command)
        return command

    return add


def check_choice(paths: tuple[Path, ...], overlays: tuple[str, ...]) -> None:
    """Raise ``click.UsageError`` if both paths and overlays are given."""
    if paths and overlays:
        raise click.UsageError("name paths or overlays, not both")


def finish_edits(projects: Sequence[source_edits.SourceEdits], *, check: bool, diff: bool) -> ExitCode:
    """Report the edits, and write them or print them as a diff."""
    if len(projects) > 1:  # then paths are relative to their common folder
        ReportTarget.current()._replace(folder=".").activate()
    for file in source_edits.diffs(projects) if diff else ():
        print_diff(file)
    notes = () if check or diff else tuple(source_edits.notes(projects))
    code = report(*source_edits.findings(projects, check=check))
    if not (check or diff):
        source_edits.write_files(projects)
        note(*notes)
    return code
