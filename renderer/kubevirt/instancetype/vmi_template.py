"""Read and replace the parts of a VM's ``spec.template`` that specs are applied to.

A part of the wrong type (a text in place of a mapping) reads as empty and stays unchanged, so that the schema
stage reports it.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import is_

from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC
from renderer.model.kube.json import EMPTY, Json, JsonObject, with_entries
from renderer.model.kube.sharing import once_for_same, share_part

#: The path of the VirtualMachineInstance's spec in a VirtualMachine.
VMI_SPEC = INSTANCE_SPEC


#: Sections that contain names, and so are specific to one virtual machine.
_OF_ONE_MACHINE = frozenset(("spec", "domain", "devices"))


def is_null(value: Json) -> bool:
    """Return True if a pointer or a map is nil; ``false``, ``""`` and ``{}`` are values."""
    return value is None


def is_zero(value: Json) -> bool:
    """Return True if a field without a pointer has the zero value: null, ``""``, 0, false or ``[]``."""
    return value is None or (not value and not isinstance(value, dict))


def domain_of(template: JsonObject) -> JsonObject:
    """Return ``spec.domain`` of a VM template; empty if it is missing."""
    return _mapping(_mapping(template, "spec"), "domain")


def devices_of(template: JsonObject) -> JsonObject:
    """Return ``spec.domain.devices`` of a VM template; empty if it is missing."""
    return _mapping(domain_of(template), "devices")


def with_section(part: JsonObject, path: tuple[str, ...], section: Json) -> JsonObject:
    """Return ``part`` of a template with ``section`` at ``path``; unchanged if a parent is not a mapping."""
    head, *rest = path
    if not rest:
        return with_entries(part, {head: section})
    child = part.get(head)
    if child is not None and not isinstance(child, dict):
        return part
    below = EMPTY if child is None else child
    changed = with_section(below, tuple(rest), section)
    if changed is below:
        return part
    return with_entries(part, {head: changed if head in _OF_ONE_MACHINE else share_part(changed)})


def with_annotations(template: JsonObject, annotations: JsonObject) -> JsonObject:
    """Return the template with more annotations; existing ones stay."""
    metadata = _present(template, "metadata")
    present = None if metadata is None else _present(metadata, "annotations")
    if metadata is None or present is None:
        return template
    together = share_part({**annotations, **present})
    return with_entries(template, {"metadata": with_entries(metadata, {"annotations": together})})


def with_domain_section(template: JsonObject, name: str, section: JsonObject) -> JsonObject:
    """Return the template with ``spec.domain.<name>`` replaced."""
    spec = _present(template, "spec")
    domain = None if spec is None else _present(spec, "domain")
    if spec is None or domain is None or _present(domain, name) is None:
        return template
    changed = with_entries(spec, {"domain": with_entries(domain, {name: section})})
    return with_entries(template, {"spec": changed})


def with_device_field(template: JsonObject, name: str, value: Json) -> JsonObject:
    """Return the template with ``spec.domain.devices.<name>`` replaced."""
    return with_domain_section(template, "devices", with_entries(devices_of(template), {name: value}))


def with_each_device(
    template: JsonObject, name: str, change: Callable[[JsonObject], JsonObject]
) -> JsonObject:
    """Return the template with ``change`` applied to every element of ``spec.domain.devices.<name>``.

    The same ``change`` is applied only once to the same list.
    """
    before = devices_of(template).get(name)
    if not isinstance(before, list) or not before:
        return template
    after = _changed_devices(before, change)
    return template if after is before else with_device_field(template, name, after)


@once_for_same
def _changed_devices(devices: list[Json], change: Callable[[JsonObject], JsonObject]) -> list[Json]:
    """Return the list with each element changed; the list itself if nothing changes."""
    after = [share_part(change(device)) if isinstance(device, dict) else device for device in devices]
    return devices if all(map(is_, after, devices)) else share_part(after)


def _mapping(parent: JsonObject, key: str) -> JsonObject:
    child = parent.get(key)
    return child if isinstance(child, dict) else EMPTY


def _present(parent: JsonObject, key: str) -> JsonObject | None:
    """Return the mapping at ``key``; an empty one if it is missing; None if it has another type."""
    child = parent.get(key)
    if child is None:
        return EMPTY
    return child if isinstance(child, dict) else None
