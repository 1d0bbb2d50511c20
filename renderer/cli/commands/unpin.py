"""``vmrender unpin OVERLAY [VM…]``."""

from __future__ import annotations

from collections.abc import Collection

import click

from renderer.cli.exit_code import ExitCode
from renderer.cli.options import vm_arguments
from renderer.cli.pinned_overlay import PinnedOverlay, choose
from renderer.model.diagnostic import Diagnostic
from renderer.pins.plan import PatchTarget, orphans, plan_unpins


@click.command("unpin")
@vm_arguments
def command(overlay: str, names: tuple[str, ...], selector: str | None, everything: bool) -> ExitCode:  # noqa: FBT001 - click passes flags so
    """Let virtual machines of OVERLAY follow the catalog again: what pin wrote for them is taken away.

    VM is a name, or namespace/name. Files in pins/ that were changed by hand stay.

    \b
    Examples:
      vmrender unpin overlays/prod db
      vmrender unpin prod --all
    """
    opened = PinnedOverlay.open(overlay)
    return opened.report(lambda: _unpin(opened, names, selector, everything=everything))


def _unpin(
    opened: PinnedOverlay, names: Collection[str], selector: str | None, *, everything: bool
) -> tuple[Diagnostic, ...]:
    pinnables = opened.pinnables()
    gone = {PatchTarget.of(file.content).name for file in orphans(opened.folder, pinnables)}
    there = [name for name in names if name not in gone]
    only_gone = bool(names) and not there and selector is None and not everything
    chosen = () if only_gone else choose(pinnables, there, selector, everything=everything)
    plan = plan_unpins(opened.folder, pinnables, chosen)
    for note in plan.notes:
        click.echo(note, err=True)
    return opened.make(opened.changes(plan))
