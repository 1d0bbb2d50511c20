"""Effects of a sync on the machines of a cluster, by way of other objects, for ``diff --live``.

A dump is of one cluster, so each machine, Service, policy, quota and claim in it counts, whatever overlay has
it, or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from renderer.adopt.live.cluster_objects import ClusterObjects
from renderer.diff.masking import without_secret_words
from renderer.diff.missing import Makers, removed_objects, with_missing_objects
from renderer.diff.network_policies import with_cut_connections
from renderer.diff.quotas import (
    LauncherPods,
    impact_of_limits,
    limited_namespaces,
    limits_pods,
    may_keep_from_starting,
    running_pods,
)
from renderer.diff.reads import ChangedObject, ChangedObjects, ObjectName, changed_objects, with_readers
from renderer.diff.services import (
    Served,
    judged_by_labels,
    judged_by_services,
    may_leave_services,
    may_lose_machines,
)
from renderer.diff.shared_claims import with_shared_claims
from renderer.diff.shared_identities import with_shared_identities
from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import ChangeType, Effect, OverlayDifference, ResourceChange
from renderer.model.kube.owners import controller_of
from renderer.model.kube.res_id import ObjectKey, ResId
from renderer.model.kube.resource import Resource
from renderer.model.masking import Masking


class SyncedOverlay(NamedTuple):
    """An overlay, its manifests, and the objects of the cluster that a sync changes, as they are after it."""

    difference: OverlayDifference
    written: Sequence[Resource]
    synced: Sequence[Resource]


class _OfOthers(Mapping[ObjectName, ChangedObject]):
    """The changed objects of ``every`` overlay without its ``own`` ones, which are among them."""

    def __init__(self, every: ChangedObjects, own: ChangedObjects) -> None:
        self._every, self._own = every, own

    def __getitem__(self, name: ObjectName) -> ChangedObject:
        if name in self._own:
            raise KeyError(name)
        return self._every[name]

    def __iter__(self) -> Iterator[ObjectName]:
        return (name for name in self._every if name not in self._own)

    def __len__(self) -> int:
        return len(self._every) - len(self._own)


def with_whole_cluster(overlays: Sequence[SyncedOverlay], objects: ClusterObjects) -> list[OverlayDifference]:
    """Return the differences of the overlays, with what their objects do to machines of the cluster."""
    overlays = _with_readers(overlays, objects)
    changes = [change for each in overlays for change in each.difference.changes]
    if not changes:
        return [each.difference for each in overlays]
    before = [each for each in objects.resources if _counts(each, objects)]
    after = [*_after(overlays, before)]
    known = [_as_in_cluster(each) for each in changes]
    found = known
    if any(may_lose_machines(each) or may_leave_services(each) for each in known):
        served = Served(before), Served(after)
        found = judged_by_labels(judged_by_services(known, *served), *served)
    found = with_shared_claims(with_cut_connections(found, before, after), before, after)
    found = with_shared_identities(_by_quotas(found, before, after), before, after)
    secrets = Masking(objects.secret_values if found != known else ())
    judged = iter(
        change if each == other else without_secret_words(each._replace(after=change.after), secrets)
        for change, other, each in zip(changes, known, found, strict=True)
    )
    return [
        each.difference._replace(changes=tuple(islice(judged, len(each.difference.changes))))
        for each in overlays
    ]


def _with_readers(overlays: Sequence[SyncedOverlay], objects: ClusterObjects) -> list[SyncedOverlay]:
    """Return the overlays, with machines that read or need what other overlays change or remove."""
    changed = [changed_objects(each.difference.changes, each.difference.path) for each in overlays]
    removed = [removed_objects(each.difference.changes, each.difference.path) for each in overlays]
    if not any((*changed, *removed)):
        return [*overlays]
    makers = Makers(one for each in overlays for one in each.written)
    every = [{name: one for each in found for name, one in each.items()} for found in (changed, removed)]

    def runs(machine: VirtualMachineView) -> bool:
        live = objects.find(machine.resource)
        found = objects.runs(live) if live is not None and live.kind == VM else None
        return not machine.is_halted if found is None else found

    def with_others(each: SyncedOverlay, own: ChangedObjects, gone: ChangedObjects) -> SyncedOverlay:
        difference, release = each.difference, each.difference.releases[1]
        if release is None:
            return each
        others = _OfOthers(every[0], own), _OfOthers(every[1], gone)
        if not any(others):
            return each
        changes = with_readers(difference.changes, each.written, release, runs, others[0])
        changes = with_missing_objects(changes, each.written, makers.may_make, release, others[1])
        return each._replace(difference=difference.with_changes(changes))

    return [with_others(*each) for each in zip(overlays, changed, removed, strict=True)]


def _counts(resource: Resource, objects: ClusterObjects) -> bool:
    """Return False for what another machine or pool made, and for a machine that does not run."""
    if VirtualMachineView.of(resource) is None:
        return True
    if controller_of(resource.content) is not None:
        return False
    return resource.kind != VM or objects.runs(resource) is not False


def _after(overlays: Iterable[SyncedOverlay], before: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the objects of the cluster after the syncs."""
    gone: set[ObjectKey] = set()
    synced: dict[ObjectKey, Resource] = {}
    for each in overlays:
        refused = {change.before for change in each.difference.changes if change.is_refused}
        synced |= {one.object_key: one for one in each.synced if one.current_id not in refused}
        added: set[ObjectKey] = set()
        for change in each.difference.changes:
            stays = change.impact is not None and change.impact.effect in (Effect.NONE, Effect.REFUSED)
            if change.type is ChangeType.REMOVED and not stays:
                gone.add(change.id.object_key)
            elif change.type is ChangeType.ADDED and not change.is_refused:
                added.add(change.id.object_key)
        yield from (one for one in each.written if one.object_key in added)
    for one in before:
        if (key := one.object_key) not in gone:
            yield synced.get(key, one)


def _as_in_cluster(change: ResourceChange) -> ResourceChange:
    """Return a change with the id that the object has in the cluster; Git may leave out its namespace."""
    is_both = change.type is ChangeType.CHANGED and change.before is not None
    return change._replace(after=change.before) if is_both else change


def _by_quotas(
    changes: Sequence[ResourceChange], before: Iterable[Resource], after: Iterable[Resource]
) -> list[ResourceChange]:
    """Return the changes, with the quotas that keep machines from starting again."""
    if not any(map(may_keep_from_starting, changes)):
        return [*changes]
    old, new = ({one.object_key: one for one in each if limits_pods(one)} for each in (before, after))
    pods: dict[str, dict[ResId, LauncherPods]] = {}
    for each in after:
        if found := running_pods(each):
            pods.setdefault(each.namespace, {})[each.current_id] = found

    def judged(change: ResourceChange) -> ResourceChange:
        key = change.id.object_key
        if key not in new or not may_keep_from_starting(change):
            return change
        limited = limited_namespaces(new[key], new.values())
        own = {id_: each for namespace in limited for id_, each in pods.get(namespace, {}).items()}
        return change.with_impact(impact_of_limits(old.get(key), new[key], own, new.values()))

    return [*map(judged, changes)]
