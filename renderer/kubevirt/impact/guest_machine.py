"""The machine that virt-launcher would show to a guest."""

from __future__ import annotations

from typing import NamedTuple

from renderer.kubevirt.facts.firmware_uuid import AT_RANDOM, FROM_NAME, uuid_of_name
from renderer.kubevirt.facts.machine_types import hypervisor
from renderer.model.kube.json import EMPTY, JsonObject, object_at
from renderer.model.kube.res_id import namespaced_name
from renderer.model.release import Release


class GuestCluster(NamedTuple):
    """The hypervisor that starts a machine, and its ``KubeVirt`` object, both empty if not known."""

    hypervisor: str = ""
    kubevirt: JsonObject = EMPTY

    @classmethod
    def of(cls, release: Release, kubevirt: JsonObject) -> GuestCluster:
        """Return the cluster with a release of KubeVirt."""
        return cls(hypervisor(release), kubevirt)


class GuestMachine(NamedTuple):
    """``metadata`` and ``spec`` of an instance, its name, and the cluster that starts it."""

    name: str
    namespace: str
    metadata: JsonObject
    spec: JsonObject
    cluster: GuestCluster = GuestCluster()

    @classmethod
    def of(cls, name: str, namespace: str, instance: JsonObject, cluster: GuestCluster) -> GuestMachine:
        return cls(name, namespace, object_at(instance, "metadata"), object_at(instance, "spec"), cluster)

    @property
    def qualified_name(self) -> str:
        """``prod/db``, or ``db`` without a namespace."""
        return namespaced_name(self.namespace, self.name)

    def domain(self, *path: str) -> JsonObject:
        """Return an object below ``spec.domain``; empty if there is none."""
        return object_at(self.spec, "domain", *path)

    def chosen(self, value: str) -> str:
        """Return a value; of one that KubeVirt chooses at random for each machine, whose it is."""
        if value == AT_RANDOM:
            return f"one chosen for {self.qualified_name}"
        return uuid_of_name(self.name) if value == FROM_NAME else value
