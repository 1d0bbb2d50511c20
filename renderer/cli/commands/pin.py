"""``vmrender pin OVERLAY [VM…]``."""

from __future__ import annotations

import click

from renderer.app.pin import PinnedOverlay, VmChoice, pin
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, note, open_project, report
from renderer.cli.options import vm_arguments


@click.command("pin", cls=Command)
@vm_arguments
@click.option("--update", is_flag=True, help="Also update existing pins to the current catalog.")
def command(
    overlay: str,
    names: tuple[str, ...],
    selector: str | None,
    everything: bool,  # noqa: FBT001 - click passes flags so
    update: bool,  # noqa: FBT001 - as above
) -> ExitCode:
    """Pin virtual machines of OVERLAY to the current version of their instance types and preferences.

    These are copied from the catalog into ControllerRevisions in OVERLAY/pins, a component of the overlay
    that sets revisionName on each VM. From then on, changes of the catalog affect only virtual machines
    without pins. VM is a name, or namespace/name; OVERLAY is a path, or its name in the project.

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
