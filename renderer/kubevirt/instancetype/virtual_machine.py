"""A VirtualMachine, or the one inside a VirtualMachinePool."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    MATCHER_KEYS,
    MATCHER_TYPES,
)
from renderer.kubevirt.facts.virtual_machine import has_matchers, virtual_machine_paths
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, object_at, with_entries, with_value, without
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kube.sharing import share_keys
from renderer.model.record import Record


class VirtualMachine(Record):
    """A VirtualMachine: ``content`` has its ``spec``, and is at ``base`` in the resource."""

    resource: Resource
    base: FieldPath
    content: JsonObject

    @classmethod
    def of(cls, resource: Resource) -> VirtualMachine | None:
        """Return the VirtualMachine in ``resource``; None for a resource of any other kind."""
        paths = virtual_machine_paths(resource.content)
        if paths is None or paths.machine is None:
            return None
        return cls(resource, paths.machine, object_at(resource.content, *paths.machine.keys))

    @property
    def spec(self) -> JsonObject:
        spec = self.content.get("spec")
        return spec if isinstance(spec, dict) else EMPTY

    @property
    def template(self) -> JsonObject | None:
        """``spec.template``; None if it is missing or not a mapping."""
        template = self.spec.get("template")
        return template if isinstance(template, dict) else None

    @property
    def status(self) -> JsonObject:
        return object_at(self.content, "status")

    def field(self, at: FieldPath) -> FieldPath:
        """Return the path in the resource of a field of the VirtualMachine."""
        return self.base.child(*at.segments) if self.base.segments else at

    def with_content(self, content: JsonObject) -> Resource:
        """Return the resource with its VirtualMachine replaced."""
        if content is self.content:
            return self.resource
        if not self.base.segments:
            return self.resource.with_content(content)
        return self.resource.with_content(with_value(self.resource.content, self.base.keys, content))


def needs_catalog(resources: ResourceSet) -> bool:
    """Return True if any VirtualMachine among the resources names an instance type or a preference."""
    return any(has_matchers(resource.content) for resource in resources)


def with_expanded_template(vm: JsonObject, template: JsonObject) -> JsonObject:
    """Return the VirtualMachine with another ``spec.template`` and no matchers; ``vm`` if nothing changes."""
    spec = object_at(vm, "spec")
    if template is spec.get("template") and not any(key in spec for key in MATCHER_KEYS):
        return vm
    kept = {key: value for key, value in spec.items() if key not in MATCHER_KEYS}
    kept["template"] = _with_shared_keys(template)
    changed = with_entries(vm, {"spec": share_keys(kept)})
    if vm.get("status") is None:
        return changed
    for matcher_type in MATCHER_TYPES:
        changed = without(changed, "status", matcher_type.status_ref)
    return without(changed, "status") if changed.get("status") == {} else changed


def _with_shared_keys(template: JsonObject) -> JsonObject:
    """Return the template with key tables shared with templates that have the same fields."""
    spec = template.get("spec")
    domain = spec.get("domain") if isinstance(spec, dict) else None
    if not isinstance(spec, dict) or not isinstance(domain, dict):
        return template
    return with_entries(template, {"spec": share_keys(spec | {"domain": share_keys(domain)})})


def needs_instancetype_stage(resources: ResourceSet) -> bool:
    """Return True if the resources contain anything that this stage expands or checks.

    That is an instance type, a preference, an object that configures KubeVirt (it may forbid KubeVirt's
    defaults), or a VirtualMachine with a matcher or a custom size, even if it is null.
    """
    return any(map(_needs_stage, resources))


def _needs_stage(resource: Resource) -> bool:
    kind, group = resource.content.get("kind"), resource.api_version.partition("/")[0]
    if kind in (KUBEVIRT, HYPERCONVERGED) or group == INSTANCETYPE_GROUP:
        return True
    vm = VirtualMachine.of(resource)
    if vm is None or vm.template is None:
        return False
    cpu = object_at(vm.template, "spec", "domain", "cpu")
    return "guest" in cpu or any(matcher in vm.spec for matcher in MATCHER_KEYS)
