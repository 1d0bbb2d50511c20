"""Machine types, and fields of a VirtualMachineInstance that its architecture does not support."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from renderer.golang.glob import file_path_match
from renderer.kubevirt.admission import firmware
from renderer.kubevirt.admission.causes import (
    NOT_TURNED_ON,
    Cause,
    Causes,
    CauseType,
    gate_hint,
    invalid,
    not_supported,
)
from renderer.kubevirt.admission.check_table import Check, row
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, present, section, text
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.cpu_models import HOST_MODEL, HOST_PASSTHROUGH
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.record import Record

if TYPE_CHECKING:
    from renderer.golang.regexp import Regexp

_AMD64, _ARM64 = ("q35*", "pc-q35*"), ("virt*",)
_PPC64LE_MACHINES, _S390X = ("pseries*",), ("s390-ccw-virtio*",)


class Machines(Record):
    """The machine types that a release emulates: patterns by architecture, and the cluster's settings.

    A missing architecture uses the patterns of amd64. ``fixed`` architectures have no list of their own in
    the configuration; ``has_general`` is True if a list for all architectures counts.
    """

    patterns: Mapping[str, tuple[str, ...]]
    fixed: frozenset[str] = frozenset()
    has_general: bool = True

    def of(self, architecture: str, config: ClusterConfig) -> Sequence[str]:
        """Return the patterns of machine types (``GetEmulatedMachines``)."""
        if self.has_general and config.emulated_machines:
            return config.emulated_machines
        known = architecture if architecture in self.patterns else "amd64"
        own = () if known in self.fixed else config.emulated_machines_of.get(known)
        return own or self.patterns[known]

    def __repr__(self) -> str:
        return f"{', '.join(self.patterns)}{'' if self.has_general else ' without a general list'}"


_PATTERNS_1_0 = {"amd64": _AMD64, "arm64": _ARM64, "ppc64le": _PPC64LE_MACHINES}
_MACHINES_1_0 = Machines(_PATTERNS_1_0, has_general=False)
_MACHINES_1_2 = Machines(_PATTERNS_1_0)
_MACHINES_1_3 = Machines({**_PATTERNS_1_0, "s390x": _S390X}, frozenset({"s390x"}))
_MACHINES_1_7 = Machines({"amd64": _AMD64, "arm64": _ARM64, "s390x": _S390X})
_DISK_BUSES_ON_ARM = ("", "virtio", "scsi")
_WATCHDOGS = frozenset({"i6300esb", "diag288"})
_VIDEOS: Mapping[str, tuple[str, ...]] = {
    "amd64": ("vga", "cirrus", "virtio", "ramfb", "bochs"),
    "arm64": ("virtio", "ramfb"),
    "s390x": ("virtio",),
    "ppc64le": ("virtio", "bochs", "vga", "cirrus"),
}


def check_machine_type(vmi: VmiSpec, cluster: Cluster, *, machines: Machines, is_regexp: bool) -> Causes:
    """Check that the cluster emulates the machine; ``is_regexp``: the patterns are regular expressions."""
    machine = text(section(vmi.domain, "machine"), "type")
    if not machine:
        return
    patterns = machines.of(vmi.architecture, cluster.config)
    matches = _matches_regexp if is_regexp else file_path_match
    if not any(matches(pattern, machine) for pattern in patterns):
        yield invalid(
            vmi.at("domain", "machine", "type"),
            f"the cluster does not emulate the machine type {machine}",
            f"for {cluster.architecture(vmi.architecture)} it emulates {', '.join(patterns)}",
        )


def _machine_row(
    machines: Machines, *, is_regexp: bool, since: str = "", until: str = ""
) -> Check[[VmiSpec, Cluster]]:
    check = partial(check_machine_type, machines=machines, is_regexp=is_regexp)
    return row(check, "machine", upstream="validateEmulatedMachine", since=since, until=until)


#: ``validateEmulatedMachine``
MACHINE_CHECKS: tuple[Check[[VmiSpec, Cluster]], ...] = (
    _machine_row(_MACHINES_1_0, is_regexp=True, until="1.2.1"),
    _machine_row(_MACHINES_1_2, is_regexp=True, since="1.2.1", until="1.3"),
    _machine_row(_MACHINES_1_3, is_regexp=True, since="1.3", until="1.6"),
    _machine_row(_MACHINES_1_3, is_regexp=False, since="1.6", until="1.7"),
    _machine_row(_MACHINES_1_7, is_regexp=False, since="1.7"),
)


def check_foreign_architecture(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject an architecture other than the control plane's, unless the gate is listed.

    Offline we assume that the control plane has the cluster's default architecture.
    """
    own = cluster.config.default_architecture
    if vmi.architecture not in ("", own) and Gate.MULTI_ARCHITECTURE not in cluster.gates:
        yield Cause(
            CauseType.REQUIRED,
            vmi.at("architecture"),
            f"the architecture {vmi.architecture} differs from the control plane's, {own}, and needs the"
            f" feature gate {Gate.MULTI_ARCHITECTURE}, {NOT_TURNED_ON}",
            gate_hint(Gate.MULTI_ARCHITECTURE),
            gate=Gate.MULTI_ARCHITECTURE,
        )


def _matches_regexp(pattern: str, name: str) -> bool:
    expression = _regexp(pattern)
    return expression is not None and expression.is_in(name)


@lru_cache(maxsize=64)
def _regexp(pattern: str) -> Regexp | None:
    from renderer.golang.regexp import RegexpError, compile_regexp  # noqa: PLC0415 - releases before 1.6

    try:
        return compile_regexp(pattern)
    except RegexpError:
        return None


def check_architecture(vmi: VmiSpec, _: Cluster, *, known: tuple[str, ...]) -> Causes:
    """Check that the architecture is in ``known``."""
    if vmi.architecture not in known:
        hint = f"one of {', '.join(known)}"
        message = f"KubeVirt does not know the architecture {vmi.architecture!r}"
        yield invalid(vmi.at("architecture"), message, hint)


def _check_on(architecture: str, check: Callable[[VmiSpec], Causes], vmi: VmiSpec, _: Cluster) -> Causes:
    if vmi.architecture == architecture:
        yield from check(vmi)


def _check_arm_boot(vmi: VmiSpec) -> Causes:
    if has(section(section(vmi.domain, "firmware"), "bootloader"), "bios"):
        at = vmi.at("domain", "firmware", "bootloader", "bios")
        yield not_supported(at, "arm64 does not support the boot loader bios", "use efi")


def _check_arm_secure_boot(vmi: VmiSpec) -> Causes:
    if firmware.boots_securely(vmi):
        at = vmi.at("domain", "firmware", "bootloader", "efi")
        message, hint = "arm64 does not support secure boot", "set secureBoot: false"
        bootloader = section(section(vmi.domain, "firmware"), "bootloader")
        is_written = has(section(bootloader, "efi"), "secureBoot")
        fix: Edit = AddField(at, "secureBoot", value=False)
        if is_written:
            fix = SetField(at.child("secureBoot"), value=False)
        yield not_supported(at.child("secureBoot"), message, hint, reported=at.child("secureboot"), fix=fix)


def _check_arm_host_model(vmi: VmiSpec) -> Causes:
    if text(vmi.cpu, "model") == HOST_MODEL:
        at = vmi.at("domain", "cpu", "model")
        message, fix = f"arm64 does not support the CPU model {HOST_MODEL}", SetField(at, HOST_PASSTHROUGH)
        yield not_supported(at, message, f"use {HOST_PASSTHROUGH}", fix=fix)


def _check_arm_cpu_model(vmi: VmiSpec) -> Causes:
    model = text(vmi.cpu, "model")
    if model not in ("", HOST_PASSTHROUGH):
        at = vmi.at("domain", "cpu", "model")
        message, fix = f"arm64 does not support the CPU model {model}", SetField(at, HOST_PASSTHROUGH)
        yield not_supported(at, message, f"use {HOST_PASSTHROUGH}", fix=fix)


def _check_arm_disks(vmi: VmiSpec) -> Causes:
    for index, disk in enumerate(vmi.disks):
        for target in ("disk", "cdrom", "lun"):
            bus = text(section(disk, target), "bus")
            if bus not in _DISK_BUSES_ON_ARM:
                at = vmi.device("disks", index, target, "bus")
                yield not_supported(
                    at, f"arm64 does not support disks on the bus {bus}", "use virtio or scsi"
                )


def _check_no_arm_device(vmi: VmiSpec, *, key: str, name: str) -> Causes:
    if has(vmi.devices, key):
        yield not_supported(vmi.device(key), f"arm64 does not support a {name}")


def _check_watchdog(vmi: VmiSpec, *, watchdog: str) -> Causes:
    if has(vmi.devices, "watchdog") and present(section(vmi.devices, "watchdog"), _WATCHDOGS) != [watchdog]:
        message = f"{vmi.architecture} supports only the watchdog {watchdog}"
        yield not_supported(vmi.device("watchdog"), message)


def check_video_type(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the architecture supports the video device."""
    videos = _VIDEOS.get(vmi.architecture)
    video = text(section(vmi.devices, "video"), "type")
    if videos is not None and has(vmi.devices, "video") and video not in videos:
        hint = f"one of {', '.join(videos)}"
        message = f"{vmi.architecture} does not support the video device {video!r}"
        yield not_supported(vmi.device("video", "type"), message, hint)


def _row_for_architecture(
    architecture: str, check: Callable[[VmiSpec], Causes], *fields: str, since: str = "", until: str = ""
) -> Check[[VmiSpec, Cluster]]:
    """Return the row of a check that applies to one architecture."""
    run = partial(_check_on, architecture, check)
    return row(run, *fields, upstream=f"webhooks/{architecture}.go", since=since, until=until)


#: ``ValidateVirtualMachineInstancePerArch``, which only applies to a VirtualMachineInstance.
ARCHITECTURE_CHECKS: tuple[Check[[VmiSpec, Cluster]], ...] = (
    row(
        partial(check_architecture, known=("amd64", "arm64", "s390x")),
        upstream="ValidateVirtualMachineInstancePerArch",
        since="1.5.2",
        until="1.6",
    ),
    row(
        partial(check_architecture, known=("amd64", "arm64", "s390x", "ppc64le")),
        upstream="ValidateVirtualMachineInstancePerArch",
        since="1.6",
        until="1.7",
    ),
    row(
        partial(check_architecture, known=("amd64", "arm64", "s390x")),
        upstream="ValidateVirtualMachineInstancePerArch",
        since="1.7",
    ),
    _row_for_architecture("arm64", _check_arm_boot, "firmware"),
    _row_for_architecture("arm64", _check_arm_secure_boot, "firmware", until="1.8.3"),
    _row_for_architecture("arm64", _check_arm_host_model, "model", until="1.6"),
    _row_for_architecture("arm64", _check_arm_cpu_model, "model", since="1.6"),
    _row_for_architecture("arm64", _check_arm_disks, "disks"),
    _row_for_architecture(
        "arm64", partial(_check_no_arm_device, key="watchdog", name="watchdog"), "watchdog"
    ),
    _row_for_architecture("arm64", partial(_check_no_arm_device, key="sound", name="sound device"), "sound"),
    _row_for_architecture("amd64", partial(_check_watchdog, watchdog="i6300esb"), "watchdog", since="1.5.2"),
    _row_for_architecture("s390x", partial(_check_watchdog, watchdog="diag288"), "watchdog", since="1.5.2"),
    row(check_video_type, "video", upstream="webhooks validateVideoType…", since="1.6"),
)
