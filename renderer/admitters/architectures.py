"""What a VirtualMachineInstance cannot have on its architecture (KubeVirt ``pkg/virt-api/webhooks``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.admitters.cause import Causes, invalid, not_supported
from renderer.admitters.cluster import Cluster
from renderer.admitters.firmware import boots_securely
from renderer.admitters.vmi_spec import VmiSpec, has, present, section, text
from renderer.model.record import Record

_DISK_BUSES_ON_ARM = ("", "virtio", "scsi")
_WATCHDOGS = frozenset({"i6300esb", "diag288"})


class _Architecture(Record):
    """The one watchdog that there is, if any, and the types of video."""

    watchdog: str | None
    videos: tuple[str, ...]


_ARCHITECTURES: Mapping[str, _Architecture] = {
    "amd64": _Architecture("i6300esb", ("vga", "cirrus", "virtio", "ramfb", "bochs")),
    "arm64": _Architecture(None, ("virtio", "ramfb")),
    "s390x": _Architecture("diag288", ("virtio",)),
}


#: Whatever watchdog it has.
_PPC64LE = _Architecture("", ("virtio", "bochs", "vga", "cirrus"))


def check_architecture(vmi: VmiSpec, cluster: Cluster) -> Causes:
    name = vmi.architecture
    if not cluster.behaviour.checks_every_architecture and name != "arm64":
        return
    architecture = _ARCHITECTURES.get(name)
    if architecture is None and name == "ppc64le" and cluster.behaviour.knows_ppc64le:
        architecture = _PPC64LE
    if architecture is None:
        hint = f"one of {', '.join(_ARCHITECTURES)}"
        yield invalid(vmi.at("architecture"), f"KubeVirt does not know the architecture {name!r}", hint)
        return
    if name == "arm64":
        yield from _check_arm64(vmi, cluster)
    yield from _check_watchdog(vmi, name, architecture)
    video = text(section(vmi.devices, "video"), "type")
    if has(vmi.devices, "video") and video not in architecture.videos:
        hint = f"one of {', '.join(architecture.videos)}"
        yield not_supported(vmi.device("video", "type"), f"{name} has no video device {video!r}", hint)


def _check_watchdog(vmi: VmiSpec, name: str, architecture: _Architecture) -> Causes:
    if not has(vmi.devices, "watchdog") or architecture.watchdog == "":
        return
    at = vmi.device("watchdog")
    if architecture.watchdog is None:
        yield not_supported(at, f"{name} has no watchdog")
    elif present(section(vmi.devices, "watchdog"), _WATCHDOGS) != [architecture.watchdog]:
        yield not_supported(at, f"the watchdog of {name} is {architecture.watchdog}, and no other")


def _check_arm64(vmi: VmiSpec, cluster: Cluster) -> Causes:
    bootloader = section(section(vmi.domain, "firmware"), "bootloader")
    if has(bootloader, "bios"):
        at = vmi.at("domain", "firmware", "bootloader", "bios")
        yield not_supported(at, "arm64 does not boot by bios", "use efi")
    if not cluster.behaviour.arm64_boots_securely and boots_securely(vmi):
        at = vmi.at("domain", "firmware", "bootloader", "efi", "secureBoot")
        yield not_supported(at, "arm64 does not boot securely", "set secureBoot: false")
    model = text(vmi.cpu, "model")
    knows_models = not cluster.behaviour.checks_every_architecture and model != "host-model"
    if model not in ("", "host-passthrough") and not knows_models:
        at = vmi.at("domain", "cpu", "model")
        yield not_supported(at, f"arm64 has no CPU model {model}", "use host-passthrough")
    for index, disk in enumerate(vmi.disks):
        for target in ("disk", "cdrom", "lun"):
            bus = text(section(disk, target), "bus")
            if bus not in _DISK_BUSES_ON_ARM:
                at = vmi.device("disks", index, target, "bus")
                yield not_supported(at, f"arm64 has no disks on the bus {bus}", "use virtio or scsi")
    if has(vmi.devices, "sound"):
        yield not_supported(vmi.device("sound"), "arm64 has no sound device")
