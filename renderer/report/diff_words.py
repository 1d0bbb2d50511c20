"""The words that all formats of a difference share: of groups, changes, fields and values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping

from renderer.diff.grouped import Group, is_judged
from renderer.model.difference import (
    Cause,
    ChangeType,
    Danger,
    Difference,
    Effect,
    FieldChange,
    Impact,
    NoValue,
    OverlayDifference,
    ResourceChange,
    Value,
)
from renderer.model.kube.json import scalar_text
from renderer.model.kube.res_id import ResId, namespaced_name
from renderer.model.plural import listed, plural
from renderer.report.plain_text import printable

LONGEST_VALUE = 120
#: The former overlays that are named of objects that have moved.
_MOST_ORIGINS = 5
WITHHELD = "(withheld)"
NOTHING = "nothing"

EFFECTS: Mapping[Effect, str] = {
    Effect.NONE: "no effect",
    Effect.NEXT_START: "halted: counts at the next start",
    Effect.LIVE: "applied live",
    Effect.HOT_PLUG: "hot-plugged at once",
    Effect.NEXT_MIGRATION: "at the next live migration",
    Effect.MIGRATION: "live migration",
    Effect.PENDING: "counts after a restart, which KubeVirt does not ask for",
    Effect.BLOCKED: "counts after a restart, as the VM cannot be live-migrated",
    Effect.START: "started",
    Effect.STUCK: "accepted, but KubeVirt cannot apply it",
    Effect.RESTART: "needs a restart",
    Effect.EVICTED: "evicted",
    Effect.DISCONNECTED: "cut off from a network",
    Effect.STOP: "stopped",
    Effect.RECREATED: "recreated",
    Effect.NO_START: "accepted, but the next start fails",
    Effect.AT_RISK: "may be deleted",
    Effect.MAY_DELETE: "may delete objects",
    Effect.REPLACED: "replaced",
    Effect.DELETED: "deleted",
    Effect.REFUSED: "refused",
}
#: The headings over changes, by their danger.
_HEADINGS: Mapping[Danger, str] = {
    Danger.NONE: "no effect on what runs",
    Danger.STILL_REFUSED: "refused, as before",
    Danger.LIVE: "applied live",
    Danger.MIGRATION: "live migrations",
    Danger.GUEST: "the guest sees a change",
    Danger.RESTART: "restarts",
    Danger.NO_START: "will not start",
    Danger.DATA: "data at risk",
    Danger.REFUSED: "refused",
}
#: The heading over changes of objects that are not judged.
_OTHER_OBJECTS = "other objects"
#: A text that is unambiguous without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9./_@%+][A-Za-z0-9./_@%+:=-]*")
_LIKE_OTHERS = re.compile(r"[-+.0-9eE_:]+|true|false|null|nothing", re.IGNORECASE)
#: The words for a type of change, if the side before is a cluster.
_LIVE_TYPES = {
    ChangeType.ADDED: "only in Git",
    ChangeType.REMOVED: "only in the cluster",
    ChangeType.RENAMED: "renamed",
    ChangeType.CHANGED: "drifted",
}


def section_of(group: Group) -> tuple[Danger, str]:
    """Return the danger of a group and the heading over it; objects that are not judged have their own."""
    return group.danger, _HEADINGS[group.danger] if is_judged(group.change) else _OTHER_OBJECTS


def subject_of(group: Group, most: int) -> str:
    """Return the objects of a group: ``VirtualMachine prod/db``, or ``30 VirtualMachines``.

    Only the objects of one overlay are named, and at most ``most`` of them.
    """
    kind = printable(group.change.id.gvk.kind)
    if len(group.overlays) > 1:
        return plural(len(group.members), kind)
    names = [member_name(member.change) for member in group.members]
    return f"{kind} {listed(names, most)}"


def place_of(group: Group, difference: Difference) -> str:
    """Return ``in 30 overlays`` after a blank; empty if only one overlay was compared."""
    first, *others = group.overlays
    if len(difference.overlays) == 1:
        return ""
    if others:
        return f" in {plural(len(others) + 1, 'overlay')}"
    return printable(f" in {first.path}" if any(first.releases) else f" {first.path}")


def causes_text(group: Group, most: int) -> str:
    """Return the places in the sources that changed a group: ``db.yaml:9, 12``; empty if none is known."""
    positions = {cause.path: position for position, cause in reversed([*enumerate(group.causes)])}
    causes = sorted(group.causes, key=lambda cause: (positions[cause.path], cause.line))
    return listed([*places(causes)], most)


def places(causes: Iterable[Cause]) -> Iterator[str]:
    """Yield each place; only its line if it is in the same file as the one before."""
    path = ""
    for cause in causes:
        text = str(cause)
        yield printable(text.removeprefix(f"{path}:") if path and cause.line else text)
        path = cause.path


def members_text(group: Group, most: int) -> str:
    """Return the objects of a group in several overlays, at most ``most`` of each."""
    names: dict[str, list[str]] = {}
    for member in group.members:
        names.setdefault(printable(member.overlay.path), []).append(member_name(member.change))
    of_overlays = [listed(each, most) for each in names.values()]
    if len(set(of_overlays)) == 1:
        return f"{of_overlays[0]} in {listed([*names], most)}"
    return listed([f"{path}: {each}" for path, each in zip(names, of_overlays, strict=True)], most, "; ")


def own_reason(change: ResourceChange) -> str:
    """Return the reason for the impact of the whole change; empty if its fields give the reason."""
    if change.impact is None or any(
        field.impact is not None and field.impact.effect is change.impact.effect for field in change.fields
    ):
        return ""
    return printable(change.impact.reason)


def reason_of(group: Group) -> str:
    """Return the former overlays, the reason unless the fields give it, and that of an old refusal."""
    moved = [*dict.fromkeys(printable(each.change.moved_from) for each in group.members)]
    origin = f"moved from {listed(moved, _MOST_ORIGINS)}" if group.change.moved_from else ""
    reason, former = own_reason(group.change), printable(group.change.former_refusal)
    if reason:
        reason = _with_others(reason, (member.change.impact for member in group.members))
    return "; ".join(filter(None, (origin, reason, f"refused, as before: {former}" if former else "")))


def field_reasons(group: Group) -> list[str]:
    """Return the reason for the effect of each field of a group; empty where there is none."""
    columns = zip(*(member.change.fields for member in group.members), strict=True)
    return [
        _with_others(column[0].impact.reason, (each.impact for each in column)) if column[0].impact else ""
        for column in columns
    ]


def _with_others(reason: str, impacts: Iterable[Impact | None]) -> str:
    """Return a reason, and the number of other ones, which name other disks or networks."""
    others = {printable(impact.reason) for impact in impacts if impact} - {printable(reason)}
    more = f" ({len(others)} with other names)" if others else ""
    return f"{printable(reason)}{more}"


def effect_text(change: ResourceChange | None) -> str:
    """Return the effect of a change on a virtual machine, with its reason; None is a machine without one."""
    if change is None or change.impact is None or change.impact.effect is Effect.NONE:
        return EFFECTS[Effect.NONE]
    effect, reason = EFFECTS[change.impact.effect], printable(change.impact.reason)
    return f"{effect} ({reason})" if reason else effect


def qualified_name(resource: ResId) -> str:
    """Return ``prod/db``, or ``db`` for a resource without a namespace."""
    return printable(namespaced_name(resource.namespace, resource.name))


def member_name(change: ResourceChange) -> str:
    """Return ``prod/db``, or ``prod/db -> prod/database`` for a renamed resource."""
    if change.type is ChangeType.RENAMED and change.before and change.after:
        return f"{qualified_name(change.before)} -> {qualified_name(change.after)}"
    return qualified_name(change.id)


def value_text(value: Value) -> str:
    """Return a value in one line; of a long value, the beginning and the end."""
    if value is NoValue.ABSENT:
        return NOTHING
    if value is NoValue.WITHHELD:
        return WITHHELD
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and not _LIKE_OTHERS.fullmatch(value)
        return printable(value, LONGEST_VALUE) if is_plain else _as_json(value)
    return _as_json(value) if isinstance(value, dict | list) else scalar_text(value)


def _as_json(value: Value) -> str:
    return printable(json.dumps(value, ensure_ascii=False), LONGEST_VALUE)


def side_texts(change: FieldChange) -> tuple[str, str]:
    """Return the text of the value before and of the value now."""
    if change.read is not None:  # the name stays
        return "the object that it names", NOTHING if change.after is NoValue.ABSENT else "its new content"
    if change.before is NoValue.WITHHELD and change.after is NoValue.WITHHELD:
        return "one value (withheld)", "another (withheld)"
    if change.reordered:
        before, after = (
            ", ".join(map(str, value)) if isinstance(value, list) else ""
            for value in (change.before, change.after)
        )
        return printable(before, LONGEST_VALUE), f"{printable(after, LONGEST_VALUE)} (another order)"
    return value_text(change.before), value_text(change.after)


def release_text(overlay: OverlayDifference) -> str:
    """Return ``KubeVirt 1.9``, or ``KubeVirt 1.8 -> 1.9`` if it changes, after the name of its cluster."""
    if overlay.cluster:
        return f"cluster {overlay.cluster}, {release_text(overlay._replace(cluster=''))}"
    before, after = overlay.releases
    if before is None and after is None:
        return "not in Git"
    if before and after and before != after:
        return f"KubeVirt {before} -> {after}"
    return f"KubeVirt {after or before}"


def title_text(difference: Difference) -> str:
    """Return the title: the two sides of the comparison."""
    return "Cluster and Git" if difference.is_live else "Rendered manifests"


def type_text(change_type: ChangeType, *, is_live: bool) -> str:
    """Return the word for a type of change: ``changed``, or ``drifted`` for an object of a cluster."""
    return _LIVE_TYPES[change_type] if is_live else change_type


def origin_text(change: FieldChange) -> str:
    """Return the origin of a field, and if a sync leaves it; empty if the origin is unknown."""
    if change.inherited:
        return "from the instance type or preference"
    owners = f"owned by {', '.join(map(printable, change.owners))}" if change.owners else ""
    kept = "a sync leaves it" if change.kept else ""
    return "; ".join(filter(None, (owners, kept)))


def ignored_lines(overlay: OverlayDifference) -> Iterator[str]:
    """Yield the differences that an engine is configured to ignore, and the notes."""
    for ignored in overlay.ignored:
        if ignored.note:
            yield f"{printable(ignored.source)}: {printable(ignored.note)}"
        else:
            yield f"{plural(ignored.number, 'difference')} ignored: {printable(ignored.source)}"
    yield from map(printable, overlay.notes)
