"""Permitted host devices and types of mediated devices: from HyperConverged to KubeVirt.

``toKvPermittedHostDevices`` and ``toKvMediatedDevicesConfiguration`` in ``controllers/handlers/kubevirt.go``.
"""

from __future__ import annotations

from collections.abc import Sequence

from renderer.kubevirt.hyperconverged.feature_gates import DISABLE_MDEV
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.model.kube.json import Json, JsonObject, array_at, object_at

#: The fields of a device in KubeVirt, and those in HyperConverged that are named otherwise.
_PCI = {"pciVendorSelector": "pciDeviceSelector", "resourceName": "", "externalResourceProvider": ""}
_MEDIATED = {"mdevNameSelector": "", "resourceName": "", "externalResourceProvider": ""}
_USB = {"resourceName": "", "selectors": "", "externalResourceProvider": ""}
_USB_SINCE = OperatorRelease(1, 13)
#: Since this release the gate turns KubeVirt's handling off by a field of KubeVirt, before by a gate.
_SWITCH_SINCE = OperatorRelease(1, 18)


def permitted_host_devices(settings: Settings) -> Json:
    """Return ``permittedHostDevices`` without the disabled devices; None if nothing is said."""
    permitted = settings.get(Setting.PERMITTED_HOST_DEVICES)
    if not isinstance(permitted, dict):
        return None
    devices = {
        "pciHostDevices": _enabled(permitted, "pciHostDevices", _PCI),
        "mediatedDevices": _enabled(permitted, "mediatedDevices", _MEDIATED),
    }
    if settings.release >= _USB_SINCE:
        devices["usb"] = _enabled(permitted, "usbHostDevices", _USB)
    return devices


def _enabled(permitted: JsonObject, field: str, names: dict[str, str]) -> Sequence[Json]:
    return [
        {name: device.get(own or name) for name, own in names.items()}
        for device in map(object_at, array_at(permitted, field))
        if device.get("disabled") is not True
    ]


def mediated_devices(settings: Settings) -> Json:
    """Return ``mediatedDevicesConfiguration``; None if nothing is said."""
    said = settings.get(Setting.MEDIATED_DEVICES)
    is_enabled = _handles_mediated_devices(settings)
    if not isinstance(said, dict) and is_enabled is None:
        return None
    configuration = object_at(said)
    return {
        "enabled": is_enabled,
        "mediatedDeviceTypes": _types(configuration),
        "nodeMediatedDeviceTypes": [
            {"nodeSelector": each.get("nodeSelector"), "mediatedDeviceTypes": _types(each)}
            for each in map(object_at, array_at(configuration, "nodeMediatedDeviceTypes"))
        ],
    }


def _handles_mediated_devices(settings: Settings) -> bool | None:
    """Return whether KubeVirt handles mediated devices; None if nothing is said."""
    if settings.release < _SWITCH_SINCE:
        return None
    enabled = settings.object(Setting.MEDIATED_DEVICES).get("enabled")
    if isinstance(enabled, bool):
        return enabled
    return False if settings.has_gate(DISABLE_MDEV) else None


def _types(configuration: JsonObject) -> Sequence[Json]:
    """Return the types of devices, which had another name once."""
    types = array_at(configuration, "mediatedDeviceTypes") or array_at(configuration, "mediatedDevicesTypes")
    return [*types]
