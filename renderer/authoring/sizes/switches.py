"""The switches of ``customize``, for instance types and for preferences.

The fields are the fields of ``VirtualMachineInstancetypeSpec`` and ``VirtualMachinePreferenceSpec`` (KubeVirt
``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``). The names of these fields in ``virtctl create
instancetype`` and ``virtctl create preference`` are accepted as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from renderer.authoring.sizes.switch_values import (
    Constant,
    Count,
    Devices,
    Memory,
    Name,
    PageSize,
    Pairs,
    Text,
    Value,
)
from renderer.model.kube.json import EMPTY, Json
from renderer.model.text_enum import TextEnum


class SwitchTarget(TextEnum):
    """The kind of object that a switch changes."""

    INSTANCETYPE = "instance type"
    PREFERENCE = "preference"


class Switch(NamedTuple):
    """``--name VALUE`` writes the field ``path`` of a spec; ``--no-name`` removes one that ``is_optional``.

    ``off`` is written instead of removing the field if a missing field does not mean off, but only if the
    field ``off_within`` is present. ``also_creates`` are mappings that are created with this field, and
    ``replaces`` are fields that would contradict it.
    """

    name: str
    path: str
    value: Value
    summary: str
    alias: str = ""
    is_optional: bool = True
    off: Json = None
    off_within: str = ""
    also_creates: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()


_ON, _PRESENT = Constant(), Constant(EMPTY)
_PERCENT = Count(0, 100)
_SECONDS = Count(0, (1 << 63) - 1, "SECONDS")
_EFI = "firmware.preferredEfi"
_BIOS = ("firmware.preferredUseBios", "firmware.preferredUseBiosSerial")


def _on_off_switch(name: str, path: str, summary: str) -> Switch:
    """Return a switch whose ``--no-`` form writes false, since KubeVirt's own default may be true."""
    return Switch(name, path, _ON, summary, off=False)


INSTANCETYPE_SWITCHES = (
    Switch("vcpus", "cpu.guest", Count(), "vCPUs of the guest.", alias="cpu", is_optional=False),
    Switch("memory", "memory.guest", Memory(), "Memory of the guest.", is_optional=False),
    Switch("max-sockets", "cpu.maxSockets", Count(), "Most sockets that hot-plug can reach."),
    Switch("cpu-model", "cpu.model", Text("MODEL"), "CPU model, such as host-passthrough."),
    Switch("dedicated-cpus", "cpu.dedicatedCPUPlacement", _ON, "A physical core for each vCPU."),
    Switch(
        "isolate-emulator-thread",
        "cpu.isolateEmulatorThread",
        _ON,
        "One more core, for the emulator.",
    ),
    Switch(
        "numa-passthrough",
        "cpu.numa.guestMappingPassthrough",
        _PRESENT,
        "Show the host's NUMA nodes to the guest.",
    ),
    Switch("realtime", "cpu.realtime", _PRESENT, "vCPUs that run with realtime priority."),
    Switch("hugepages", "memory.hugepages.pageSize", PageSize(), "Memory in huge pages: 2Mi, 1Gi."),
    Switch(
        "max-guest-memory",
        "memory.maxGuest",
        Memory(),
        "Most memory that hot-plug can reach.",
        alias="max-guest",
    ),
    Switch(
        "overcommit-percent",
        "memory.overcommitPercent",
        _PERCENT,
        "How much less memory is requested of the node.",
        alias="overcommit",
    ),
    Switch(
        "io-threads-policy",
        "ioThreadsPolicy",
        Text("POLICY"),
        "auto, shared or supplementalPool.",
        alias="iothreadspolicy",
    ),
    Switch("io-threads", "ioThreads.supplementalPoolThreadCount", Count(), "Threads of a supplementalPool."),
    Switch("gpu", "gpus", Devices(), "A GPU to pass through; replaces one of the same name."),
    Switch(
        "host-device",
        "hostDevices",
        Devices(),
        "Another host device; replaces one of the same name.",
        alias="hostdevice",
    ),
    Switch("node-selector", "nodeSelector", Pairs(are_labels=True), "A label that the node must have."),
    Switch("scheduler-name", "schedulerName", Text("NAME"), "Scheduler of the pods."),
    Switch("vm-annotation", "annotations", Pairs(are_labels=False), "An annotation of the VM that uses it."),
)

PREFERENCE_SWITCHES = (
    Switch(
        "topology",
        "cpu.preferredCPUTopology",
        Text("TOPOLOGY"),
        "What vCPUs are: sockets, cores, threads, spread or any.",
        alias="cpu-topology",
    ),
    Switch(
        "spread-across",
        "cpu.spreadOptions.across",
        Text("WHAT"),
        "SocketsCores, SocketsCoresThreads or CoresThreads.",
    ),
    Switch("spread-ratio", "cpu.spreadOptions.ratio", Count(), "Cores per socket, or threads per core."),
    Switch("disk-bus", "devices.preferredDiskBus", Text("BUS"), "virtio, sata, scsi or usb."),
    Switch("cdrom-bus", "devices.preferredCdromBus", Text("BUS"), "sata, scsi or usb."),
    Switch("lun-bus", "devices.preferredLunBus", Text("BUS"), "virtio, sata, scsi or usb."),
    Switch("disk-cache", "devices.preferredDiskCache", Text("MODE"), "none, writethrough or writeback."),
    Switch("disk-io", "devices.preferredDiskIO", Text("MODE"), "native or threads."),
    _on_off_switch(
        "dedicated-io-thread", "devices.preferredDiskDedicatedIoThread", "An I/O thread for each disk."
    ),
    _on_off_switch(
        "block-multiqueue", "devices.preferredBlockMultiQueue", "As many queues for disks as vCPUs."
    ),
    Switch("interface-model", "devices.preferredInterfaceModel", Text("MODEL"), "virtio, e1000e, rtl8139 …"),
    Switch("interface-masquerade", "devices.preferredInterfaceMasquerade", _PRESENT, "NAT for interfaces."),
    _on_off_switch(
        "network-multiqueue",
        "devices.preferredNetworkInterfaceMultiQueue",
        "As many queues for interfaces as vCPUs.",
    ),
    Switch("input-bus", "devices.preferredInputBus", Text("BUS"), "virtio or usb."),
    Switch("input-type", "devices.preferredInputType", Text("TYPE"), "tablet."),
    Switch("sound-model", "devices.preferredSoundModel", Text("MODEL"), "ich9 or ac97."),
    Switch("video-type", "devices.preferredVideoType", Text("TYPE"), "virtio, vga, bochs, cirrus or ramfb."),
    Switch("panic-device", "devices.preferredPanicDeviceModel", Text("MODEL"), "pvpanic, isa or hyperv."),
    _on_off_switch("graphics", "devices.preferredAutoattachGraphicsDevice", "A graphics device and VNC."),
    _on_off_switch("serial-console", "devices.preferredAutoattachSerialConsole", "A serial console."),
    _on_off_switch("mem-balloon", "devices.preferredAutoattachMemBalloon", "A memory balloon."),
    _on_off_switch("input-device", "devices.preferredAutoattachInputDevice", "An input device."),
    Switch("rng", "devices.preferredRng", _PRESENT, "A source of random numbers."),
    Switch("tpm", "devices.preferredTPM", _PRESENT, "A TPM."),
    Switch(
        "persistent-tpm",
        "devices.preferredTPM.persistent",
        _ON,
        off=False,
        off_within="devices.preferredTPM",
        summary="A TPM whose state outlives a restart.",
    ),
    Switch(
        "efi",
        _EFI,
        _PRESENT,
        replaces=_BIOS,
        summary="Boot by EFI.",
    ),
    Switch(
        "secure-boot",
        f"{_EFI}.secureBoot",
        _ON,
        off=False,
        off_within=_EFI,
        also_creates=("features.preferredSmm",),
        replaces=_BIOS,
        summary="Boot by EFI, signed code only; enables SMM, too.",
    ),
    Switch(
        "persistent-efi",
        f"{_EFI}.persistent",
        _ON,
        off=False,
        off_within=_EFI,
        replaces=_BIOS,
        summary="EFI variables that outlive a restart.",
    ),
    Switch(
        "bios",
        "firmware.preferredUseBios",
        _ON,
        replaces=(_EFI,),
        summary="Boot by BIOS.",
    ),
    Switch("machine-type", "machine.preferredMachineType", Text("TYPE"), "Machine type, such as q35."),
    Switch(
        "storage-class",
        "volumes.preferredStorageClassName",
        Name(),
        "Storage class of new volumes.",
        alias="volume-storage-class",
    ),
    Switch("subdomain", "preferredSubdomain", Name(), "Subdomain of the VM's host name."),
    Switch(
        "termination-grace-period",
        "preferredTerminationGracePeriodSeconds",
        _SECONDS,
        "How long the guest may take to shut down.",
    ),
    Switch("architecture", "preferredArchitecture", Text("ARCH"), "amd64, arm64 or s390x, as default."),
    Switch("min-vcpus", "requirements.cpu.guest", Count(), "Fewer vCPUs are refused."),
    Switch("min-memory", "requirements.memory.guest", Memory(), "Less memory is refused."),
    Switch(
        "required-architecture", "requirements.architecture", Text("ARCH"), "Other architectures are refused."
    ),
)


SWITCHES_FOR: Mapping[SwitchTarget, tuple[Switch, ...]] = {
    SwitchTarget.INSTANCETYPE: INSTANCETYPE_SWITCHES,
    SwitchTarget.PREFERENCE: PREFERENCE_SWITCHES,
}
SWITCHES: Mapping[str, Switch] = {
    switch.name: switch for switches in SWITCHES_FOR.values() for switch in switches
}
