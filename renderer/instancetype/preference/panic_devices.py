"""The preferred panic device (KubeVirt ``pkg/instancetype/preference/apply/device.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.vmi_template import devices_of, with_device_field, with_each_device
from renderer.model.json import JsonObject, object_at


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Gives panic devices without a model theirs; some releases make a device when there is none."""
    model = object_at(selection.preference, "devices").get("preferredPanicDeviceModel")
    if model is None:
        return template
    if selection.behaviour.panic_device_is_created and not devices_of(template).get("panicDevices"):
        return with_device_field(template, "panicDevices", [{"model": model}])
    return with_each_device(
        template,
        "panicDevices",
        lambda device: device if device.get("model") is not None else {**device, "model": model},
    )
