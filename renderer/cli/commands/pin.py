"""``vmrender pin OVERLAY [VM…]``."""

from __future__ import annotations

import re

import click

from renderer.app.pin import VmChoice, Wave, pin
from renderer.app.pinned_overlay import PinnedOverlay, PinResult
from renderer.app.usage_error import UsageError
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, note, open_project, report
from renderer.cli.options import overlay_and_machines, vm_arguments

_WAVE = re.compile(r"([1-9][0-9]{0,6})(%?)")
_WHOLE = 100


def _parse_wave(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Wave | None:
    if text is None:
        return None
    found = _WAVE.fullmatch(text)
    if found is None or (found[2] and int(found[1]) > _WHOLE):
        raise click.BadParameter(f"{text!r} is neither a number of machines nor a percentage such as 10%")
    return Wave(int(found[1]), is_percentage=bool(found[2]))


@click.command("pin", cls=Command)
@vm_arguments
@click.option("--update", is_flag=True, help="Also update existing pins to the current catalog.")
@click.option(
    "--wave",
    metavar="NUMBER",
    callback=_parse_wave,
    help="With --update: change at most NUMBER of the chosen machines, or that many per cent of them (10%).",
)
@click.option("--dry-run", is_flag=True, help="Write nothing; print what would be done.")
def command(  # noqa: PLR0913 - one for each option
    overlay: str | None,
    named: str,
    names: tuple[str, ...],
    selector: str | None,
    *,
    everything: bool,
    update: bool,
    wave: Wave | None,
    dry_run: bool,
) -> ExitCode:
    """Pin virtual machines of OVERLAY to the current version of their instance types and preferences.

    These are copied from the catalog into ControllerRevisions in OVERLAY/pins, a component of the overlay
    that sets revisionName on each VM. From then on, changes of the catalog affect only virtual machines
    without pins. VM is NAME, NAMESPACE/NAME or KIND/NAME; OVERLAY is a path, or its name in the project. With
    --update, each line says what the change does to the machine; with --wave, the next run goes on with the
    machines that are left.

    \b
    Examples:
      vmrender pin overlays/prod db
      vmrender pin --overlay prod --selector app=db
      vmrender pin prod --all
      vmrender pin prod db --update
      vmrender pin prod --all --update --wave 10%
    """
    if wave is not None and not update:
        raise UsageError("--wave is about pins that exist: add --update")
    overlay, names = overlay_and_machines(overlay, named, names)
    opened = PinnedOverlay.open(open_project, overlay)
    choice = VmChoice(names, selector, everything)
    return print_result(opened, pin(opened, choice, update=update, wave=wave, dry_run=dry_run))


def print_result(overlay: PinnedOverlay, result: PinResult) -> ExitCode:
    """Print what was done to each machine, and what is to be done next."""
    for text in (*result.notes, result.summary):
        note(text)
    if result.next_steps:
        note("", "next, once this is synced:", *(f"  {step}" for step in result.next_steps))
    return report(overlay.project.fs, result.findings)
