"""A virtual machine as both sides are compared: its parts, by the way to them in the resource."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, object_at
from renderer.model.resource import Resource

_GROUPS = ("kubevirt.io", "pool.kubevirt.io")
_HALTED = "Halted"


class _Way(NamedTuple):
    """From the resource to the spec of its VirtualMachine, if it has one, and to that of the instance."""

    machine: tuple[str, ...]
    instance: tuple[str, ...]


_WAYS: Mapping[str, _Way] = {
    "VirtualMachine": _Way(("spec",), ("spec", "template", "spec")),
    "VirtualMachinePool": _Way(
        ("spec", "virtualMachineTemplate", "spec"),
        ("spec", "virtualMachineTemplate", "spec", "template", "spec"),
    ),
    "VirtualMachineInstance": _Way((), ("spec",)),
    "VirtualMachineInstanceReplicaSet": _Way((), ("spec", "template", "spec")),
}


class Machine(NamedTuple):
    """``spec`` is the VirtualMachine's, empty for an instance; ``instance`` the spec of what runs."""

    kind: str
    content: JsonObject
    spec: JsonObject
    instance: JsonObject
    spec_path: FieldPath
    instance_path: FieldPath

    @classmethod
    def of(cls, resource: Resource) -> Machine | None:
        """None for a resource of any other kind."""
        way = _WAYS.get(resource.kind)
        if way is None or resource.gvk.group not in _GROUPS:
            return None
        content = resource.content
        return cls(
            kind=resource.kind,
            content=content,
            spec=object_at(content, *way.machine) if way.machine else EMPTY,
            instance=object_at(content, *way.instance),
            spec_path=FieldPath(way.machine),
            instance_path=FieldPath(way.instance),
        )

    @property
    def domain(self) -> JsonObject:
        return object_at(self.instance, "domain")

    @property
    def devices(self) -> JsonObject:
        return object_at(self.domain, "devices")

    @property
    def run_strategy(self) -> str:
        """``Always``, ``Halted`` …; instances run, and so does what says nothing of it."""
        strategy, running = self.spec.get("runStrategy"), self.spec.get("running")
        if isinstance(strategy, str) and strategy:
            return strategy
        return _HALTED if running is False else "Always"

    @property
    def is_halted(self) -> bool:
        return self.run_strategy == _HALTED

    @property
    def replicas(self) -> int:
        """How many of it there are to be."""
        if self.kind in ("VirtualMachine", "VirtualMachineInstance"):
            return 1
        said = object_at(self.content, "spec").get("replicas")
        return said if isinstance(said, int) and not isinstance(said, bool) else 1


def named(elements: Json, name: str) -> JsonObject:
    """The element of a list with that name; an empty one when there is none."""
    found = (object_at(element) for element in elements) if isinstance(elements, list) else ()
    return next((element for element in found if element.get("name") == name), EMPTY)
