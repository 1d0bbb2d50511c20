"""The claims of an overlay, with what they request: for rules that compare volumes with each other."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.checks.rules.context import Context
from renderer.kubevirt.facts.kinds import CLAIM
from renderer.kubevirt.facts.virtual_machine import Element, VirtualMachineView, elements
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

_SECTIONS = ("storage", "pvc")


class VolumeRequest(Record):
    """The volume that a claim asks for. ``field`` of ``resource`` has the ``content``.

    ``is_claim`` is False for the ``storage`` of a DataVolume, in which CDI fills in what is missing.
    """

    resource: Resource
    field: FieldPath
    content: JsonObject
    is_claim: bool


def request_of_claim(resource: Resource) -> VolumeRequest:
    """Return the request of a PersistentVolumeClaim."""
    return VolumeRequest(resource, FieldPath.of("spec"), object_at(resource.content, "spec"), is_claim=True)


def request_of_data_volume(resource: Resource, spec: JsonObject, at: FieldPath) -> VolumeRequest | None:
    """Return the request in the ``spec`` of a DataVolume, which is at ``at``; None if it has none."""
    for section in _SECTIONS:
        if spec.get(section) is not None:
            content = object_at(spec, section)
            return VolumeRequest(resource, at.child(section), content, is_claim=section == "pvc")
    return None


def claim_named(context: Context, name: str, namespace: str) -> VolumeRequest | None:
    """Return the request of the claim; None if the overlay has none, or several that may be meant."""
    resource = only_object(context, CLAIM, name, namespace)
    if resource is None:
        return None
    if resource.kind == CLAIM:
        return request_of_claim(resource)
    machine = VirtualMachineView.of(resource)
    if machine is None:
        return request_of_data_volume(resource, object_at(resource.content, "spec"), FieldPath.of("spec"))
    found = _templates(machine.spec).get(name)
    if found is None:
        return None
    index, template = found
    at = machine.in_spec("dataVolumeTemplates", index, "spec")
    return request_of_data_volume(resource, object_at(template, "spec"), at)


@once_for_same
def _templates(spec: JsonObject) -> Mapping[str, Element]:
    """Return the DataVolumes of a machine's spec by name, the first of each."""
    templates = reversed(elements(spec.get("dataVolumeTemplates")))
    return {text_at(template, "metadata", "name"): (index, template) for index, template in templates}


def only_object(context: Context, kind: str, name: str, namespace: str) -> Resource | None:
    """Return the object of the name, or what makes it; None if several may be meant."""
    items = context.inventory.named_in(kind, name, namespace)
    return items[0].resource if len(items) == 1 else None
