"""Merge equal changes of all overlays, the most dangerous first.

A line in a base may change a machine in each of three hundred overlays. For a reader, that is one change.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, INSTANCETYPE_GROUP
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import Cause, ChangeType, Danger, Impact, OverlayDifference, ResourceChange

#: What changes have in common that readers see as one; texts, because values may be mappings.
_Likeness: TypeAlias = tuple[str, ...]


class Member(NamedTuple):
    """A change in an overlay."""

    overlay: OverlayDifference
    change: ResourceChange


class Group(NamedTuple):
    """Changes that differ only in the names of their objects, and in names that their reasons mention."""

    members: tuple[Member, ...]

    @property
    def change(self) -> ResourceChange:
        """The first of the changes."""
        return self.members[0].change

    @property
    def danger(self) -> Danger:
        return self.change.danger

    @property
    def is_about_machines(self) -> bool:
        return self.change.id.gvk.kind in PATHS

    @property
    def causes(self) -> tuple[Cause, ...]:
        """The places in the sources that changed the objects, each once."""
        found = (cause for member in self.members for cause in member.change.causes)
        return tuple(dict.fromkeys(found))

    @property
    def overlays(self) -> tuple[OverlayDifference, ...]:
        """The overlays that the changes are in, each once."""
        return tuple({member.overlay.path: member.overlay for member in self.members}.values())


def is_judged(change: ResourceChange) -> bool:
    """Return True if it is known what a change does; of objects other than machines it often is not.

    A new instance type, preference or ControllerRevision does nothing by itself: what names it does.
    """
    gvk = change.id.gvk
    is_known = change.impact or change.data or change.former_refusal
    is_inert = change.type is ChangeType.ADDED and (
        gvk.group == INSTANCETYPE_GROUP or gvk.kind == CONTROLLER_REVISION
    )
    return bool(is_known) or is_inert or gvk.kind in PATHS


def groups_of(overlays: Iterable[OverlayDifference]) -> list[Group]:
    """Return the changes of all overlays in groups, the most dangerous first.

    Among groups of equal danger, virtual machines come first, then the worst effects, then the order in which
    the changes were found. Objects that are not judged are the last.
    """
    found: dict[_Likeness, list[Member]] = {}
    for overlay in overlays:
        for change in overlay.changes:
            found.setdefault(_likeness(change), []).append(Member(overlay, change))
    groups = [Group(tuple(members)) for members in found.values()]
    return sorted(groups, key=_order)


def _likeness(change: ResourceChange) -> _Likeness:
    """Return the key of equal changes.

    A source counts instead of a reason, which may name a disk that differs between sites.
    """
    gvk = change.id.gvk
    fields = (
        (
            str(each.field),
            repr((each.before, each.after, each.reordered, each.inherited, each.owners, each.kept)),
            _rule(each.impact),
        )
        for each in change.fields
    )
    return (
        *(change.type, gvk.group, gvk.kind, _rule(change.impact), str(bool(change.former_refusal))),
        str(bool(change.moved_from)),
        *(text for each in fields for text in each),
        *(f"{each.effect} {each.source} {each.text}" for each in change.data),
        *(f"{each.fact} {each.device} {each.risk} {each.is_live}" for each in change.guest),
    )


def _rule(impact: Impact | None) -> str:
    return f"{impact.effect} {impact.source or impact.reason}" if impact else ""


def _order(group: Group) -> tuple[int, bool, bool, int]:
    change, impact = group.change, group.change.impact
    severity = -impact.effect.severity if impact else 1
    return -group.danger.rank, not is_judged(change), not group.is_about_machines, severity
