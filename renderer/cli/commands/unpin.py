"""``vmrender unpin OVERLAY [VM…]``."""

from __future__ import annotations

import sys

import click

from renderer.app.pin import Evidence, VmChoice, unpin
from renderer.app.pinned_overlay import PinnedOverlay
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.commands.pin import print_result
from renderer.cli.console import ExitCode, open_project
from renderer.cli.options import overlay_and_machines, vm_arguments


@click.command("unpin", cls=Command)
@vm_arguments
@click.option(
    "--live",
    metavar="DUMP",
    help="Also remove ControllerRevisions that no machine in this dump names (kubectl get -o yaml).",
)
@click.option(
    "--cleared",
    is_flag=True,
    help="Also remove ControllerRevisions that no pin names: the status of no machine names them.",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be done.")
def command(  # noqa: PLR0913 - one for each option
    overlay: str | None,
    named: str,
    names: tuple[str, ...],
    selector: str | None,
    *,
    everything: bool,
    live: str | None,
    cleared: bool,
    dry_run: bool,
) -> ExitCode:
    """Let virtual machines of OVERLAY follow the catalog again, by removing their pins.

    VM is NAME, NAMESPACE/NAME or KIND/NAME. Files in pins/ that were changed by hand stay. Since KubeVirt 1.5
    the status of a virtual machine goes on naming its ControllerRevision, and without that the machine would
    not start again. So if the overlay keeps the names of instance types (expand: "off"), the
    ControllerRevision stays in pins/, and unpin prints the commands that clear the status. Without VM, --live
    and --cleared remove the ControllerRevisions that are not needed any more.

    \b
    Examples:
      vmrender unpin overlays/prod db
      vmrender unpin prod --all
      kubectl get vm,controllerrevision -A -o yaml | vmrender unpin prod --live -
    """
    if live is not None and cleared:
        raise UsageError("--live looks at the cluster, so --cleared adds nothing: leave one of them out")
    overlay, names = overlay_and_machines(overlay, named, names)
    opened = PinnedOverlay.open(open_project, overlay)
    choice = VmChoice(names, selector, everything)
    evidence = Evidence(live, sys.stdin.buffer if live is not None else None, cleared)
    return print_result(opened, unpin(opened, choice, evidence, dry_run=dry_run))
