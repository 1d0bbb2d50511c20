"""Machine types, and what a VirtualMachineInstance cannot have on its architecture."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from renderer.admitters.causes import Causes, invalid, not_supported
from renderer.admitters.cluster import Cluster
from renderer.admitters.firmware import boots_securely
from renderer.admitters.vmi_spec import VmiSpec, has, present, section, text
from renderer.model.record import Record

_EMULATED = {
    "amd64": ("q35*", "pc-q35*"),
    "arm64": ("virt*",),
    "s390x": ("s390-ccw-virtio*",),
    "ppc64le": ("pseries*",),
}


def check_machine_type(vmi: VmiSpec, cluster: Cluster) -> Causes:
    machine = text(section(vmi.domain, "machine"), "type")
    if not machine:
        return
    patterns = emulated_machines(vmi.architecture, cluster)
    matches = _contains if cluster.behaviour.machines_are_regular_expressions else _matches
    if not any(matches(pattern, machine) for pattern in patterns):
        yield invalid(
            vmi.at("domain", "machine", "type"),
            f"the cluster does not emulate the machine type {machine}",
            f"of architecture {cluster.architecture(vmi.architecture)} it has {', '.join(patterns)}",
        )


def emulated_machines(architecture: str, cluster: Cluster) -> Sequence[str]:
    """Patterns of machine types (``GetEmulatedMachines``)."""
    if cluster.config.emulated_machines:
        return cluster.config.emulated_machines
    is_known = architecture != "ppc64le" or cluster.behaviour.knows_ppc64le
    known = architecture if architecture in _EMULATED and is_known else "amd64"
    return cluster.config.emulated_machines_of.get(known) or _EMULATED[known]


def _contains(pattern: str, name: str) -> bool:
    try:
        return re.search(pattern, name) is not None
    except re.error:
        return False


def _matches(pattern: str, name: str) -> bool:
    compiled = _compiled(pattern)
    return compiled is not None and compiled.fullmatch(name) is not None


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> re.Pattern[str] | None:
    """A pattern of Go's ``filepath.Match``: ``*``, ``?`` and ``[classes]``; None for a malformed one."""
    try:
        return re.compile(
            re.sub(r"\\(.)|(\[\^?(?:\\.|[^\]\\])+\])|(.)", _translated, pattern, flags=re.DOTALL)
        )
    except re.error:
        return None


def _translated(match: re.Match[str]) -> str:
    escaped, characters, plain = match.groups()
    if characters:
        return str(characters).replace("[", r"\[").replace(r"\[", "[", 1)
    if plain in ("*", "?"):
        return "[^/]*" if plain == "*" else "[^/]"
    return re.escape(str(escaped or plain))


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
