"""The switches for preferences.

The fields are those of ``VirtualMachinePreferenceSpec`` (KubeVirt
``staging/src/kubevirt.io/api/instancetype/v1beta1/types.go``); names that ``virtctl create preference`` has
for them are taken as well.
"""

from __future__ import annotations

from renderer.model.json import EMPTY
from renderer.sizes.customize.switch import Switch
from renderer.sizes.customize.values import Constant, Count, Memory, Name, Text

_ON, _PRESENT = Constant(), Constant(EMPTY)
_SECONDS = Count(0, (1 << 63) - 1, "SECONDS")
_EFI = "firmware.preferredEfi"
_BIOS = ("firmware.preferredUseBios", "firmware.preferredUseBiosSerial")


def _choice(name: str, path: str, summary: str) -> Switch:
    """On or off: KubeVirt's own default may be either, so off is written."""
    return Switch(name, path, _ON, summary, off=False)


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
    _choice("dedicated-io-thread", "devices.preferredDiskDedicatedIoThread", "An I/O thread for each disk."),
    _choice("block-multiqueue", "devices.preferredBlockMultiQueue", "As many queues for disks as vCPUs."),
    Switch("interface-model", "devices.preferredInterfaceModel", Text("MODEL"), "virtio, e1000e, rtl8139 …"),
    Switch("interface-masquerade", "devices.preferredInterfaceMasquerade", _PRESENT, "NAT for interfaces."),
    _choice(
        "network-multiqueue",
        "devices.preferredNetworkInterfaceMultiQueue",
        "As many queues for interfaces as vCPUs.",
    ),
    Switch("input-bus", "devices.preferredInputBus", Text("BUS"), "virtio or usb."),
    Switch("input-type", "devices.preferredInputType", Text("TYPE"), "tablet."),
    Switch("sound-model", "devices.preferredSoundModel", Text("MODEL"), "ich9 or ac97."),
    Switch("video-type", "devices.preferredVideoType", Text("TYPE"), "virtio, vga, bochs, cirrus or ramfb."),
    Switch("panic-device", "devices.preferredPanicDeviceModel", Text("MODEL"), "pvpanic, isa or hyperv."),
    _choice("graphics", "devices.preferredAutoattachGraphicsDevice", "A graphics device and VNC."),
    _choice("serial-console", "devices.preferredAutoattachSerialConsole", "A serial console."),
    _choice("mem-balloon", "devices.preferredAutoattachMemBalloon", "A memory balloon."),
    _choice("input-device", "devices.preferredAutoattachInputDevice", "An input device."),
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
        with_it=("features.preferredSmm",),
        replaces=_BIOS,
        summary="Boot by EFI what is signed; with SMM, which that needs.",
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
    Switch("required-architecture", "requirements.architecture", Text("ARCH"), "Others are refused."),
)
