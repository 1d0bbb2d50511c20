"""The objects of one cluster, by what they are, and which of its virtual machines run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

from renderer.kubevirt.kinds import KUBEVIRT, VMI
from renderer.model.json import EMPTY, JsonObject, object_at, text_at
from renderer.model.resource import Resource

#: API group, kind, namespace and name. The version does not count: the API server converts.
Key: TypeAlias = tuple[str, str, str, str]

#: ``printableStatus`` of a VirtualMachine that has no instance.
_WITHOUT_INSTANCE = frozenset(
    {
        "DataVolumeError",
        "ErrorPvcNotFound",
        "Provisioning",
        "Stopped",
        "WaitingForVolumeBinding",
    }
)
_OVER = ("Failed", "Succeeded")


def key_of(resource: Resource) -> Key:
    """Return the identity of an object in a cluster."""
    return resource.gvk.group, resource.kind, resource.namespace, resource.name


class ClusterObjects:
    """The objects that a dump has. Of two with one identity the first counts."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.resources = tuple(resources)
        self._found: dict[Key, Resource] = {}
        self._named: dict[Key, list[Resource]] = {}
        for each in self.resources:
            if self._found.setdefault(key_of(each), each) is each:
                group, kind, _, name = key_of(each)
                self._named.setdefault((group, kind, "", name), []).append(each)

    def find(self, written: Resource) -> Resource | None:
        """Return the object of the cluster that an object of Git is.

        One that Git has without a namespace is known by its name, if no other namespace has one so called.
        """
        found = self._found.get(key_of(written))
        if found is not None or written.namespace:
            return found
        named = self._named.get(key_of(written), [])
        return named[0] if len(named) == 1 else None

    @cached_property
    def kubevirt(self) -> JsonObject:
        """The cluster's KubeVirt object; empty where the dump has none."""
        found = (each.content for each in self.resources if each.kind == KUBEVIRT)
        return next((each for each in found if text_at(each, "apiVersion").startswith("kubevirt.io/")), EMPTY)

    def runs(self, vm: Resource) -> bool | None:
        """Tell whether a VirtualMachine has an instance; None where the dump does not say."""
        phase = self._phases.get((vm.namespace, vm.name))
        if phase is not None:
            return phase not in _OVER
        status = object_at(vm.content, "status")
        printable = text_at(status, "printableStatus")
        if printable:
            return printable not in _WITHOUT_INSTANCE
        return status.get("created") is True if status else None

    @cached_property
    def _phases(self) -> Mapping[tuple[str, str], str]:
        instances = (each for each in self.resources if each.kind == VMI)
        return {
            (each.namespace, each.name): text_at(object_at(each.content, "status"), "phase")
            for each in instances
        }
