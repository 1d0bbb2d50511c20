"""The update of one virtual machine, as the judges of its fields look at it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from renderer.diff.impact.cluster import Cluster, Gate
from renderer.diff.machine import Machine
from renderer.model.difference import Effect, FieldChange
from renderer.model.field_path import ElementName
from renderer.model.json import JsonObject, object_at
from renderer.model.release import Release

_CHOSEN_BY_CLUSTER = Release(1, 2)
_CPU_ONLY = Release(1, 0)


class Update(NamedTuple):
    """Both states with their instance types and preferences applied, and the cluster that sees the change.

    ``written_before`` and ``written_after`` are the VirtualMachine's spec as it stands in the manifests.
    """

    before: Machine
    after: Machine
    cluster: Cluster
    written_before: JsonObject
    written_after: JsonObject

    def updates_live(self, feature: str) -> bool:
        """Whether changes of ``cpu``, ``memory`` or ``affinity`` reach the VM while it runs.

        Before 1.2 each VM chose that for itself, under ``spec.liveUpdateFeatures``.
        """
        release = self.cluster.release
        if release >= _CHOSEN_BY_CLUSTER:
            return self.cluster.updates_live
        if release == _CPU_ONLY and feature != "cpu":
            return False
        chosen = object_at(self.after.spec, "liveUpdateFeatures").get(feature) is not None
        return chosen and self.cluster.has_on(Gate.VM_LIVE_UPDATE_FEATURES)


class Verdict(NamedTuple):
    """The effect of one field's change while the VM runs, and why it is that one."""

    effect: Effect
    reason: str


#: Judges a change of a field of the group that it stands for in the table.
Judge: TypeAlias = Callable[[Update, FieldChange], Verdict]


def restart(reason: str) -> Verdict:
    return Verdict(Effect.RESTART, reason)


def staged(update: Update) -> Verdict:
    """Where nothing reaches a VM that runs."""
    if update.cluster.release < _CHOSEN_BY_CLUSTER:
        return restart("it is not among the VM's liveUpdateFeatures, or the cluster has these off")
    return restart("the cluster stages changes until a restart (vmRolloutStrategy)")


def element_of(change: FieldChange, list_field: str) -> str:
    """The name of the element of a list, such as ``disks``, that a change is in; empty when in none."""
    segments = change.field.segments
    for place, segment in pairwise(segments):
        if place == list_field and isinstance(segment, ElementName):
            return segment.value
    return ""
