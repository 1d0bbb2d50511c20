"""Devices other than disks and interfaces, I/O threads and file systems."""

from __future__ import annotations

import re

from renderer.admitters.causes import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import (
    VmiSpec,
    elements,
    has,
    number,
    present,
    section,
    text,
    unless_disabled,
)
from renderer.model.json import EMPTY, JsonObject

_ADDRESS = re.compile(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")


def is_pci_address(address: str) -> bool:
    """Whether it is domain:bus:slot.function, as ``0000:81:01.0``."""
    return _ADDRESS.fullmatch(address) is not None


_IO_THREADS_POLICIES = ("shared", "auto", "supplementalPool")
_SOUND_MODELS = ("ich9", "ac97")
_PANIC_MODELS = ("hyperv", "isa", "pvpanic")


def check_inputs(vmi: VmiSpec, _: Cluster) -> Causes:
    for index, device in enumerate(elements(vmi.devices, "inputs")):
        bus = text(device, "bus")
        if bus not in ("", "virtio", "usb"):
            at = vmi.device("inputs", index, "bus")
            yield invalid(at, f"an input device cannot be on a {bus} bus", "use virtio or usb")
        if text(device, "type") != "tablet":
            kind = text(device, "type") or "nothing"
            at = vmi.device("inputs", index, "type")
            yield invalid(at, f"an input device must be of type tablet, not {kind}", "set type: tablet")


def check_io_threads(vmi: VmiSpec, _: Cluster) -> Causes:
    policy = vmi.domain.get("ioThreadsPolicy")
    if policy is None:
        return
    if policy not in _IO_THREADS_POLICIES:
        at = vmi.at("domain", "ioThreadsPolicy")
        yield invalid(at, f"{policy!r} is no ioThreadsPolicy", f"one of {', '.join(_IO_THREADS_POLICIES)}")
    threads = number(section(vmi.domain, "ioThreads"), "supplementalPoolThreadCount")
    if policy == "supplementalPool" and threads < 1:
        yield invalid(
            vmi.at("domain", "ioThreads", "supplementalPoolThreadCount"),
            "the ioThreadsPolicy supplementalPool needs at least one thread",
            "set ioThreads.supplementalPoolThreadCount",
            reported=vmi.at("domain", "ioThreads", "count"),
        )


def check_ram_framebuffers(vmi: VmiSpec, cluster: Cluster) -> Causes:
    gpus = elements(vmi.devices, "gpus")
    counts_silent = cluster.behaviour.counts_silent_ram_framebuffers
    options = (section(gpu, "virtualGPUOptions") for gpu in gpus)
    if sum(_has_ram_framebuffer(each, counts_silent=counts_silent) for each in options) > 1:
        yield invalid(
            vmi.device("gpus"),
            "more than one GPU has a display with ramFB",
            "set virtualGPUOptions.display.ramFB.enabled: false in all but one",
            reported=vmi.at("GPUs"),
        )


def _has_ram_framebuffer(options: JsonObject, *, counts_silent: bool) -> bool:
    display = section(options, "display")
    if not unless_disabled(options, "display"):
        return False
    is_on = section(display, "ramFB").get("enabled")
    return not has(display, "ramFB") or is_on is True or (counts_silent and is_on is None)


def check_gpus(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if vmi.devices.get("gpus") and Gate.GPU not in cluster.gates:
        yield needs_gate(vmi.device("gpus"), "gpus", Gate.GPU, reported=vmi.at("GPUs"))


def check_host_devices(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if vmi.devices.get("hostDevices") and Gate.HOST_DEVICES not in cluster.gates:
        at = vmi.device("hostDevices")
        yield needs_gate(at, "hostDevices", Gate.HOST_DEVICES, reported=vmi.at("HostDevices"))


def check_sound(vmi: VmiSpec, _: Cluster) -> Causes:
    if not has(vmi.devices, "sound"):
        return
    sound = section(vmi.devices, "sound")
    model = text(sound, "model")
    reported = vmi.at("Sound")
    if model and model not in _SOUND_MODELS:
        at = vmi.device("sound", "model")
        yield invalid(at, f"{model!r} is no sound device", "one of ich9, ac97", reported=reported)
    if not text(sound, "name"):
        yield invalid(vmi.device("sound", "name"), "the sound device has no name", reported=reported)


def check_vsock(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if vmi.devices.get("autoattachVSOCK") and Gate.VSOCK not in cluster.gates:
        yield needs_gate(vmi.device("autoattachVSOCK"), "autoattachVSOCK", Gate.VSOCK)


def check_downward_metrics(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if has(vmi.devices, "downwardMetrics") and Gate.DOWNWARD_METRICS not in cluster.gates:
        yield needs_gate(vmi.device("downwardMetrics"), "downwardMetrics", Gate.DOWNWARD_METRICS)


def check_video(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if not has(vmi.devices, "video"):
        return
    if cluster.behaviour.gates_video and Gate.VIDEO_CONFIG not in cluster.gates:
        yield needs_gate(vmi.device("video"), "video", Gate.VIDEO_CONFIG, reported=vmi.at("video"))
    elif vmi.devices.get("autoattachGraphicsDevice") is False:
        yield invalid(
            vmi.device("video"),
            "video is set, but autoattachGraphicsDevice: false leaves the VM without graphics",
            "drop one of the two",
            reported=vmi.at("video"),
        )


def check_panic_devices(vmi: VmiSpec, cluster: Cluster) -> Causes:
    panic_devices = elements(vmi.devices, "panicDevices")
    if not panic_devices:
        return
    if cluster.behaviour.gates_panic_devices and Gate.PANIC_DEVICES not in cluster.gates:
        yield needs_gate(vmi.device("panicDevices"), "panicDevices", Gate.PANIC_DEVICES)
        return
    architecture = cluster.architecture(vmi.architecture)
    if architecture == "s390x" or (architecture == "ppc64le" and cluster.behaviour.knows_ppc64le):
        yield invalid(vmi.device("panicDevices"), f"{architecture} has no panic devices of one's own")
    for index, device in enumerate(panic_devices):
        model = device.get("model")
        if model is not None and model not in _PANIC_MODELS:
            at = vmi.device("panicDevices", index, "model")
            yield invalid(at, f"{model!r} is no panic device", f"one of {', '.join(_PANIC_MODELS)}")


def check_reboot_policy(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if has(vmi.domain, "rebootPolicy") and Gate.REBOOT_POLICY not in cluster.gates:
        yield needs_gate(vmi.at("domain", "rebootPolicy"), "rebootPolicy", Gate.REBOOT_POLICY)


_STORAGE_VOLUMES = frozenset({"persistentVolumeClaim", "dataVolume"})
_CONFIG_VOLUMES = frozenset({"configMap", "secret", "serviceAccount", "downwardAPI"})


def check_filesystems(vmi: VmiSpec, cluster: Cluster) -> Causes:
    filesystems = elements(vmi.devices, "filesystems")
    if not filesystems:
        return
    volumes = {text(volume, "name"): volume for volume in vmi.volumes}
    for index, filesystem in enumerate(filesystems):
        gate = _missing_gate(volumes.get(text(filesystem, "name"), EMPTY), cluster)
        if gate is not None:
            at = vmi.device("filesystems", index)
            what = "a file system on this kind of volume"
            yield needs_gate(at, what, gate, reported=vmi.device("filesystems"))


def _missing_gate(volume: JsonObject, cluster: Cluster) -> Gate | None:
    gates_config = cluster.behaviour.gates_config_filesystems
    if gates_config and Gate.VIRTIO_FS in cluster.gates:
        return None
    if gates_config and present(volume, _CONFIG_VOLUMES):
        return None if Gate.VIRTIO_FS_CONFIG in cluster.gates else Gate.VIRTIO_FS_CONFIG
    if present(volume, _STORAGE_VOLUMES) and Gate.VIRTIO_FS_STORAGE not in cluster.gates:
        return Gate.VIRTIO_FS_STORAGE
    return None


def check_persistent_reservation(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if Gate.PERSISTENT_RESERVATION in cluster.gates:
        return
    for index, disk in enumerate(vmi.disks):
        if section(disk, "lun").get("reservation"):
            yield needs_gate(
                vmi.device("disks", index, "lun", "reservation"),
                "a persistent reservation",
                Gate.PERSISTENT_RESERVATION,
                reported=vmi.device("disks", "luns", "reservation"),
            )
            return
