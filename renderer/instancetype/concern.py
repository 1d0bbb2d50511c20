"""Whether resources are any concern of this stage, which can be told without importing the rest of it."""

from __future__ import annotations

from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.json import object_at
from renderer.model.resource import Resource, ResourceSet

_INSTANCETYPE_GROUP = "instancetype.kubevirt.io"
_CONFIGURATION = "KubeVirt"
_MATCHERS = ("instancetype", "preference")


def concerns(resources: ResourceSet) -> bool:
    """Whether anything among the resources is to be expanded or checked.

    Without a KubeVirt object, which may forbid what is default, that is an instance type or preference, or a
    VirtualMachine that names one or gives itself a size, be it null.
    """
    return any(map(_concerns, resources))


def _concerns(resource: Resource) -> bool:
    kind, group = resource.content.get("kind"), resource.api_version.partition("/")[0]
    if kind == _CONFIGURATION or group == _INSTANCETYPE_GROUP:
        return True
    vm = VirtualMachine.of(resource)
    if vm is None or vm.template is None:
        return False
    cpu = object_at(vm.template, "spec", "domain", "cpu")
    return "guest" in cpu or any(matcher in vm.spec for matcher in _MATCHERS)
