"""What the cluster loses when objects are removed from Git, and what it keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from renderer.diff.sides import Sides
from renderer.kubevirt.facts.kinds import CLAIM, DATA_VOLUME
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.lost_objects import lost_with
from renderer.kubevirt.impact.orders import order_of
from renderer.kubevirt.impact.other_operators import removal_impact
from renderer.kubevirt.impact.volume_migration import claim_of
from renderer.model.difference import DataChange, DataEffect, Effect, Impact
from renderer.model.kube.json import array_at, object_at, text_at
from renderer.model.kube.resource import Resource


def disks_of(resource: Resource) -> Mapping[str, bool]:
    """Return the DataVolumes and claims of a VM by name; True if the VM creates, and so owns, them."""
    view = VirtualMachineView.of(resource)
    if view is None:
        return {}
    volumes = (claim_of(object_at(each)) for each in array_at(view.instance, "volumes"))
    created = (text_at(each, "metadata", "name") for each in array_at(view.spec, "dataVolumeTemplates"))
    return dict.fromkeys(filter(None, volumes), False) | dict.fromkeys(filter(None, created), True)


class Risk(NamedTuple):
    """Texts for messages: the ``goods`` that are deleted with an object, and what follows that."""

    goods: str
    consequence: str = ""


class Deletions:
    """The deletions that a change of one overlay causes."""

    def __init__(self, sides: Sides) -> None:
        self._sides = sides
        self._before = sides.before
        self._after = sides.after

    def retention(self, removed: Resource) -> str:
        """Return why nothing deletes an object that Git no longer has; empty if its owner may do so.

        The engine is asked as it was and, if the owner is still there, as it is.
        """
        before, after = self._before.engine, self._after.engine
        reason = before.retention(removed, is_gone=not self._has_same_owner) if before else ""
        if not reason or not self._has_same_owner or after is None:
            return reason
        return reason if after.retention(removed, is_gone=False) else ""

    @property
    def _has_same_owner(self) -> bool:
        return self._after.owner == self._before.owner

    def impact(self, deleted: Resource) -> Impact | None:
        """Return the impact of deleting an object that deploys or makes others; None without one."""
        engine = self._before.engine
        return (engine.removal(deleted) if engine else None) or removal_impact(deleted)

    def at_risk(self, resource: Resource) -> Risk | None:
        """Return the risk of an object that an engine deletes and creates again; None without one."""
        if VirtualMachineView.of(resource) is not None:
            return Risk("the disks that it owns")
        if any(each.effect is DataEffect.LOST for each in self.lost_with(resource)):
            return Risk("its data")
        if order_of(resource, self._after.release) is not None:
            return Risk("", "; what is created again is carried out again")
        impact = self.impact(resource)
        if impact is not None and impact.effect is Effect.MAY_DELETE:
            return Risk("what it has made")
        return None

    def lost_with(self, deleted: Resource) -> tuple[DataChange, ...]:
        """Return the data that is lost when the cluster deletes an object."""
        if VirtualMachineView.of(deleted) is None:
            users = self._users_of_claims.get((deleted.namespace, deleted.name), ())
            return lost_with(deleted, self._sides.outlook.storage[0], tuple(users))
        applied = self._before.applied.get(deleted.current_id, deleted)
        return self._sides.outlook.of_deletion(deleted, applied)

    def lost_by_removal(self, removed: Resource) -> tuple[DataChange, ...]:
        """Return the data that is lost when an object is removed from Git; none if nothing deletes it.

        It does not have the disks that leave Git as well: their own changes say what becomes of them.
        """
        if self.retention(removed):
            return ()
        return self.without_leaving_disks(removed, self.lost_with(removed))

    def without_leaving_disks(self, removed: Resource, data: Sequence[DataChange]) -> tuple[DataChange, ...]:
        """Return ``data`` without the disks that the removal leaves alone, but that leave Git themselves."""
        leaving = self._leaving_disks.get(removed.namespace, frozenset())
        return tuple(
            each
            for each in data
            if each.effect is not DataEffect.KEPT or each.before.partition(" (")[0] not in leaving
        )

    @cached_property
    def _leaving_disks(self) -> Mapping[str, AbstractSet[str]]:
        """The claims and DataVolumes that leave Git and the cluster, as texts name them, by namespace."""
        kept = {each.current_id for each in self._after.written}
        found: dict[str, set[str]] = {}
        for each in self._before.written:
            if each.kind in (CLAIM, DATA_VOLUME) and each.current_id not in kept and not self.retention(each):
                names = (f"{kind} {each.name}" for kind in ("claim", DATA_VOLUME))
                found.setdefault(each.namespace, set()).update(names)
        return found

    @cached_property
    def _users_of_claims(self) -> Mapping[tuple[str, str], Sequence[str]]:
        """The machines that need a claim or DataVolume after the change, by its namespace and name."""
        found: dict[tuple[str, str], list[str]] = {}
        for resource in self._after.written:
            for name in disks_of(resource):
                found.setdefault((resource.namespace, name), []).append(f"{resource.kind} {resource.name}")
        return found
