"""What the guest sees of its machine, and what may break in it when that changes.

Each row of ``FACTS`` is one fact: how it is read from the instance that virt-controller would start, what is
at risk in Windows and in Linux guests, and the function of virt-launcher that shows it to the guest. Paths
without a folder are in KubeVirt's ``pkg/virt-launcher/virtwrap/converter``. What the guest does with it is
known from the guests: systemd names interfaces by their PCI places (``systemd.net-naming-scheme``), Windows
activates and seals BitLocker keys to firmware, processor and TPM.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.guest_system import OS_ANNOTATION, WINDOWS, enabled_features, guest_system
from renderer.kubevirt.facts.launcher_pod import host_name
from renderer.kubevirt.facts.sizes import positive
from renderer.kubevirt.facts.virtual_machine import elements
from renderer.kubevirt.impact.guest_devices import (
    block_sizes,
    disk_buses,
    disk_names,
    disk_serials,
    host_device_places,
    host_devices,
    interface_indexes,
    interface_models,
    interface_places,
    mac_addresses,
    other_devices,
    shared_folders,
)
from renderer.kubevirt.impact.guest_machine import GuestMachine
from renderer.model.difference import GuestChange
from renderer.model.kube.json import JsonObject, array_at, object_at, scalar_text, text_at

#: Texts of a fact by device; the empty name is the machine itself.
Seen: TypeAlias = Mapping[str, str]


#: Machine types without a version, for which QEMU takes its newest at each start.
_MACHINE_ALIASES = frozenset({"pc", "pseries", "q35", "s390-ccw-virtio", "virt"})
#: The fact by which cloud-init knows whether it has set up a guest.
CLOUD_INIT_INSTANCE = "cloud-init instance"
_CONVERTER = "pkg/virt-launcher/virtwrap/converter"
_ANEW = "made anew at each start"

#: What KubeVirt writes into the mainboard's data by default (``pkg/virt-config/virt-config.go``).
_SMBIOS: JsonObject = {"family": "KubeVirt", "manufacturer": "KubeVirt", "product": "None"}


class FactRow(NamedTuple):
    """A fact, the function that reads it, what it puts at risk, and where virt-launcher shows it.

    ``gone`` is at risk if a device goes. A fact that ``is_detail`` of a device counts only while it stays.
    ``is_harmless`` tests whether a change from one text to another puts nothing at risk.
    """

    fact: str
    read: Callable[[GuestMachine], Seen]
    source: str
    windows: str = ""
    linux: str = ""
    gone: str = ""
    is_detail: bool = False
    is_harmless: Callable[[str, str], bool] = lambda _before, _after: False

    @property
    def upstream(self) -> str:
        """The function, with the whole path in KubeVirt's source."""
        return self.source if self.source.startswith("pkg/") else f"{_CONVERTER}/{self.source}"


def _of_machine(read: Callable[[GuestMachine], str]) -> Callable[[GuestMachine], Seen]:
    """Return a function that reads a fact of the machine itself."""
    return lambda guest: {"": text} if (text := read(guest)) else {}


def _topology(guest: GuestMachine) -> str:
    cpu = guest.domain("cpu")
    counts = [(_count(cpu, key), key[:-1]) for key in ("sockets", "cores", "threads")]
    return ", ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts)


def _count(cpu: JsonObject, key: str) -> int:
    count = cpu.get(key)
    return count if isinstance(count, int) and positive(count) else 1


def _cpu_model(guest: GuestMachine) -> str:
    return text_at(guest.domain("cpu"), "model") or "host-model"


def _cpu_features(guest: GuestMachine) -> str:
    features = [each for _, each in elements(guest.domain("cpu").get("features"))]
    texts = (f"{text_at(each, 'name')} ({text_at(each, 'policy') or 'require'})" for each in features)
    return ", ".join(sorted(texts))


def _machine_type(guest: GuestMachine) -> str:
    name = text_at(guest.domain("machine"), "type")
    if name in _MACHINE_ALIASES and guest.cluster.hypervisor:
        return f"{name} (the newest of {guest.cluster.hypervisor})"
    return name


def _architecture(guest: GuestMachine) -> str:
    return text_at(guest.spec, "architecture")


def _bootloader(guest: GuestMachine) -> str:
    efi = guest.domain("firmware", "bootloader").get("efi")
    if efi is None:
        return "" if _architecture(guest) == "s390x" else "BIOS"
    return "UEFI" if object_at(efi).get("secureBoot") is False else "UEFI with secure boot"


def _firmware_variables(guest: GuestMachine) -> str:
    efi = guest.domain("firmware", "bootloader").get("efi")
    if efi is None:
        return ""
    return "kept" if object_at(efi).get("persistent") is True else _ANEW


def _tpm(guest: GuestMachine) -> str:
    tpm = guest.domain("devices").get("tpm")
    if tpm is None or object_at(tpm).get("enabled") is False:
        return ""
    if object_at(tpm).get("persistent") is True:
        return "TPM 2.0, its state kept"
    return f"TPM 2.0, its state {_ANEW}"


def _uuid(guest: GuestMachine) -> str:
    return guest.chosen(text_at(guest.domain("firmware"), "uuid"))


def _serial(guest: GuestMachine) -> str:
    return guest.chosen(text_at(guest.domain("firmware"), "serial"))


def _smbios(guest: GuestMachine) -> str:
    chassis = {f"chassis {key}": value for key, value in guest.domain("chassis").items()}
    found = {**_SMBIOS, **object_at(guest.cluster.kubevirt, "spec", "configuration", "smbios"), **chassis}
    return ", ".join(f"{key} {scalar_text(value)}" for key, value in sorted(found.items()) if value)


def _clock(guest: GuestMachine) -> str:
    clock = guest.domain("clock")
    utc = clock.get("utc")
    if utc is not None:
        offset = object_at(utc).get("offsetSeconds")
        return "UTC" if offset is None else f"UTC {scalar_text(offset)}s"
    return text_at(clock, "timezone") or "UTC"


def _timers(guest: GuestMachine) -> str:
    return ", ".join(
        f"{name}{''.join(f' {key}={scalar_text(value)}' for key, value in sorted(object_at(timer).items()))}"
        for name, timer in sorted(guest.domain("clock", "timer").items())
        if timer is not None
    )


def _hyperv(guest: GuestMachine) -> str:
    features = guest.domain("features").get("hypervPassthrough")
    if features is not None and object_at(features).get("enabled") is not False:
        return "all that the node has"
    return ", ".join(enabled_features(guest.domain("features", "hyperv")))


def _acpi(guest: GuestMachine) -> str:
    return "off" if object_at(guest.domain("features"), "acpi").get("enabled") is False else "on"


def _kvm_signature(guest: GuestMachine) -> str:
    return "hidden" if guest.domain("features", "kvm").get("hidden") is True else "shown"


def _platform(guest: GuestMachine) -> str:
    features = guest.domain("features")
    return ", ".join(name for name in enabled_features(features) if name in ("apic", "pvspinlock", "smm"))


def _kernel(guest: GuestMachine) -> str:
    boot = guest.domain("firmware", "kernelBoot")
    parts = (text_at(boot, "container", "image"), text_at(boot, "kernelArgs"))
    return " ".join(filter(None, parts))


def _memory_encryption(guest: GuestMachine) -> str:
    return ", ".join(
        sorted(key for key, value in guest.domain("launchSecurity").items() if value is not None)
    )


def _numa(guest: GuestMachine) -> str:
    return (
        "nodes of the host" if guest.domain("cpu", "numa").get("guestMappingPassthrough") is not None else ""
    )


def _virtio_generation(guest: GuestMachine) -> str:
    return "transitional" if guest.domain("devices").get("useVirtioTransitional") is True else "modern"


def _boot_order(guest: GuestMachine) -> str:
    ordered: list[tuple[int, str]] = []
    for key in ("disks", "interfaces"):
        for device in map(object_at, array_at(guest.domain("devices"), key)):
            order = device.get("bootOrder")
            if isinstance(order, int) and not isinstance(order, bool):
                ordered.append((order, text_at(device, "name")))
    return ", ".join(name for _, name in sorted(ordered))


def _host_name(guest: GuestMachine) -> str:
    return host_name(guest.name, guest.spec)


def _cloud_init_instance(guest: GuestMachine) -> str:
    """Return what cloud-init takes for the identity of the instance; empty without cloud-init."""
    volumes: Sequence[JsonObject] = [object_at(each) for each in array_at(guest.spec, "volumes")]
    if any(each.get("cloudInitConfigDrive") is not None for each in volumes):
        return f"{guest.name}.{guest.namespace}"
    return _uuid(guest) if any(each.get("cloudInitNoCloud") is not None for each in volumes) else ""


def _was_made_anew(before: str, _after: str) -> bool:
    return before.endswith(_ANEW)


def _has_equal_sockets(before: str, after: str) -> bool:
    """Return True if there are only more or fewer of the same sockets."""
    return before.partition(",")[2] == after.partition(",")[2]


_ACTIVATION = "Windows and other software may have to be activated again"
_NEW_ADAPTER = "a new network adapter: static addresses stay with the old one"
_INTERFACE_NAMES = "interface names by PCI place (enp1s0) may change, and configurations by name do not match"
_BITLOCKER = "BitLocker asks for its recovery key"
_SEALED = "keys sealed to the TPM (LUKS, systemd-cryptenroll) do not open"

#: In the order in which readers see them: what keeps a guest from booting is first.
FACTS: Sequence[FactRow] = (
    FactRow(
        "architecture",
        _of_machine(_architecture),
        "arch/converter.go NewConverter",
        "the installed system does not boot",
        "the installed system does not boot",
    ),
    FactRow(
        "firmware",
        _of_machine(_bootloader),
        "compute/os.go configureEFI",
        f"a system installed for the other firmware does not boot; with secure boot changed, {_BITLOCKER}",
        "a system installed for the other firmware does not boot; secure boot loads no unsigned module",
    ),
    FactRow(
        "disk",
        disk_buses,
        "storage/disk.go convert_v1_Disk_To_api_Disk",
        "a boot disk whose new driver is not installed beforehand stops the boot (INACCESSIBLE_BOOT_DEVICE)",
        "an initramfs without the driver of the new bus stops the boot",
        gone="a mount of it in fstab without nofail stops the boot",
    ),
    FactRow(
        "sector size of disk",
        block_sizes,
        "storage/disk.go convert_v1_BlockSize_To_api_BlockIO",
        "partitions made with other sectors are not found",
        "partitions made with other sectors are not found",
        is_detail=True,
    ),
    FactRow(
        "boot order",
        _of_machine(_boot_order),
        "storage/disk.go convert_v1_Disk_To_api_Disk",
        "another device may be booted first",
        "another device may be booted first",
    ),
    FactRow(
        "kernel",
        _of_machine(_kernel),
        "compute/os.go configureKernelBoot",
        linux="another kernel or command line boots",
    ),
    FactRow(
        "TPM",
        _of_machine(_tpm),
        "compute/tpm.go Configure",
        f"{_BITLOCKER}; keys in the TPM are lost with its state",
        f"{_SEALED}; keys in the TPM are lost with its state",
        is_harmless=_was_made_anew,
    ),
    FactRow(
        "firmware variables",
        _of_machine(_firmware_variables),
        "compute/os.go configureEFI",
        f"boot entries and enrolled keys are lost; {_BITLOCKER}",
        "boot entries and enrolled keys are lost",
        is_harmless=_was_made_anew,
    ),
    FactRow(
        "memory encryption",
        _of_machine(_memory_encryption),
        "compute/launch_security.go Configure",
        "guests without support for it do not boot",
        "guests without support for it do not boot",
    ),
    FactRow(
        "machine type",
        _of_machine(_machine_type),
        "compute/os.go configureMachineType",
        f"{_ACTIVATION}; devices are found anew, and {_NEW_ADAPTER}",
        _INTERFACE_NAMES,
    ),
    FactRow(
        "virtio devices",
        _of_machine(_virtio_generation),
        "virtio/transitional-model.go InterpretTransitionalModelType",
        f"devices are found anew: {_NEW_ADAPTER}; old drivers do not know modern devices",
        "old kernels do not know modern devices",
    ),
    FactRow(
        "firmware UUID",
        _of_machine(_uuid),
        "compute/sysinfo.go buildSystem",
        _ACTIVATION,
        "software licensed to the UUID, and cloud-init without an id of its own, take it for a new machine",
    ),
    FactRow(
        "serial number",
        _of_machine(_serial),
        "compute/sysinfo.go buildSystem",
        "software licensed to the serial number; inventories",
        "software licensed to the serial number; inventories",
    ),
    FactRow(
        "mainboard",
        _of_machine(_smbios),
        "compute/sysinfo.go buildSystem",
        _ACTIVATION,
        "udev rules and software that read DMI data",
    ),
    FactRow(
        CLOUD_INIT_INSTANCE,
        _of_machine(_cloud_init_instance),
        "pkg/cloud-init/cloud-init.go GenerateLocalData",
        "cloudbase-init runs its plugins again",
        "cloud-init runs as at a first boot: new SSH host keys, users, network configuration",
    ),
    FactRow(
        "host name",
        _of_machine(_host_name),
        "pkg/util/net/dns/sanitize.go SanitizeHostname",
        "a host name that DHCP sets changes",
        "a host name that DHCP or cloud-init sets changes, with certificates and clusters that know it",
    ),
    FactRow(
        "CPU model",
        _of_machine(_cpu_model),
        "compute/cpu.go configureCPUModel",
        _ACTIVATION,
        "programs built for features that the new model lacks stop with SIGILL",
    ),
    FactRow(
        "CPU features",
        _of_machine(_cpu_features),
        "compute/cpu.go configureCPUFeatures",
        "nested virtualization and software that needs a removed feature",
        "programs that need a removed feature stop with SIGILL",
    ),
    FactRow(
        "CPU topology",
        _of_machine(_topology),
        "compute/cpu.go configureCPUTopology",
        "licences that count cores; Windows 10 and 11 use at most two sockets",
        "licences that count cores",
        is_harmless=_has_equal_sockets,
    ),
    FactRow(
        "NUMA",
        _of_machine(_numa),
        "vcpu/vcpu.go numaMapping",
        "software pinned to NUMA nodes",
        "software pinned to NUMA nodes",
    ),
    FactRow(
        "device name of disk",
        disk_names,
        "storage/disk.go makeDeviceName",
        "disk numbers, and drive letters of CD-ROMs and new disks",
        "fstab, boot loader and scripts that name the device instead of UUID= or /dev/disk/by-id",
        is_detail=True,
    ),
    FactRow(
        "serial number of disk",
        disk_serials,
        "storage/disk.go convert_v1_Disk_To_api_Disk",
        "storage pools and clusters that know disks by serial number",
        "/dev/disk/by-id in fstab, multipath, LVM filters and ZFS",
        is_detail=True,
    ),
    FactRow(
        "interface",
        interface_models,
        "network/configurator.go configureInterface",
        f"{_NEW_ADAPTER}, and its driver has to be installed",
        "another driver; interface names and configurations by driver may not match",
        gone="the addresses and routes on it",
    ),
    FactRow(
        "MAC address of interface",
        mac_addresses,
        "network/configurator.go configureInterface",
        f"DHCP gives another address; licences by MAC; {_NEW_ADAPTER}",
        "DHCP gives another address; udev, netplan and ifcfg files that match the MAC do not",
        is_detail=True,
    ),
    FactRow(
        "index of interface",
        interface_indexes,
        "network/configurator.go configureInterface",
        _NEW_ADAPTER,
        "the interface name by index (eno1) changes, and configurations by name do not match",
        is_detail=True,
    ),
    FactRow(
        "PCI place of interface",
        interface_places,
        "pci-placement.go iteratePCIAddresses, and libvirt",
        _NEW_ADAPTER,
        _INTERFACE_NAMES,
        is_detail=True,
    ),
    FactRow(
        "host device",
        host_devices,
        "pkg/virt-launcher/virtwrap/device/hostdevice/hostdev.go",
        "drivers and licences of the device",
        "drivers of the device",
        gone="what uses it in the guest",
    ),
    FactRow(
        "PCI place of host device",
        host_device_places,
        "pci-placement.go iteratePCIAddresses, and libvirt",
        "the device is found anew: its driver is set up again, and licences bound to it may be lost",
        "configurations with its address (Xorg BusID), and names of its interfaces or disks, may not match",
        is_detail=True,
    ),
    FactRow(
        "shared folder",
        shared_folders,
        "storage/virtiofs.go",
        "what mounts it by its tag",
        "a mount by its tag fails, and may stop the boot",
        gone="a mount by its tag fails, and may stop the boot",
    ),
    FactRow(
        "clock",
        _of_machine(_clock),
        "compute/clock.go convertClockToAPIClock",
        "the time is off until it is synchronized: Windows expects local time",
        "the time is off until it is synchronized",
    ),
    FactRow("timers", _of_machine(_timers), "compute/clock.go convertClockToAPIClock"),
    FactRow(
        "Hyper-V features",
        _of_machine(_hyperv),
        "compute/hypervisor_features.go",
        "timing, and software that detects the hypervisor",
    ),
    FactRow(
        "ACPI",
        _of_machine(_acpi),
        "compute/hypervisor_features.go",
        "the guest may not boot, and does not hear that it shall shut down",
        "the guest does not hear that it shall shut down",
    ),
    FactRow(
        "signature of KVM",
        _of_machine(_kvm_signature),
        "compute/hypervisor_features.go",
        "drivers and licences that refuse virtual machines",
        "paravirtual clock, and software that detects the hypervisor",
    ),
    FactRow("platform features", _of_machine(_platform), "compute/hypervisor_features.go"),
    FactRow(
        "device",
        other_devices,
        "compute",
        gone="what uses it in the guest",
    ),
)

_PREFERENCES = ("kubevirt.io/cluster-preference-name", "kubevirt.io/preference-name", OS_ANNOTATION)


def _system_of(guest: GuestMachine) -> str:
    annotations = object_at(guest.metadata, "annotations")
    return guest_system((text_at(annotations, key) for key in _PREFERENCES), guest.domain())


def guest_changes(
    before: GuestMachine, after: GuestMachine, running: GuestMachine | None = None
) -> tuple[GuestChange, ...]:
    """Return what the guest sees differently after its next start, in the order of ``FACTS``.

    ``running`` is the machine that goes on running after the change: what it has already is seen live.
    """
    system = _system_of(before) or _system_of(after)
    return tuple(
        GuestChange(
            row.fact,
            device,
            old,
            new,
            _risk(row, system, old, new),
            live is not None and live.get(device, "") == new,
            row.upstream,
        )
        for row in FACTS
        for live in (None if running is None else row.read(running),)
        for device, old, new in _differences(row, row.read(before), row.read(after))
    )


def confidential_facts(machine: GuestMachine, without_secrets: GuestMachine) -> frozenset[tuple[str, str]]:
    """Return fact and device of all that a machine shows only because of values that the other one lacks.

    ``without_secrets`` is the same machine with a mask for each confidential value. A fact is confidential in
    whatever way it is made of a value: in small letters, cut, counted or hashed.
    """
    return frozenset(
        (row.fact, device)
        for row in FACTS
        for public in (row.read(without_secrets),)
        for device, text in row.read(machine).items()
        if public.get(device) != text
    )


def _differences(row: FactRow, before: Seen, after: Seen) -> Iterator[tuple[str, str, str]]:
    devices = (each for each in before if each in after) if row.is_detail else (*before, *after)
    for device in dict.fromkeys(devices):
        old, new = before.get(device, ""), after.get(device, "")
        if old != new:
            yield device, old, new


def _risk(row: FactRow, system: str, before: str, after: str) -> str:
    """Return what is at risk in the guest; empty if it had nothing before that it could lose."""
    if row.is_harmless(before, after) or not (before or row.is_detail):
        return ""
    if not after and row.gone:
        return row.gone
    if system:
        return row.windows if system == WINDOWS else row.linux
    if row.windows == row.linux:
        return row.windows
    both = (("Windows", row.windows), ("Linux", row.linux))
    return "; ".join(f"{name}: {text}" for name, text in both if text)
