"""The devices that a guest sees, by name: their kinds, names and places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from renderer.kubevirt.impact.guest_machine import GuestMachine
from renderer.model.kube.json import JsonObject, array_at, object_at, scalar_text, text_at

_TARGETS = ("disk", "lun", "cdrom")
_ON_ROOT_COMPLEX = "kubevirt.io/placePCIDevicesOnRootComplex"
_LETTERS = 26
#: Places that are kept for interfaces, some of which are plugged in later (``calculateHotplugPortCountV1``).
_INTERFACE_SLOTS = 4
#: Devices of which a machine has one, with the default of the flag that attaches them.
_ATTACHED = {
    "autoattachGraphicsDevice": "display",
    "autoattachMemBalloon": "memory balloon",
    "autoattachSerialConsole": "serial console",
    "autoattachVSOCK": "vsock",
}


def _disks(guest: GuestMachine) -> Iterator[tuple[str, JsonObject, str, str]]:
    """Yield name, disk, target and bus of each disk."""
    for disk in map(object_at, array_at(guest.domain("devices"), "disks")):
        target = next((each for each in _TARGETS if disk.get(each) is not None), "disk")
        yield text_at(disk, "name"), disk, target, text_at(disk, target, "bus") or "sata"


def disk_buses(guest: GuestMachine) -> Mapping[str, str]:
    """Return bus and kind of each disk: ``virtio disk``, ``sata cdrom``."""
    return {name: f"{bus} {target}" for name, _, target, bus in _disks(guest)}


def disk_names(guest: GuestMachine) -> Mapping[str, str]:
    """Return the names that Linux gives to disks by their order on their bus.

    A disk on another bus than before is left to ``disk_buses``: the name has the letters of its bus.
    """
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for name, _, target, bus in _disks(guest):
        prefix = "sr" if target == "cdrom" else "vd" if bus == "virtio" else "sd"
        number = counts[prefix]
        counts[prefix] += 1
        names[name] = f"/dev/{prefix}{number if prefix == 'sr' else _letters(number)}"
    return names


def _letters(number: int) -> str:
    """Return ``a`` to ``z``, then ``aa`` and so on (``formatDeviceName``)."""
    text = ""
    while number >= 0:
        text = chr(ord("a") + number % _LETTERS) + text
        number = number // _LETTERS - 1
    return text


def disk_serials(guest: GuestMachine) -> Mapping[str, str]:
    """Return the serial number of each disk; empty for a disk without one."""
    return {name: text_at(disk, "serial") for name, disk, _, _ in _disks(guest)}


def block_sizes(guest: GuestMachine) -> Mapping[str, str]:
    """Return logical and physical size of the sectors of each disk."""
    return {name: _block_size(object_at(disk, "blockSize")) for name, disk, _, _ in _disks(guest)}


def _block_size(size: JsonObject) -> str:
    custom, match = size.get("custom"), size.get("matchVolume")
    if custom is not None:
        logical, physical = (object_at(custom).get(key) for key in ("logical", "physical"))
        return f"{scalar_text(logical)}/{scalar_text(physical)}"
    return "as on the volume" if match is not None and object_at(match).get("enabled") is not False else "512"


def _interfaces(guest: GuestMachine) -> Iterator[tuple[str, JsonObject]]:
    """Yield the interfaces that the guest has."""
    for interface in map(object_at, array_at(guest.domain("devices"), "interfaces")):
        if text_at(interface, "state") != "absent":
            yield text_at(interface, "name"), interface


def interface_models(guest: GuestMachine) -> Mapping[str, str]:
    """Return the model of each interface; a device of the host is one by SR-IOV."""
    return {
        name: "device of the host (SR-IOV)"
        if interface.get("sriov") is not None
        else text_at(interface, "model") or "virtio"
        for name, interface in _interfaces(guest)
    }


def mac_addresses(guest: GuestMachine) -> Mapping[str, str]:
    """Return the MAC address of each interface, or whose the one is that the cluster chooses."""
    return {
        name: text_at(interface, "macAddress").lower()
        or f"one that the cluster gives to {guest.qualified_name}"
        for name, interface in _interfaces(guest)
    }


def interface_indexes(guest: GuestMachine) -> Mapping[str, str]:
    """Return the ACPI index of each interface; empty for an interface without one."""
    indexes = ((name, interface.get("acpiIndex")) for name, interface in _interfaces(guest))
    return {name: scalar_text(index) if index else "" for name, index in indexes}


def interface_places(guest: GuestMachine) -> Mapping[str, str]:
    """Return the PCI place of each interface, counted from the first device that may move.

    Both orders begin so: KubeVirt's own on the root complex with interfaces, libvirt's with shared folders
    and then interfaces. Interfaces by SR-IOV are devices of the host.
    """
    place = 0 if _is_on_root_complex(guest) else len(shared_folders(guest))
    places: dict[str, str] = {}
    for name, interface in _interfaces(guest):
        address = text_at(interface, "pciAddress")
        if address:
            places[name] = address
        elif interface.get("sriov") is None:
            place += 1
            places[name] = f"device {place}"
    devices = dict(_host_places(guest))
    return places | {name: devices[name] for name, _ in _interfaces(guest) if name in devices}


def host_device_places(guest: GuestMachine) -> Mapping[str, str]:
    """Return the PCI place of each GPU and other device of the host, counted as those of interfaces."""
    devices = dict(_host_places(guest))
    return {name: devices[name] for name in host_devices(guest) if name in devices}


def _host_places(guest: GuestMachine) -> Iterator[tuple[str, str]]:
    """Yield the devices of the host with their places: host devices, GPUs, interfaces by SR-IOV.

    KubeVirt's order has them after the interfaces, libvirt's also after a SCSI controller and virtio disks.
    USB devices have no such place.
    """
    kinds = _kinds_of_resources(guest)
    names = [
        text_at(device, "name")
        for key in ("hostDevices", "gpus")
        for device in sorted(
            map(object_at, array_at(guest.domain("devices"), key)),
            key=lambda each: kinds.get(text_at(each, "deviceName")) == "mediatedDevices",
        )
        if kinds.get(text_at(device, "deviceName")) != "usb"
    ]
    names += [
        name
        for name, interface in _interfaces(guest)
        if interface.get("sriov") is not None and not text_at(interface, "pciAddress")
    ]
    for place, name in enumerate(names, start=_places_before_host_devices(guest) + 1):
        yield name, f"device {place}"


def _places_before_host_devices(guest: GuestMachine) -> int:
    interfaces = [interface for _, interface in _interfaces(guest)]
    own = sum(each.get("sriov") is None and not text_at(each, "pciAddress") for each in interfaces)
    if _is_on_root_complex(guest):
        return own
    reserved = max(0, _INTERFACE_SLOTS - len(interfaces)) if interfaces else 0
    plugged = {
        text_at(volume, "name")
        for volume in map(object_at, array_at(guest.spec, "volumes"))
        if any(object_at(source).get("hotpluggable") is True for source in volume.values())
    }
    buses = [bus for name, _, _, bus in _disks(guest) if name not in plugged]
    has_scsi = "scsi" in buses or guest.domain("devices").get("disableHotplug") is not True
    return len(shared_folders(guest)) + own + reserved + has_scsi + buses.count("virtio")


def _is_on_root_complex(guest: GuestMachine) -> bool:
    return object_at(guest.metadata, "annotations").get(_ON_ROOT_COMPLEX) == "true"


def _kinds_of_resources(guest: GuestMachine) -> Mapping[str, str]:
    """Return the list of ``permittedHostDevices`` that has each resource name."""
    permitted = object_at(guest.cluster.kubevirt, "spec", "configuration", "permittedHostDevices")
    return {
        text_at(device, "resourceName"): kind
        for kind in ("pciHostDevices", "mediatedDevices", "usb")
        for device in map(object_at, array_at(permitted, kind))
    }


def host_devices(guest: GuestMachine) -> Mapping[str, str]:
    """Return the GPUs and other devices of the host by name."""
    return {
        text_at(device, "name"): text_at(device, "deviceName") or "claimed"
        for key in ("gpus", "hostDevices")
        for device in map(object_at, array_at(guest.domain("devices"), key))
    }


def shared_folders(guest: GuestMachine) -> Mapping[str, str]:
    """Return the folders that the guest mounts by tag."""
    folders = map(object_at, array_at(guest.domain("devices"), "filesystems"))
    return {text_at(each, "name"): "virtiofs" for each in folders}


def other_devices(guest: GuestMachine) -> Mapping[str, str]:
    """Return the devices of which nothing in the guest depends on a name or place."""
    devices = guest.domain("devices")
    found: dict[str, str] = {}
    for flag, name in _ATTACHED.items():
        if devices.get(flag, flag != "autoattachVSOCK") is not False:
            found[name] = "attached"
    video = text_at(devices, "video", "type")
    if "display" in found and video:
        found["display"] = video
    for key in ("rng", "watchdog", "sound", "downwardMetrics"):
        if devices.get(key) is not None:
            kinds = sorted(name for name in object_at(devices, key) if name != "name")
            found[key] = " ".join(kinds) or "attached"
    for key in ("inputs", "panicDevices"):
        for number, device in enumerate(map(object_at, array_at(devices, key)), start=1):
            kind = " ".join(filter(None, (text_at(device, "type"), text_at(device, "bus"))))
            found[text_at(device, "name") or f"{key} {number}"] = kind or text_at(device, "model")
    return found
