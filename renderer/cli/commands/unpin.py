"""``vmrender unpin OVERLAY [VM…]``."""

from __future__ import annotations

import click

from renderer.app.pin import PinnedOverlay, VmChoice, unpin
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, note, open_project, report
from renderer.cli.options import vm_arguments


@click.command("unpin", cls=Command)
@vm_arguments
def command(overlay: str, names: tuple[str, ...], selector: str | None, everything: bool) -> ExitCode:  # noqa: FBT001 - click passes flags so
    """Let virtual machines of OVERLAY follow the catalog again, by removing their pins.

    VM is a name, or namespace/name. Files in pins/ that were changed by hand stay.

    \b
    Examples:
      vmrender unpin overlays/prod db
      vmrender unpin prod --all
    """
    opened = PinnedOverlay.open(open_project, overlay)
    result = unpin(opened, VmChoice(names, selector, everything))
    for text in (*result.notes, result.summary):
        note(text)
    return report(opened.project.fs, result.findings)
