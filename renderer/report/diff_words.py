"""The words, groups and rows that all formats of a difference share."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import (
    ChangeType,
    CommitDifference,
    Difference,
    Effect,
    FieldChange,
    NoValue,
    OverlayDifference,
    ResourceChange,
    Totals,
    Value,
)
from renderer.model.kube.json import scalar_text
from renderer.model.kube.res_id import ResId
from renderer.model.plural import plural
from renderer.model.quantity import Quantity, QuantityFormat
from renderer.report.plain_text import printable

LONGEST_VALUE = 120
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
    Effect.STOP: "stopped",
    Effect.NO_START: "accepted, but it will not start again",
    Effect.AT_RISK: "may be deleted",
    Effect.REPLACED: "replaced",
    Effect.DELETED: "deleted",
    Effect.REFUSED: "refused",
}
_PLURALS = {
    Effect.RESTART: "need a restart",
    Effect.PENDING: "count after a restart, which KubeVirt does not ask for",
    Effect.BLOCKED: "count after a restart, as the VMs cannot be live-migrated",
    Effect.NO_START: "accepted, but they will not start again",
}
#: Effects that do not depend on what the virtual machine was started from.
_ANYHOW = frozenset(
    {
        *(Effect.NONE, Effect.NEXT_START, Effect.START),
        *(Effect.AT_RISK, Effect.DELETED, Effect.REPLACED, Effect.REFUSED),
    }
)
#: The objects of a dump that ``Difference.others`` counts.
_NOT_COMPARED = "of a kind or in a namespace that the project does not have, or made by controllers"

#: A text that is unambiguous without quotes.
_PLAIN = re.compile(r"[A-Za-z0-9./_@%+][A-Za-z0-9./_@%+:=-]*")
_LIKE_OTHERS = re.compile(r"[-+.0-9eE_:]+|true|false|null|nothing", re.IGNORECASE)
_ALWAYS = ("virtual machines", "vCPUs", "memory")
_AMOUNTS = {
    "virtual machines": lambda amounts: str(amounts.machines),
    "vCPUs": lambda amounts: str(amounts.vcpus),
    "memory": lambda amounts: bytes_text(amounts.memory),
    "huge pages": lambda amounts: bytes_text(amounts.hugepages),
    "GPUs": lambda amounts: str(amounts.gpus),
}
#: The words for a type of change, if the side before is a cluster.
_LIVE_TYPES = {
    ChangeType.ADDED: "only in Git",
    ChangeType.REMOVED: "only in the cluster",
    ChangeType.RENAMED: "renamed",
    ChangeType.CHANGED: "drifted",
}


class Group(NamedTuple):
    """Resources with the same change: the change of the first, and the old and new name of each."""

    change: ResourceChange
    members: tuple[ResourceChange, ...]


def groups_of(changes: Iterable[ResourceChange]) -> list[Group]:
    """Return the groups, worst for virtual machines first, else in the order of their first resources."""
    found: dict[str, list[ResourceChange]] = {}
    for change in changes:
        alike = (change.type, change.id.gvk.group, change.id.gvk.kind, change.fields, change.impact)
        found.setdefault(repr(alike), []).append(change)
    groups = [Group(members[0], tuple(members)) for members in found.values()]
    return sorted(groups, key=lambda group: -_severity(group.change))


def _severity(change: ResourceChange) -> int:
    return change.impact.effect.severity + 1 if change.impact else 0


def reason_of(change: ResourceChange) -> str:
    """Return the reason for the impact of the whole change; empty if its fields give the reason."""
    if change.impact is None or any(
        field.impact is not None and field.impact.effect is change.impact.effect for field in change.fields
    ):
        return ""
    return printable(change.impact.reason)


def effect_text(change: ResourceChange | None) -> str:
    """Return the effect of a change on a virtual machine, with its reason; None is a machine without one."""
    if change is None or change.impact is None or change.impact.effect is Effect.NONE:
        return EFFECTS[Effect.NONE]
    effect, reason = EFFECTS[change.impact.effect], printable(change.impact.reason)
    return f"{effect} ({reason})" if reason else effect


def qualified_name(resource: ResId) -> str:
    """Return ``prod/db``, or ``db`` for a resource without a namespace."""
    name = f"{resource.namespace}/{resource.name}" if resource.namespace else resource.name
    return printable(name)


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
    if change.before is NoValue.WITHHELD and change.after is NoValue.WITHHELD:
        return "one value (withheld)", "another (withheld)"
    if change.reordered:
        before, after = (
            ", ".join(map(str, value)) if isinstance(value, list) else ""
            for value in (change.before, change.after)
        )
        return printable(before, LONGEST_VALUE), f"{printable(after, LONGEST_VALUE)} (another order)"
    return value_text(change.before), value_text(change.after)


class Row(NamedTuple):
    """An amount on both sides, in words; empty if a side does not have the overlay."""

    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        return self.before != self.after


def total_rows(overlay: OverlayDifference) -> list[Row]:
    """Return the amounts of an overlay's virtual machines; empty without machines."""
    if not any(totals and (totals.running.machines or totals.halted.machines) for totals in overlay.totals):
        return []
    rows = [Row(name, *(_amount_text(totals, name) for totals in overlay.totals)) for name in _AMOUNTS]
    return [row for row in rows if row.name in _ALWAYS or {row.before, row.after} - {"", "0"}]


def _amount_text(totals: Totals | None, name: str) -> str:
    if totals is None:
        return ""
    running, halted = (_AMOUNTS[name](amounts) for amounts in totals)
    return running if halted == "0" else f"{running} (and {halted} halted)"


def bytes_text(count: int) -> str:
    """Return ``16Gi``, or the amount in the next smaller unit if it is not a whole number: ``1536Mi``."""
    return Quantity.of_integer(count, QuantityFormat.BINARY_SI).canonical


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


def equal_text(overlay: OverlayDifference, *, is_live: bool) -> str:
    """Return the number of objects that are equal on both sides, in words."""
    return f"{overlay.equal} {'in sync' if is_live else 'equal'}"


def counts_text(changes: Iterable[ResourceChange], *, is_live: bool) -> list[str]:
    """Return texts such as ``3 changed``, one for each type that occurs."""
    return [f"{count} {type_text(each, is_live=is_live)}" for each, count in counts_of(changes).items()]


def counts_of(changes: Iterable[ResourceChange]) -> Mapping[ChangeType, int]:
    """Return the number of changes of each type that occurs, in a fixed order."""
    counts = Counter(change.type for change in changes)
    return {change_type: counts[change_type] for change_type in ChangeType if counts[change_type]}


def effects_of(changes: Iterable[ResourceChange]) -> Mapping[Effect, int]:
    """Return the number of virtual machines with each effect, the worst first."""
    return _effects(change for change in changes if change.id.gvk.kind in PATHS)


def effects_on_others(changes: Iterable[ResourceChange]) -> Mapping[Effect, int]:
    """Return the number of objects other than virtual machines with each effect, the worst first."""
    return _effects(change for change in changes if change.id.gvk.kind not in PATHS)


def _effects(changes: Iterable[ResourceChange]) -> Mapping[Effect, int]:
    counts = Counter(change.impact.effect for change in changes if change.impact)
    return {effect: counts[effect] for effect in reversed(Effect) if counts[effect]}


def summary(difference: Difference) -> Iterator[str]:
    """Yield up to four lines: the changes, their effects on virtual machines and others, the assumptions."""
    changes = [change for overlay in difference.overlays for change in overlay.changes]
    lost = sum(bool(overlay.incomparable) for overlay in difference.overlays)
    counts = counts_text(changes, is_live=difference.is_live)
    in_sync = sum(overlay.equal for overlay in difference.overlays)
    if difference.is_live and in_sync:
        counts.append(f"{in_sync} in sync")
    if lost:
        counts.append(f"{plural(lost, 'overlay')} not compared")
    yield f"{', '.join(counts) or 'no differences in resources'} ({overlays_text(difference)})"
    effects = effects_of(changes)
    if effects:
        yield f"virtual machines: {', '.join(counted_effects(effects))}"
    others = effects_on_others(changes)
    if others:
        yield f"other objects: {', '.join(counted_effects(others))}"
    if difference.others:
        yield f"{plural(difference.others, 'object')} of the dump not compared: {_NOT_COMPARED}"
    if not _ANYHOW.issuperset(effects):
        before = printable(difference.before)
        if difference.is_live:
            basis = "judged by the instance of each virtual machine, or where the dump has none by its spec"
            yield f"{basis} in the {before}"
        else:
            yield f"judged as if each virtual machine had been started from {before}"


def counted_effects(effects: Mapping[Effect, int]) -> Iterator[str]:
    """Yield ``3 need a restart``, ``1 refused``."""
    for effect, count in effects.items():
        words = _PLURALS.get(effect, EFFECTS[effect]) if count > 1 else EFFECTS[effect]
        yield f"{count} {words}"


def commit_verdict(commit: CommitDifference) -> str:
    """Return the effect of all changes up to a commit on virtual machines: ``1 needs a restart``.

    Of overlays that cannot be rendered at the commit, nothing is known.
    """
    changes = [change for overlay in commit.overlays for change in overlay.changes]
    verdict = list(counted_effects(effects_of(changes)))
    lost = sum(bool(overlay.incomparable) for overlay in commit.overlays)
    verdict += [f"{plural(lost, 'overlay')} not compared"] if lost else []
    return ", ".join(verdict) or "nothing happens to virtual machines"


def overlays_text(difference: Difference) -> str:
    """Return the number of overlays on either side, as ``2 overlays``."""
    return plural(sum(any(overlay.releases) for overlay in difference.overlays), "overlay")
