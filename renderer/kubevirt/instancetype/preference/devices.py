"""Apply the ``devices`` of a preference: disks, interfaces, inputs, panic devices, and devices as a whole.

KubeVirt ``pkg/instancetype/preference/apply``: ``disk.go``, ``interface.go``, ``device.go``.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.preference.set_when_absent import (
    fill_in,
    fill_in_section,
    preferred_values,
)
from renderer.kubevirt.instancetype.vmi_template import (
    devices_of,
    with_device_field,
    with_domain_section,
    with_each_device,
)
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.sharing import once_for_same

#: The kinds of disks, with the preferences for each; the first kind that a disk has counts.
_DISK_KINDS = {
    "disk": {"preferredDiskBus": "bus"},
    "cdrom": {"preferredCdromBus": "bus"},
    "lun": {"preferredLunBus": "bus"},
}
_DISK_FIELDS = {
    "preferredDiskBlockSize": "blockSize",
    "preferredDiskCache": "cache",
    "preferredDiskIO": "io",
}
_DEDICATED_IO_THREAD = {"preferredDiskDedicatedIoThread": "dedicatedIOThread"}

_INTERFACE_MODEL = {"preferredInterfaceModel": "model"}
_MASQUERADE = {"preferredInterfaceMasquerade": "masquerade"}
_BINDINGS = ("bridge", "slirp", "masquerade", "sriov", "macvtap", "passt", "passtBinding", "binding")

_INPUT_FIELDS = {"preferredInputBus": "bus", "preferredInputType": "type"}

#: The fields that control the devices which virt-controller adds when it starts a machine.
_AUTOATTACH_FIELDS = {
    "preferredAutoattachPodInterface": "autoattachPodInterface",
    "preferredAutoattachInputDevice": "autoattachInputDevice",
}
#: The preferences that change a disk, an interface or an input device which virt-controller adds.
AFFECTING_ADDED_DEVICES = frozenset(
    {**_DISK_KINDS["disk"], **_DISK_FIELDS, **_DEDICATED_IO_THREAD}
    | {**_INTERFACE_MODEL, **_MASQUERADE, **_INPUT_FIELDS}
)
_DEVICES_FIELDS = {
    "preferredUseVirtioTransitional": "useVirtioTransitional",
    "preferredBlockMultiQueue": "blockMultiQueue",
    "preferredNetworkInterfaceMultiQueue": "networkInterfaceMultiqueue",
    "preferredRng": "rng",
    "preferredTPM": "tpm",
    "preferredAutoattachGraphicsDevice": "autoattachGraphicsDevice",
    "preferredAutoattachMemBalloon": "autoattachMemBalloon",
    "preferredAutoattachSerialConsole": "autoattachSerialConsole",
    **_AUTOATTACH_FIELDS,
}
_SOUND_FIELDS = {"preferredSoundModel": "model"}
_VIDEO_FIELDS = {"preferredVideoType": "type"}


def apply_autoattach(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Set whether an input device and an interface on the pod network are attached, if not set."""
    preferred = preferred_values(object_at(specs.preference, "devices"), _AUTOATTACH_FIELDS)
    if not preferred:
        return template
    before = devices_of(template)
    devices = fill_in(before, preferred)
    return template if devices is before else with_domain_section(template, "devices", devices)


def apply_devices(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in the fields that ``domain.devices`` lacks; only hotplug overrides the VM."""
    preferred = object_at(specs.preference, "devices")
    if not preferred:
        return template
    before = devices_of(template)
    devices = fill_in(before, preferred_values(preferred, _DEVICES_FIELDS))
    disable = preferred.get("preferredDisableHotplug")
    if disable is not None and disable != (devices.get("disableHotplug") or False):
        devices = {field: value for field, value in devices.items() if field != "disableHotplug"}
        if disable:
            devices = {**devices, "disableHotplug": disable}
    if devices.get("sound") is not None:
        devices = fill_in_section(devices, "sound", preferred_values(preferred, _SOUND_FIELDS))
    if preferred.get("preferredVideoType") is not None:
        devices = fill_in_section(devices, "video", preferred_values(preferred, _VIDEO_FIELDS))
    return template if devices is before else with_domain_section(template, "devices", devices)


def apply_disks(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in bus, block size, cache, IO and IO thread; a disk without a target becomes a ``disk``."""
    preferred = specs.preference.get("devices")
    if not isinstance(preferred, dict):
        return template
    return with_each_device(template, "disks", _disk_filler(preferred, specs.behaviour))


@once_for_same
def _disk_filler(preferred: JsonObject, behaviour: Behaviour) -> Callable[[JsonObject], JsonObject]:
    """Return the function that fills in a disk's preferred fields."""
    by_kind = {kind: preferred_values(preferred, fields) for kind, fields in _DISK_KINDS.items()}
    fields = preferred_values(preferred, _DISK_FIELDS)
    dedicated_io_thread = preferred_values(preferred, _DEDICATED_IO_THREAD)
    needs_virtio = behaviour.dedicated_io_thread_needs_virtio

    def with_preferences(disk: JsonObject) -> JsonObject:
        kind = next((kind for kind in _DISK_KINDS if disk.get(kind) is not None), "disk")
        disk = fill_in_section(disk, kind, by_kind[kind])
        if kind != "disk":
            return disk
        if dedicated_io_thread and not (needs_virtio and text_at(disk, "disk", "bus") != "virtio"):
            disk = fill_in(disk, dedicated_io_thread)
        return fill_in(disk, fields) if fields else disk

    return with_preferences


def apply_interfaces(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in the model, and masquerade if an interface on the pod network has no binding."""
    preferred = object_at(specs.preference, "devices")
    filler = _interface_filler(preferred, specs.behaviour, object_at(template, "spec").get("networks"))
    return template if filler is None else with_each_device(template, "interfaces", filler)


@once_for_same
def _interface_filler(
    preferred: JsonObject, behaviour: Behaviour, networks: Json
) -> Callable[[JsonObject], JsonObject] | None:
    """Return the function that fills in an interface's preferred fields; None if nothing is preferred."""
    model = preferred_values(preferred, _INTERFACE_MODEL)
    masquerade = preferred_values(preferred, _MASQUERADE)
    if not model and not masquerade:
        return None
    anywhere = not behaviour.masquerade_needs_pod_network

    def with_preferences(interface: JsonObject) -> JsonObject:
        interface = fill_in(interface, model)
        if not masquerade:
            return interface
        is_bound = any(interface.get(binding) is not None for binding in _BINDINGS)
        if anywhere or (not is_bound and _is_on_pod_network(interface, networks)):
            return fill_in(interface, masquerade)
        return interface

    return with_preferences


def _is_on_pod_network(interface: JsonObject, networks: Json) -> bool:
    name = text_at(interface, "name")
    network = next((network for network in array_at(networks) if text_at(network, "name") == name), None)
    return object_at(network).get("pod") is not None


def apply_inputs(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in bus and type of existing input devices."""
    values = preferred_values(object_at(specs.preference, "devices"), _INPUT_FIELDS)
    return with_each_device(template, "inputs", _input_filler(values)) if values else template


@once_for_same
def _input_filler(values: JsonObject) -> Callable[[JsonObject], JsonObject]:
    return lambda device: fill_in(device, values)


def apply_panic_devices(specs: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fill in the model of panic devices without one; some releases create a missing device."""
    model = object_at(specs.preference, "devices").get("preferredPanicDeviceModel")
    if model is None:
        return template
    if specs.behaviour.panic_device_is_created and not devices_of(template).get("panicDevices"):
        return with_device_field(template, "panicDevices", [{"model": model}])
    return with_each_device(
        template,
        "panicDevices",
        lambda device: device if device.get("model") is not None else {**device, "model": model},
    )
