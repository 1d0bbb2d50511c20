"""``vmrender pin OVERLAY [VM…]``."""

from __future__ import annotations

from collections.abc import Iterable

import click

from renderer.cli.exit_code import ExitCode
from renderer.cli.options import vm_arguments
from renderer.cli.pinned_overlay import PinnedOverlay, choose
from renderer.model.diagnostic import Diagnostic
from renderer.pins.plan import check_effect, plan_pins


@click.command("pin")
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
    opened = PinnedOverlay.open(overlay)
    return opened.report(lambda: _pin(opened, names, selector, everything=everything, update=update))


def _pin(
    opened: PinnedOverlay, names: Iterable[str], selector: str | None, *, everything: bool, update: bool
) -> tuple[Diagnostic, ...]:
    pinnables = opened.pinnables()
    chosen = choose(pinnables, names, selector, everything=everything)
    plan = plan_pins(opened.folder, pinnables, chosen, update=update)
    planned = opened.changes(plan)
    if planned:
        composed = opened.built_with(planned).compose(opened.overlay.path)
        check_effect(composed, plan.files, chosen)
    for note in plan.notes:
        click.echo(note, err=True)
    return opened.make(planned)
