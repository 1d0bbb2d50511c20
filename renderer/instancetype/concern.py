"""Whether resources are any concern of this stage, which can be told without importing the rest of it."""

from __future__ import annotations

from renderer.instancetype.custom.size import gives_vcpus
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.json import object_at
from renderer.model.render_config import ExpandMode
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet

_GROUP = "kubevirt.io"


def concerns(resources: ResourceSet, mode: ExpandMode) -> bool:
    """Whether anything among the resources is to be expanded or checked."""
    return any(_concerns(resource, mode) for resource in resources)


def _concerns(resource: Resource, mode: ExpandMode) -> bool:
    group = resource.api_version.partition("/")[0]
    if group != _GROUP and not group.endswith(f".{_GROUP}"):
        return False
    vm = VirtualMachine.of(resource) if mode is ExpandMode.OFF else None
    return vm is None or vm.has_matchers or gives_vcpus(object_at(vm.spec, "template"))
