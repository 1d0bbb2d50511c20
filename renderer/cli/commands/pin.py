"""``vmrender pin OVERLAY [VM…]``."""

from __future__ import annotations

import click

from renderer.app.pin import PinnedOverlay, VmChoice, pin
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, note, open_project, report
from renderer.cli.options import vm_arguments


@click.command("pin", cls=Command)
@vm_arguments
@click.option("--update", is_flag=True, help="Pin anew what is pinned already, to what the catalog has now.")
def command(
    overlay: str,
    names: tuple[str, ...],
    selector: str | None,
    everything: bool,  # noqa: FBT001 - click passes flags so
    update: bool,  # noqa: FBT001 - as above
) -> ExitCode:
    """Let virtual machines of OVERLAY keep their instance types and preferences as these are now.

    What the catalog says of them is copied into ControllerRevisions in OVERLAY/pins, a component of the
    overlay which sets revisionName on VM... From then on, changes of the catalog reach only the others.
    VM is a name, or namespace/name; OVERLAY is a path, or the name that the project has for it.

    \b
    Examples:
      vmrender pin overlays/prod db
      vmrender pin prod --selector app=db
      vmrender pin prod --all
      vmrender pin prod db --update
    """
    opened = PinnedOverlay.open(open_project, overlay)
    result = pin(opened, VmChoice(names, selector, everything), update=update)
    for text in (*result.notes, result.summary):
        note(text)
    return report(opened.project.fs, result.findings)
