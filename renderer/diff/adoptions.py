"""Replica sets that adopt instances which no controller owns, and delete those beyond their ``replicas``.

KubeVirt ``pkg/virt-controller/watch/replicaset/replicaset.go`` ``execute`` and ``scale``,
``pkg/controller/controller_ref_manager.go`` ``ClaimObject``. A VirtualMachinePool only releases machines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from renderer.kubevirt.facts.kinds import VMI, VMI_REPLICA_SET
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Effect, Impact, ResourceChange
from renderer.model.kube.json import object_at
from renderer.model.kube.label_selector import SelectorError, read_selector, selects
from renderer.model.kube.owners import controller_of
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.plural import listed
from renderer.model.run.work import spend

_SOURCE = "pkg/virt-controller/watch/replicaset/replicaset.go scale"
_MOST_NAMES = 5


class Adoptions:
    """The replica sets of all overlays on both sides, and the instances that stay and that nothing owns."""

    def __init__(self) -> None:
        self._sets: tuple[dict[tuple[str, ResId], Resource], ...] = {}, {}
        #: The instances by namespace, each with the path of its overlay.
        self._orphans: dict[str, list[tuple[str, Resource]]] = {}

    def add(self, path: str, before: Sequence[Resource], after: Sequence[Resource]) -> None:
        """Add an overlay."""
        for side, sets in zip((before, after), self._sets, strict=True):
            sets |= {(path, each.current_id): each for each in side if each.kind == VMI_REPLICA_SET}
        staying = {each.current_id for each in before if each.kind == VMI}
        for each in after if staying else ():
            if each.current_id in staying and controller_of(each.content) is None:
                self._orphans.setdefault(each.namespace, []).append((path, each))

    def judged(self, change: ResourceChange, path: str, share: Callable[[str, str], bool]) -> ResourceChange:
        """Return the change of a replica set, with what it does to instances of its cluster.

        ``share`` says if two overlays are of one cluster.
        """
        before, after = (sets.get((path, change.id)) for sets in self._sets)
        machines = VirtualMachineView.of(after) if after else None
        if after is None or machines is None or change.is_refused or _is_paused(after):
            return change
        near = [each for other, each in self._orphans.get(after.namespace, ()) if share(path, other)]
        spend(len(near), "looking for instances that replica sets adopt")
        had = before if before and not _is_paused(before) else None
        adopted = [each for each in near if _selects(after, each) and not (had and _selects(had, each))]
        former = VirtualMachineView.of(had) if had else None
        excess = len(adopted) + (former.replicas if former else 0) - machines.replicas
        if not adopted or excess <= 0:
            return change
        names = listed([f"{each.kind} {each.name}" for each in adopted], _MOST_NAMES)
        reason = f"it adopts {names}, and deletes instances beyond its {machines.replicas} replicas"
        return change.worsened([Impact(Effect.MAY_DELETE, reason, _SOURCE)])


def _is_paused(replica_set: Resource) -> bool:
    return object_at(replica_set.content, "spec").get("paused") is True


def _selects(replica_set: Resource, instance: Resource) -> bool:
    """Return True if a set has a selector by which KubeVirt adopts an instance for it."""
    spec = object_at(replica_set.content, "spec")
    try:
        requirements = read_selector(spec.get("selector"))
    except SelectorError:  # the cluster refuses it
        return False
    labels = object_at(spec, "template", "metadata", "labels")
    has_labels = bool(labels) and spec.get("selector") is not None
    return has_labels and selects(requirements, labels) and selects(requirements, instance.labels)
