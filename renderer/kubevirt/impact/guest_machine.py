"""The machine that virt-launcher would show to a guest."""

from __future__ import annotations

from typing import NamedTuple

from renderer.kubevirt.facts.firmware_uuid import AT_RANDOM, FROM_NAME, uuid_of_name
from renderer.model.kube.json import EMPTY, JsonObject, object_at


class GuestMachine(NamedTuple):
    """``metadata`` and ``spec`` of an instance, its name, and the ``KubeVirt`` object of its cluster."""

    name: str
    namespace: str
    metadata: JsonObject
    spec: JsonObject
    kubevirt: JsonObject = EMPTY

    @classmethod
    def of(cls, name: str, namespace: str, instance: JsonObject, kubevirt: JsonObject) -> GuestMachine:
        return cls(name, namespace, object_at(instance, "metadata"), object_at(instance, "spec"), kubevirt)

    def domain(self, *path: str) -> JsonObject:
        """Return an object below ``spec.domain``; empty if there is none."""
        return object_at(self.spec, "domain", *path)

    def chosen(self, value: str) -> str:
        """Return a value; of one that KubeVirt chooses at random for each machine, whose it is."""
        if value == AT_RANDOM:
            return f"one chosen for {self.namespace}/{self.name}"
        return uuid_of_name(self.name) if value == FROM_NAME else value
