"""The parts of the four kinds that hold a virtual machine, by the path to them in the resource."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, object_at
from renderer.model.resource import Resource

_GROUPS = ("kubevirt.io", "pool.kubevirt.io")


class RunStrategy(StrEnum):
    """When virt-controller keeps an instance of a VirtualMachine."""

    ALWAYS = "Always"
    RERUN_ON_FAILURE = "RerunOnFailure"
    MANUAL = "Manual"
    HALTED = "Halted"
    ONCE = "Once"
    WAIT_AS_RECEIVER = "WaitAsReceiver"


class _Paths(NamedTuple):
    """The paths to the spec of the VirtualMachine, if there is one, and to that of the instance."""

    vm: tuple[str, ...]
    instance: tuple[str, ...]


_PATHS: Mapping[str, _Paths] = {
    "VirtualMachine": _Paths(("spec",), ("spec", "template", "spec")),
    "VirtualMachinePool": _Paths(
        ("spec", "virtualMachineTemplate", "spec"),
        ("spec", "virtualMachineTemplate", "spec", "template", "spec"),
    ),
    "VirtualMachineInstance": _Paths((), ("spec",)),
    "VirtualMachineInstanceReplicaSet": _Paths((), ("spec", "template", "spec")),
}


class VirtualMachineView(NamedTuple):
    """``spec`` is the VirtualMachine's, empty for an instance; ``instance`` the spec of what runs."""

    kind: str
    content: JsonObject
    spec: JsonObject
    instance: JsonObject
    spec_path: FieldPath
    instance_path: FieldPath

    @classmethod
    def of(cls, resource: Resource) -> VirtualMachineView | None:
        """Return the view of ``resource``; None for a resource of any other kind."""
        paths = _PATHS.get(resource.kind)
        if paths is None or resource.gvk.group not in _GROUPS:
            return None
        content = resource.content
        return cls(
            kind=resource.kind,
            content=content,
            spec=object_at(content, *paths.vm) if paths.vm else EMPTY,
            instance=object_at(content, *paths.instance),
            spec_path=FieldPath(paths.vm),
            instance_path=FieldPath(paths.instance),
        )

    @property
    def domain(self) -> JsonObject:
        return object_at(self.instance, "domain")

    @property
    def devices(self) -> JsonObject:
        return object_at(self.domain, "devices")

    @property
    def run_strategy(self) -> str:
        """The run strategy, read from ``running`` where that is used; ``Always`` for what says nothing."""
        return run_strategy_of(self.spec)

    @property
    def is_halted(self) -> bool:
        return self.run_strategy == RunStrategy.HALTED

    @property
    def replicas(self) -> int:
        """The number of machines that the object asks for."""
        if self.kind in ("VirtualMachine", "VirtualMachineInstance"):
            return 1
        said = object_at(self.content, "spec").get("replicas")
        return said if isinstance(said, int) and not isinstance(said, bool) else 1


def run_strategy_of(vm_spec: JsonObject) -> str:
    """Return the run strategy of a VirtualMachine's spec."""
    strategy, running = vm_spec.get("runStrategy"), vm_spec.get("running")
    if isinstance(strategy, str) and strategy:
        return strategy
    return RunStrategy.HALTED if running is False else RunStrategy.ALWAYS


def named(elements: Json, name: str) -> JsonObject:
    """Return the element of a list with that name; an empty one when there is none."""
    return by_name(elements).get(name, EMPTY)


def by_name(elements: Json) -> Mapping[str, JsonObject]:
    """Return the elements of a list by their ``name``; the last one counts, as in KubeVirt's maps."""
    found = (object_at(element) for element in elements) if isinstance(elements, list) else ()
    return {str(element["name"]): element for element in found if element.get("name") is not None}
