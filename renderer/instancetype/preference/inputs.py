"""Preferences for input devices (KubeVirt ``pkg/instancetype/preference/apply/device.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted
from renderer.instancetype.vmi_template import with_each_device
from renderer.model.json import JsonObject, object_at

_FIELDS = {"preferredInputBus": "bus", "preferredInputType": "type"}


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in bus and type of the input devices that are there."""
    values = wanted(object_at(selection.preference, "devices"), _FIELDS)
    return with_each_device(template, "inputs", lambda device: filled(device, values)) if values else template
