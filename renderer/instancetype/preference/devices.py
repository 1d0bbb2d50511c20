"""Preferences for devices as a whole (KubeVirt ``pkg/instancetype/preference/apply/device.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted, with_filled
from renderer.instancetype.vmi_template import devices_of, with_domain_section
from renderer.model.json import JsonObject, object_at

_FIELDS = {
    "preferredUseVirtioTransitional": "useVirtioTransitional",
    "preferredBlockMultiQueue": "blockMultiQueue",
    "preferredNetworkInterfaceMultiQueue": "networkInterfaceMultiqueue",
    "preferredRng": "rng",
    "preferredTPM": "tpm",
    "preferredAutoattachGraphicsDevice": "autoattachGraphicsDevice",
    "preferredAutoattachMemBalloon": "autoattachMemBalloon",
    "preferredAutoattachPodInterface": "autoattachPodInterface",
    "preferredAutoattachSerialConsole": "autoattachSerialConsole",
    "preferredAutoattachInputDevice": "autoattachInputDevice",
}
_SOUND_FIELDS = {"preferredSoundModel": "model"}
_VIDEO_FIELDS = {"preferredVideoType": "type"}


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in what ``domain.devices`` lacks; hotplug alone is disabled or enabled whatever the VM says."""
    preferred = object_at(selection.preference, "devices")
    if not preferred:
        return template
    before = devices_of(template)
    devices = filled(before, wanted(preferred, _FIELDS))
    devices = _with_hotplug(devices, preferred)
    devices = _with_sound_model(devices, preferred)
    devices = _with_video_type(devices, preferred)
    return template if devices is before else with_domain_section(template, "devices", devices)


def _with_hotplug(devices: JsonObject, preferred: JsonObject) -> JsonObject:
    disable = preferred.get("preferredDisableHotplug")
    if disable is None or disable == (devices.get("disableHotplug") or False):
        return devices
    others = {field: value for field, value in devices.items() if field != "disableHotplug"}
    return {**others, "disableHotplug": disable} if disable else others


def _with_sound_model(devices: JsonObject, preferred: JsonObject) -> JsonObject:
    """Only a sound device that is there gets a model."""
    if devices.get("sound") is None:
        return devices
    return with_filled(devices, "sound", wanted(preferred, _SOUND_FIELDS))


def _with_video_type(devices: JsonObject, preferred: JsonObject) -> JsonObject:
    """A video device is made when there is none."""
    if preferred.get("preferredVideoType") is None:
        return devices
    return with_filled(devices, "video", wanted(preferred, _VIDEO_FIELDS))
