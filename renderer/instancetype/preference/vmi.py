"""A preference applied to a VM (KubeVirt ``pkg/instancetype/preference/apply/vmi.go``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference import annotations as template_annotations
from renderer.instancetype.preference import (
    clock,
    cpu,
    devices,
    disks,
    features,
    firmware,
    inputs,
    interfaces,
    machine,
    panic_devices,
)
from renderer.instancetype.preference.set_when_absent import SetWhenAbsent
from renderer.model.json import JsonObject

#: What applies one field, or group of fields, of a preference.
PreferenceApplier: TypeAlias = Callable[[AppliedSpecs, JsonObject], JsonObject]

#: In KubeVirt's order.
PREFERENCE_APPLIERS: tuple[PreferenceApplier, ...] = (
    cpu.apply,
    devices.apply,
    disks.apply,
    interfaces.apply,
    inputs.apply,
    panic_devices.apply,
    features.apply,
    firmware.apply,
    machine.apply,
    clock.apply,
    SetWhenAbsent("preferredSubdomain", ("subdomain",)),
    SetWhenAbsent("preferredTerminationGracePeriodSeconds", ("terminationGracePeriodSeconds",)),
    SetWhenAbsent("preferredArchitecture", ("architecture",)),
    template_annotations.apply,
    SetWhenAbsent("preferredLaunchSecurity", ("domain", "launchSecurity")),
)


def apply_preference(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """The VM's ``spec.template`` with ``selection.preference`` where the VM does not say itself.

    Raises ``ApplyError`` for what makes KubeVirt crash.
    """
    for apply in PREFERENCE_APPLIERS:
        template = apply(selection, template)
    return template
