"""What a change does to disks, and what the guest sees, in the words that all formats share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from renderer.diff.grouped import Group
from renderer.model.difference import DataChange, DataEffect, GuestChange
from renderer.model.plural import listed
from renderer.report.diff_words import LONGEST_VALUE, NOTHING
from renderer.report.plain_text import printable

DATA_EFFECTS: Mapping[DataEffect, str] = {
    DataEffect.UNTOUCHED: "no effect on a disk",
    DataEffect.KEPT: "disk stays",
    DataEffect.NEW_DISK: "new disk",
    DataEffect.COPIED: "disk copied",
    DataEffect.DETACHED: "without a data disk",
    DataEffect.OTHER_DISK: "another data disk",
    DataEffect.OTHER_ROOT: "boots from another disk",
    DataEffect.UNDONE_RESTORE: "undoes a restore",
    DataEffect.SHARED: "shared data disk",
    DataEffect.LOST: "data lost",
}
_MOST_DISKS = 5


class DataLine(NamedTuple):
    """What happens to a disk of each change in a group; ``text`` has the names of the disks."""

    effect: DataEffect
    text: str
    source: str
    is_harm: bool


def data_lines(group: Group) -> Iterator[DataLine]:
    """Yield what happens to disks: ``DataVolume db (30Gi): deleted with the VM, which owns it``.

    Each machine of a group has disks of its own, of which the first ones are named.
    """
    for column in zip(*(member.change.data for member in group.members), strict=True):
        disks = [*dict.fromkeys(map(_sides, column))]
        text = f"{listed(disks, _MOST_DISKS)}: {printable(column[0].text)}"
        yield DataLine(column[0].effect, text, column[0].source, column[0].is_harm)


def _sides(change: DataChange) -> str:
    """Return the disk before and after; once if only its text says what differs."""
    return " -> ".join(map(printable, dict.fromkeys(filter(None, (change.before, change.after)))))


class Sight(NamedTuple):
    """A fact that the guest sees, a line for all devices with the same values, and the risk of them."""

    lines: tuple[str, ...]
    risk: str


def sights_of(changes: Iterable[GuestChange]) -> Iterator[Sight]:
    """Yield the facts that the guest sees, with equal ones of several devices as one."""
    by_fact: dict[tuple[str, str], dict[str, list[str]]] = {}
    for change in changes:
        before, after = (printable(side, LONGEST_VALUE) or NOTHING for side in (change.before, change.after))
        text = f"{before} -> {after}{' (at once)' if change.is_live else ''}"
        devices = by_fact.setdefault((change.fact, change.risk), {}).setdefault(text, [])
        devices += [printable(change.device)] if change.device else []
    for (fact, risk), sides in by_fact.items():
        lines = (
            f"{' '.join(filter(None, (printable(fact), ', '.join(devices))))}: {text}"
            for text, devices in sides.items()
        )
        yield Sight(tuple(lines), printable(risk))


def sights_at_risk(changes: Iterable[GuestChange]) -> Iterator[Sight]:
    """Yield the facts that put something in the guest at risk."""
    return sights_of(change for change in changes if change.risk)
