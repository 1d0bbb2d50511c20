"""What a report says first: the worst in one line, then the counts, and what the machines take together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from renderer.diff.grouped import Group, Member, is_judged
from renderer.kubevirt.facts.kinds import VM_POOL, VMI_REPLICA_SET
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.difference import (
    Amounts,
    Cause,
    ChangeType,
    CommitDifference,
    Danger,
    DataEffect,
    Difference,
    Effect,
    OverlayDifference,
    ResourceChange,
    Totals,
    changes_of,
)
from renderer.model.plural import listed, plural
from renderer.model.quantity import Quantity, QuantityFormat
from renderer.report.diff_words import EFFECTS, member_name, places, release_text, type_text
from renderer.report.plain_text import printable

#: The number of overlays that are named where the same is said of more.
_MOST_OVERLAYS = 5
#: The most characters of a name in the first line.
_LONGEST_NAME = 100
_MEBI, _GIBI = 1 << 20, 1 << 30
_ALWAYS = ("virtual machines", "vCPUs", "memory")
_AMOUNTS = {
    "virtual machines": lambda amounts: str(amounts.machines),
    "vCPUs": lambda amounts: str(amounts.vcpus),
    "memory": lambda amounts: bytes_text(amounts.memory),
    "huge pages": lambda amounts: bytes_text(amounts.hugepages),
    "GPUs": lambda amounts: str(amounts.gpus),
}
#: Effects that do not depend on what the virtual machine was started from.
_ANYHOW = frozenset(
    {
        *(Effect.NONE, Effect.NEXT_START, Effect.START, Effect.RECREATED),
        *(Effect.AT_RISK, Effect.MAY_DELETE, Effect.DELETED, Effect.REPLACED, Effect.REFUSED),
    }
)
#: The manifests that are named of those that were not compared.
_MOST_MANIFESTS = 3
#: The objects of a dump that ``Difference.others`` counts.
_NOT_COMPARED = (
    "of a kind or in a namespace that the overlays do not have, what deploys these, or made by controllers"
)
#: The words after a number of changes.
_PLURALS = {
    Effect.RESTART: "need a restart",
    Effect.PENDING: "count after a restart, which KubeVirt does not ask for",
    Effect.BLOCKED: "count after a restart, as the VMs cannot be live-migrated",
}
#: What the first line says of one machine, and of several.
_VERBS: Mapping[Effect, tuple[str, str]] = {
    Effect.LIVE: ("changes live", "change live"),
    Effect.HOT_PLUG: ("changes live", "change live"),
    Effect.NEXT_MIGRATION: ("changes with its next live migration", "change with their next live migration"),
    Effect.MIGRATION: ("is live-migrated", "are live-migrated"),
    Effect.PENDING: ("changes with its next restart", "change with their next restart"),
    Effect.BLOCKED: ("needs a restart", "need a restart"),
    Effect.START: ("is started", "are started"),
    Effect.STUCK: ("can no longer be changed", "can no longer be changed"),
    Effect.RESTART: ("needs a restart", "need a restart"),
    Effect.EVICTED: ("is evicted", "are evicted"),
    Effect.DISCONNECTED: ("is cut off from a network", "are cut off from a network"),
    Effect.STOP: ("is stopped", "are stopped"),
    Effect.RECREATED: ("is deleted and created again", "are deleted and created again"),
    Effect.NO_START: ("will not start again", "will not start again"),
    Effect.AT_RISK: ("may be deleted", "may be deleted"),
    Effect.MAY_DELETE: ("may delete objects", "may delete objects"),
    Effect.REPLACED: ("is replaced", "are replaced"),
    Effect.DELETED: ("is deleted", "are deleted"),
    Effect.REFUSED: ("", ""),
}
#: What the first line says of pools and replica sets, which stay while their machines do not.
_SET_VERBS: Mapping[Effect, tuple[str, str]] = {
    Effect.RESTART: ("restarts its machines", "restart their machines"),
    Effect.MAY_DELETE: ("may delete machines", "may delete machines"),
    Effect.REPLACED: ("replaces its machines", "replace their machines"),
    Effect.DELETED: ("deletes machines", "delete machines"),
}
#: What it says of objects that decide over machines, such as ``KubeVirt``.
_CONTROLLER_VERBS: Mapping[Effect, tuple[str, str]] = {
    Effect.MIGRATION: ("live-migrates machines", "live-migrate machines"),
    Effect.EVICTED: ("evicts machines", "evict machines"),
    Effect.DISCONNECTED: ("cuts machines off from a network", "cut machines off from a network"),
    Effect.STOP: ("cuts machines off or stops them", "cut machines off or stop them"),
    Effect.NO_START: ("keeps machines from starting", "keep machines from starting"),
}
_SETS = frozenset({VM_POOL, VMI_REPLICA_SET})
_DATA_VERBS: Mapping[DataEffect, tuple[str, str]] = {
    DataEffect.DETACHED: ("is without a data disk", "are without a data disk"),
    DataEffect.OTHER_DISK: ("has another data disk", "have another data disk"),
    DataEffect.OTHER_ROOT: ("boots from another disk", "boot from another disk"),
    DataEffect.UNDONE_RESTORE: ("loses what a restore brings back", "lose what restores bring back"),
    DataEffect.SHARED: ("writes to the disk of another machine", "write to disks of other machines"),
    DataEffect.LOST: ("loses data", "lose data"),
}
#: What a workload does that shares the disk of a machine.
_WRITES_TO_A_DISK = ("writes to the disk of a machine", "write to disks of machines")
_STILL_REFUSED = ("is refused, as before", "are refused, as before")
_SEES_ANOTHER_MACHINE = ("changes what its guest sees", "change what their guests see")
#: What stands before the dangers that no reader may miss.
_ALARMS = {Danger.REFUSED: "REFUSED: ", Danger.DATA: "DATA: ", Danger.NO_START: "NO START: "}


def verdict(difference: Difference) -> str:
    """Return the worst in one line: ``REFUSED: 2 objects; 3 machines need a restart``.

    What is applied without an interruption is mentioned only if there is nothing worse. Of the commits
    between the sides, it has what no reader may miss and the last state does not say of the same object.
    """
    lost = [printable(overlay.path, _LONGEST_NAME) for overlay in difference.overlays if overlay.incomparable]
    parts = [f"NOT COMPARED: {lost[0] if len(lost) == 1 else plural(len(lost), 'overlay')}"] if lost else []
    unknown = [each for each in difference.commits if any(overlay.incomparable for overlay in each.overlays)]
    parts += [f"NOT COMPARED: {plural(len(unknown), 'commit')}"] if unknown else []
    named: list[ResourceChange] = []  # what the part before is about
    by_danger = _by_danger(difference.overlays)
    at_commits = [_by_danger(commit.overlays) for commit in difference.commits]
    for danger in reversed(Danger):
        changes = by_danger.get(danger, [])
        if changes and danger is not Danger.NONE and (danger is not Danger.LIVE or not parts):
            about = named if danger not in _ALARMS else []
            parts.append(f"{_ALARMS.get(danger, '')}{', '.join(_deeds(changes, danger, about))}")
            named = changes if len(changes) == 1 else []
        if danger in _ALARMS:
            last = {each.id for each in changes}
            passing = {each.id: each for found in at_commits for each in found.get(danger, [])}
            between = [each for id_, each in passing.items() if id_ not in last]
            parts += [f"{_ALARMS[danger]}{', '.join(_deeds(between, danger))} in between"] if between else []
    if parts:
        return "; ".join(parts)
    if not any(difference.overlays):
        return "no differences"
    others = sum(not is_judged(change) for change in changes_of(difference.overlays))
    if others:
        verb = "is" if others == 1 else "are"
        return f"no running virtual machine changes; {plural(others, 'other object')} {verb} not judged"
    return "nothing that runs changes"


def _by_danger(overlays: Iterable[OverlayDifference]) -> Mapping[Danger, list[ResourceChange]]:
    """Return the changes by each danger for which the first line names them."""
    found: dict[Danger, list[ResourceChange]] = {}
    for overlay in overlays:
        for change in overlay.changes:
            for danger in _said_of(change):
                found.setdefault(danger, []).append(change)
    return found


def _said_of(change: ResourceChange) -> frozenset[Danger]:
    """Return the dangers for which the first line names a change: its worst effect, data, the guest.

    That the guest of another machine sees another machine needs no words.
    """
    worst = _worst_effect(change)
    milder = {effect.danger for effect in change.effects} - {worst, Danger.DATA, Danger.GUEST}
    return change.dangers - milder - ({Danger.GUEST} if worst is Danger.DATA else set())


def _worst_effect(change: ResourceChange) -> Danger:
    effects = (*change.effects, change.impact.effect) if change.impact else change.effects
    return max((each.danger for each in effects), key=lambda danger: danger.rank, default=Danger.NONE)


def _deeds(
    changes: Iterable[ResourceChange], danger: Danger, named: Sequence[ResourceChange] = ()
) -> Iterator[str]:
    """Yield what happens to the objects of one danger, the worst first: ``3 machines need a restart``.

    An object that was ``named`` right before is "it".
    """
    by_deed: dict[tuple[str, str], list[ResourceChange]] = {}
    for change in sorted(changes, key=lambda each: _severity(each, danger), reverse=True):
        by_deed.setdefault(_deed(change, danger), []).append(change)
    for (one, many), found in by_deed.items():
        if len(found) == 1:
            name = "it" if any(each is found[0] for each in named) else _object_name(found[0])
            yield f"{name} {one}".rstrip()
        else:
            yield f"{plural(len(found), _noun(found))} {many}".rstrip()


def _noun(changes: Iterable[ResourceChange]) -> str:
    kinds = {change.id.gvk.kind for change in changes}
    if kinds == {VM_POOL}:
        return "pool"
    return "machine" if kinds <= PATHS.keys() and not kinds & _SETS else "object"


def _deed(change: ResourceChange, danger: Danger) -> tuple[str, str]:
    """Return the words for what gives a change a danger, of one object and of several."""
    effect = _effect_with(change, danger)
    if effect is not None:
        kind = change.id.gvk.kind
        if kind not in PATHS and effect in _CONTROLLER_VERBS:
            return _CONTROLLER_VERBS[effect]
        is_kept_set = change.type is ChangeType.CHANGED and kind in _SETS
        return (is_kept_set and _SET_VERBS.get(effect)) or _VERBS[effect]
    if danger is Danger.STILL_REFUSED:
        return _STILL_REFUSED
    if danger is not Danger.DATA:
        return _SEES_ANOTHER_MACHINE
    is_workload = change.id.gvk.kind not in PATHS and change.data[0].effect is DataEffect.SHARED
    return _WRITES_TO_A_DISK if is_workload else _DATA_VERBS[change.data[0].effect]


def _effect_with(change: ResourceChange, danger: Danger) -> Effect | None:
    """Return the effect for which a change has a danger; None if disks or the guest are the reason."""
    effects = (change.impact.effect, *change.effects) if change.impact else change.effects
    return next((effect for effect in effects if effect.danger is danger), None)


def _severity(change: ResourceChange, danger: Danger) -> int:
    effect = _effect_with(change, danger)
    return -1 if effect is None else effect.severity


def _object_name(change: ResourceChange) -> str:
    name, kind = member_name(change), change.id.gvk.kind
    return printable(name if kind == "VirtualMachine" else f"{kind} {name}", _LONGEST_NAME)


class SourceChange(NamedTuple):
    """A place in the sources that changed, and the changes that it makes, the worst first.

    ``others`` are more places in the same file that make the same changes.
    """

    cause: Cause
    members: tuple[Member, ...]
    others: tuple[Cause, ...] = ()

    def __str__(self) -> str:
        """``base/vm.yaml:12, 14 change 30 machines in 30 overlays: 30 need a restart``."""
        changes = [member.change for member in self.members]
        machines = sum(change.id.gvk.kind in PATHS for change in changes)
        others = len(changes) - machines
        counts = [plural(machines, "machine")] if machines else []
        counts += [plural(others, "other object" if machines else "object")] if others else []
        overlays = plural(len({member.overlay.path for member in self.members}), "overlay")
        effects = ", ".join(counted_effects(_effects(changes)))
        where = ", ".join(places((self.cause, *self.others)))
        text = f"{where} {'change' if self.others else 'changes'} {' and '.join(counts)} in {overlays}"
        return printable(f"{text}: {effects}" if effects else text)


def source_changes(groups: Iterable[Group]) -> list[SourceChange]:
    """Return the places in the sources that changed, in the order of the worst that they do."""
    found: dict[Cause, dict[int, Member]] = {}
    for group in groups:
        for member in group.members:
            for cause in member.change.causes:
                found.setdefault(cause, {})[id(member.change)] = member
    return [SourceChange(cause, tuple(members.values())) for cause, members in found.items()]


def shared_sources(groups: Iterable[Group]) -> list[SourceChange]:
    """Return the places that change several objects; places of a file that change the same are together."""
    found: dict[tuple[str, frozenset[int]], SourceChange] = {}
    for each in source_changes(groups):
        key = each.cause.path, frozenset(id(member.change) for member in each.members)
        known = found.get(key)
        found[key] = known._replace(others=(*known.others, each.cause)) if known else each
    shared: list[SourceChange] = []
    for each in found.values():
        if len(each.members) > 1:
            first, *others = sorted((each.cause, *each.others), key=lambda cause: cause.line)
            shared.append(each._replace(cause=first, others=tuple(others)))
    return shared


class Row(NamedTuple):
    """An amount on both sides, in words; empty if a side does not have the overlay."""

    name: str
    before: str
    after: str

    @property
    def differs(self) -> bool:
        return self.before != self.after

    def __str__(self) -> str:
        """``vCPUs 4 -> 8``."""
        return f"{self.name} {self.before or 'none'} -> {self.after or 'none'}"


def total_rows(overlays: Sequence[OverlayDifference]) -> list[Row]:
    """Return the amounts of the virtual machines of some overlays together; empty without machines."""
    sides = [_sum(overlay.totals[side] for overlay in overlays) for side in (0, 1)]
    if not any(totals and (totals.running.machines or totals.halted.machines) for totals in sides):
        return []
    rows = [Row(name, *(_amount_text(totals, name) for totals in sides)) for name in _AMOUNTS]
    return [row for row in rows if row.name in _ALWAYS or {row.before, row.after} - {"", "0"}]


def _sum(totals: Iterable[Totals | None]) -> Totals | None:
    """Return the sum; None if no overlay is on this side."""
    known = [each for each in totals if each is not None]
    if not known:
        return None
    running, halted = ((each.running for each in known), (each.halted for each in known))
    return Totals(reduce(Amounts.plus, running), reduce(Amounts.plus, halted))


def _amount_text(totals: Totals | None, name: str) -> str:
    if totals is None:
        return ""
    running, halted = (_AMOUNTS[name](amounts) for amounts in totals)
    return running if halted == "0" else f"{running} (and {halted} halted)"


def bytes_text(count: int) -> str:
    """Return ``16Gi``, ``1536Mi`` if that is whole, and otherwise a rounded amount: ``29.8Gi``."""
    if count % _MEBI == 0:
        return Quantity.of_integer(count, QuantityFormat.BINARY_SI).canonical
    unit, suffix = (_GIBI, "Gi") if count >= _GIBI else (_MEBI, "Mi")
    return f"{count / unit:.2f}".rstrip("0").rstrip(".") + suffix


class OverlayNews(NamedTuple):
    """What is said of overlays as a whole; ``overlays`` are all of which the same is said."""

    overlays: tuple[OverlayDifference, ...]
    rows: tuple[Row, ...]

    @property
    def first(self) -> OverlayDifference:
        return self.overlays[0]

    def __str__(self) -> str:
        """``overlays/prod (KubeVirt 1.9)``, or ``overlays/a, overlays/b and 28 more (KubeVirt 1.9)``."""
        paths = [printable(overlay.path) for overlay in self.overlays]
        return f"{listed(paths, _MOST_OVERLAYS)} ({release_text(self.first)})"


def overlay_news(overlays: Sequence[OverlayDifference]) -> list[OverlayNews]:
    """Return what is said of overlays as a whole; totals are left out if there is only one overlay."""
    found: dict[object, list[OverlayDifference]] = {}
    for overlay in overlays:
        if overlay or overlay.ignored or overlay.notes:
            facts = release_text(overlay), overlay.incomparable, overlay.ignored, overlay.notes
            found.setdefault((*facts, overlay.equal, _totals_of(overlay, overlays)), []).append(overlay)
    return [OverlayNews(tuple(alike), _totals_of(alike[0], overlays)) for alike in found.values()]


def _totals_of(overlay: OverlayDifference, overlays: Sequence[OverlayDifference]) -> tuple[Row, ...]:
    return tuple(row for row in total_rows([overlay]) if row.differs) if len(overlays) > 1 else ()


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


def dangers_of(changes: Iterable[ResourceChange]) -> Mapping[Danger, int]:
    """Return the number of objects with each danger, the worst first."""
    counts = Counter(change.danger for change in changes)
    return {danger: counts[danger] for danger in reversed(Danger) if counts[danger]}


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
    """Yield the changes, their effects on virtual machines and others, and the assumptions, a line each."""
    changes = changes_of(difference.overlays)
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
    yield from map(printable, difference.assumptions if difference else ())
    if names := difference.not_compared:
        verb, them = ("is", "it") if len(names) == 1 else ("are", "them")
        manifests = f"{plural(len(names), 'changed manifest')} {verb} not compared"
        reason = f"nothing here deploys {them}, or what does cannot be built"
        yield f"{manifests}, as {reason}: {printable(listed(names, _MOST_MANIFESTS))}"
    if places := difference.not_rendered:
        inputs = f"{plural(len(places), 'changed input')} of Helm, jsonnet or a plugin"
        verb = "is" if len(places) == 1 else "are"
        yield f"{inputs} {verb} not compared: {printable(listed(places, _MOST_MANIFESTS))}"
    if objects := difference.changed_elsewhere:
        verb = "does" if len(objects) == 1 else "do"
        number = f"{plural(len(objects), 'changed object')} outside of the overlays {verb} no known harm"
        yield f"{number}: {printable(listed([*map(str, objects)], _MOST_MANIFESTS))}"
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
    changes = changes_of(commit.overlays)
    verdict = list(counted_effects(effects_of(changes)))
    others = {each: count for each, count in effects_on_others(changes).items() if each.danger in _ALARMS}
    verdict += [f"{text} of other objects" for text in counted_effects(others)]
    lost = sum(bool(overlay.incomparable) for overlay in commit.overlays)
    verdict += [f"{plural(lost, 'overlay')} not compared"] if lost else []
    return ", ".join(verdict) or "nothing happens to virtual machines"


def overlays_text(difference: Difference) -> str:
    """Return the number of overlays on either side, as ``2 overlays``."""
    return plural(sum(any(overlay.releases) for overlay in difference.overlays), "overlay")
