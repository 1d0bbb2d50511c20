"""Apply a preference to a VM (KubeVirt ``pkg/instancetype/preference/apply/vmi.go``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.instancetype.applied_specs import AppliedSpecs
from renderer.instancetype.preference import domain
from renderer.instancetype.preference.devices import (
    apply_devices,
    apply_disks,
    apply_inputs,
    apply_interfaces,
    apply_panic_devices,
)
from renderer.instancetype.preference.set_when_absent import SetWhenAbsent
from renderer.instancetype.vmi_template import with_annotations
from renderer.model.json import JsonObject, object_at
from renderer.model.sharing import once_for_same

#: Applies one field, or group of fields, of a preference.
PreferenceApplier: TypeAlias = Callable[[AppliedSpecs, JsonObject], JsonObject]


def apply_preference(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Return the VM's ``spec.template`` with ``specs.preference`` where the VM says nothing itself.

    Raises ``ApplyError`` where KubeVirt crashes.
    """
    for apply in _needed(specs.preference):
        template = apply(specs, template)
    return template


def apply_annotations(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Add the annotations that the template does not have itself (``annotations.go``)."""
    annotations = object_at(specs.preference, "annotations")
    present = object_at(template, "metadata", "annotations")
    if annotations.keys() <= present.keys():
        return template
    return with_annotations(template, annotations)


#: In KubeVirt's order.
PREFERENCE_APPLIERS: tuple[PreferenceApplier, ...] = (
    domain.apply_cpu_features,
    apply_devices,
    apply_disks,
    apply_interfaces,
    apply_inputs,
    apply_panic_devices,
    domain.apply_features,
    domain.apply_firmware,
    domain.apply_machine,
    domain.apply_clock,
    SetWhenAbsent("preferredSubdomain", ("subdomain",)),
    SetWhenAbsent("preferredTerminationGracePeriodSeconds", ("terminationGracePeriodSeconds",)),
    SetWhenAbsent("preferredArchitecture", ("architecture",)),
    apply_annotations,
    SetWhenAbsent("preferredLaunchSecurity", ("domain", "launchSecurity")),
)

#: The fields of a preference's spec that the others apply.
_FIELDS: Mapping[PreferenceApplier, str] = {
    domain.apply_cpu_features: "cpu",
    apply_devices: "devices",
    apply_disks: "devices",
    apply_interfaces: "devices",
    apply_inputs: "devices",
    apply_panic_devices: "devices",
    domain.apply_features: "features",
    domain.apply_firmware: "firmware",
    domain.apply_machine: "machine",
    domain.apply_clock: "clock",
    apply_annotations: "annotations",
}


def field_of(apply: PreferenceApplier) -> str:
    """Return the field of a preference's spec that an applier applies."""
    return apply.source if isinstance(apply, SetWhenAbsent) else _FIELDS[apply]


@once_for_same
def _needed(preference: JsonObject) -> tuple[PreferenceApplier, ...]:
    """Return the appliers without those of fields that the spec does not have."""
    return tuple(apply for apply in PREFERENCE_APPLIERS if preference.get(field_of(apply)) is not None)
