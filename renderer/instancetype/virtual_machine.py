"""A VirtualMachine, or the one inside a VirtualMachinePool."""

from __future__ import annotations

from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import JsonObject, object_at, with_value, without
from renderer.model.record import Record
from renderer.model.resource import Resource, ResourceSet

_KUBEVIRT_GROUPS = ("kubevirt.io", "pool.kubevirt.io")
_POOL_TEMPLATE = FieldPath.of("spec", "virtualMachineTemplate")
#: Where the VirtualMachine stands, by kind of resource.
_BASES = {"VirtualMachine": ROOT, "VirtualMachinePool": _POOL_TEMPLATE}

_MATCHERS = ("instancetype", "preference")
_REFERENCES = ("instancetypeRef", "preferenceRef")


class VirtualMachine(Record):
    """``content`` has the ``spec`` of a VirtualMachine; ``base`` is where it stands in the resource."""

    resource: Resource
    base: FieldPath
    content: JsonObject

    @classmethod
    def of(cls, resource: Resource) -> VirtualMachine | None:
        """None for a resource of any other kind."""
        kind = resource.content.get("kind")
        base = _BASES.get(kind) if isinstance(kind, str) else None
        if base is None or resource.gvk.group not in _KUBEVIRT_GROUPS:
            return None
        keys = [str(segment) for segment in base.segments]
        return cls(resource, base, object_at(resource.content, *keys))

    @property
    def spec(self) -> JsonObject:
        return object_at(self.content, "spec")

    @property
    def has_matchers(self) -> bool:
        return any(self.spec.get(matcher) is not None for matcher in _MATCHERS)

    @property
    def template(self) -> JsonObject | None:
        """``spec.template``; None when there is none, or something else in its place."""
        template = self.spec.get("template")
        return template if isinstance(template, dict) else None

    @property
    def status(self) -> JsonObject:
        return object_at(self.content, "status")

    def field(self, at: FieldPath) -> FieldPath:
        """A field of the VirtualMachine as a field of the resource."""
        return self.base.child(*at.segments) if self.base.segments else at

    def with_content(self, content: JsonObject) -> Resource:
        """The resource with another VirtualMachine in it."""
        if content is self.content:
            return self.resource
        if not self.base.segments:
            return self.resource.with_content(content)
        keys = [str(segment) for segment in self.base.segments]
        return self.resource.with_content(with_value(self.resource.content, keys, content))


def needs_catalog(resources: ResourceSet) -> bool:
    """Whether any VirtualMachine among the resources names an instance type or a preference."""
    vms = (VirtualMachine.of(resource) for resource in resources)
    return any(vm is not None and vm.has_matchers for vm in vms)


def expanded(vm: JsonObject, template: JsonObject) -> JsonObject:
    """The VirtualMachine with another ``spec.template``, and nothing that names what made it.

    A VirtualMachine in which nothing changes is returned itself.
    """
    spec = object_at(vm, "spec")
    if template is spec.get("template") and not any(key in spec for key in _MATCHERS):
        return vm
    kept = {key: value for key, value in spec.items() if key not in _MATCHERS}
    changed = {**vm, "spec": {**kept, "template": template}}
    return changed if vm.get("status") is None else _without_references(changed)


def _without_references(vm: JsonObject) -> JsonObject:
    for reference in _REFERENCES:
        vm = without(vm, "status", reference)
    return without(vm, "status") if vm.get("status") == {} else vm


_INSTANCETYPE_GROUP = "instancetype.kubevirt.io"
_CONFIGURATION = "KubeVirt"
_MATCHER_KEYS = ("instancetype", "preference")


def needs_instancetype_stage(resources: ResourceSet) -> bool:
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
    return "guest" in cpu or any(matcher in vm.spec for matcher in _MATCHER_KEYS)
