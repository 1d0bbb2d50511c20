"""Apply a preference to a VM (KubeVirt ``pkg/instancetype/preference/apply/vmi.go``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.preference import domain
from renderer.kubevirt.instancetype.preference.devices import (
    apply_devices,
    apply_disks,
    apply_inputs,
    apply_interfaces,
    apply_panic_devices,
)
from renderer.kubevirt.instancetype.vmi_template import with_annotations, with_section
from renderer.model.kube.json import JsonObject, object_at
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record

#: Returns a VM's ``spec.template`` with the fields that a preference sets.
ApplyPart: TypeAlias = Callable[[AppliedSpecs, JsonObject], JsonObject]


class PreferenceApplier(Record):
    """One step of applying a preference; it runs if the preference's spec has the field ``field``."""

    field: str
    apply: ApplyPart


def apply_preference(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Return the VM's ``spec.template`` with the fields of ``specs.preference`` that the VM does not set.

    Raises ``ApplyError`` where KubeVirt crashes.
    """
    for applier in _appliers_of(specs.preference):
        template = applier.apply(specs, template)
    return template


def apply_annotations(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Add the annotations that the template does not have itself (``annotations.go``)."""
    annotations = object_at(specs.preference, "annotations")
    present = object_at(template, "metadata", "annotations")
    if annotations.keys() <= present.keys():
        return template
    return with_annotations(template, annotations)


def _set_when_absent(field: str, *target: str) -> PreferenceApplier:
    """Return the applier that copies ``field`` to ``target`` of the VMI's spec if that is absent."""

    def apply(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
        value = specs.preference.get(field)
        if value is None or value == "":
            return template
        present = object_at(template, "spec", *target[:-1]).get(target[-1])
        if present is None or present == "":
            return with_section(template, ("spec", *target), value)
        return template

    return PreferenceApplier(field, apply)


#: In KubeVirt's order.
PREFERENCE_APPLIERS: tuple[PreferenceApplier, ...] = (
    PreferenceApplier("cpu", domain.apply_cpu_features),
    PreferenceApplier("devices", apply_devices),
    PreferenceApplier("devices", apply_disks),
    PreferenceApplier("devices", apply_interfaces),
    PreferenceApplier("devices", apply_inputs),
    PreferenceApplier("devices", apply_panic_devices),
    PreferenceApplier("features", domain.apply_features),
    PreferenceApplier("firmware", domain.apply_firmware),
    PreferenceApplier("machine", domain.apply_machine),
    PreferenceApplier("clock", domain.apply_clock),
    _set_when_absent("preferredSubdomain", "subdomain"),
    _set_when_absent("preferredTerminationGracePeriodSeconds", "terminationGracePeriodSeconds"),
    _set_when_absent("preferredArchitecture", "architecture"),
    PreferenceApplier("annotations", apply_annotations),
    _set_when_absent("preferredLaunchSecurity", "domain", "launchSecurity"),
)


@once_for_same
def _appliers_of(preference: JsonObject) -> tuple[PreferenceApplier, ...]:
    """Return the appliers whose fields are in the spec."""
    return tuple(applier for applier in PREFERENCE_APPLIERS if preference.get(applier.field) is not None)
