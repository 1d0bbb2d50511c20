"""Devices other than disks and interfaces, I/O threads and file systems."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.admission.causes import Cause, Causes, invalid, needs_gate
from renderer.kubevirt.admission.vmi_spec import (
    VmiSpec,
    elements,
    has,
    is_not_disabled,
    number,
    present,
    section,
    text,
)
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.kube.json import JsonObject
from renderer.model.pattern import pattern

_ADDRESS = pattern(r"[0-9a-fA-F]{4}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]")
_SOUND_MODELS = ("ich9", "ac97")
_PANIC_MODELS = ("hyperv", "isa", "pvpanic")
_STORAGE_VOLUMES = frozenset({"persistentVolumeClaim", "dataVolume"})
_CONFIG_VOLUMES = frozenset({"configMap", "secret", "serviceAccount", "downwardAPI"})


def is_pci_address(address: str) -> bool:
    """Return True if ``address`` is domain:bus:slot.function, such as ``0000:81:01.0``."""
    return _ADDRESS.fullmatch(address) is not None


def check_inputs(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject input devices other than tablets on virtio or USB."""
    for index, device in enumerate(elements(vmi.devices, "inputs")):
        bus = text(device, "bus")
        if bus not in ("", "virtio", "usb"):
            at = vmi.device("inputs", index, "bus")
            yield invalid(at, f"an input device cannot be on a {bus} bus", "use virtio or usb")
        if text(device, "type") != "tablet":
            kind = text(device, "type") or "nothing"
            at = vmi.device("inputs", index, "type")
            message = f"an input device must be of type tablet, not {kind}"
            fix: Edit = SetField(at, "tablet")
            if not has(device, "type"):
                fix = AddField(at.parent, "type", "tablet")
            yield invalid(at, message, "set type: tablet", fix=fix)


def check_io_threads_policy(vmi: VmiSpec, _: Cluster, *, policies: tuple[str, ...]) -> Causes:
    """Check that the policy is in ``policies``."""
    policy = vmi.domain.get("ioThreadsPolicy")
    if policy is not None and policy not in policies:
        at = vmi.at("domain", "ioThreadsPolicy")
        yield invalid(at, f"{policy!r} is not an ioThreadsPolicy", f"one of {', '.join(policies)}")


def check_io_threads_pool(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that a supplemental pool has threads."""
    threads = number(section(vmi.domain, "ioThreads"), "supplementalPoolThreadCount")
    if vmi.domain.get("ioThreadsPolicy") == "supplementalPool" and threads < 1:
        yield invalid(
            vmi.at("domain", "ioThreads", "supplementalPoolThreadCount"),
            "the ioThreadsPolicy supplementalPool needs at least one thread",
            "set ioThreads.supplementalPoolThreadCount",
            reported=vmi.at("domain", "ioThreads", "count"),
        )


def check_ram_framebuffers(vmi: VmiSpec, _: Cluster, *, counts_silent: bool) -> Causes:
    """Reject two GPUs with ramFB; with ``counts_silent`` an empty ramFB counts as enabled."""
    gpus = elements(vmi.devices, "gpus")
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
    if not is_not_disabled(options, "display"):
        return False
    is_on = section(display, "ramFB").get("enabled")
    return not has(display, "ramFB") or is_on is True or (counts_silent and is_on is None)


def check_gpus(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of GPUs."""
    if vmi.devices.get("gpus") and Gate.GPU not in cluster.gates:
        yield needs_gate(vmi.device("gpus"), "gpus", Gate.GPU, reported=vmi.at("GPUs"))


def check_host_devices(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of host devices."""
    if vmi.devices.get("hostDevices") and Gate.HOST_DEVICES not in cluster.gates:
        at = vmi.device("hostDevices")
        yield needs_gate(at, "hostDevices", Gate.HOST_DEVICES, reported=vmi.at("HostDevices"))


def check_sound(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check the sound device's model and name."""
    if not has(vmi.devices, "sound"):
        return
    sound = section(vmi.devices, "sound")
    model = text(sound, "model")
    reported = vmi.at("Sound")
    if model and model not in _SOUND_MODELS:
        at = vmi.device("sound", "model")
        yield invalid(at, f"{model!r} is not a sound device", "one of ich9, ac97", reported=reported)
    if not text(sound, "name"):
        yield invalid(vmi.device("sound", "name"), "the sound device has no name", reported=reported)


def check_vsock(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of VSOCK."""
    if vmi.devices.get("autoattachVSOCK") and Gate.VSOCK not in cluster.gates:
        yield needs_gate(vmi.device("autoattachVSOCK"), "autoattachVSOCK", Gate.VSOCK)


def check_downward_metrics(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of the downward metrics device."""
    if has(vmi.devices, "downwardMetrics") and Gate.DOWNWARD_METRICS not in cluster.gates:
        yield needs_gate(vmi.device("downwardMetrics"), "downwardMetrics", Gate.DOWNWARD_METRICS)


def check_gated_video(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a video device unless its gate is listed."""
    if Gate.VIDEO_CONFIG in cluster.gates:
        yield from check_video(vmi, cluster)
    elif has(vmi.devices, "video"):
        yield needs_gate(vmi.device("video"), "video", Gate.VIDEO_CONFIG, reported=vmi.at("video"))


def check_video(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a video device on a machine without graphics."""
    if has(vmi.devices, "video") and vmi.devices.get("autoattachGraphicsDevice") is False:
        yield invalid(
            vmi.device("video"),
            "video is set, but autoattachGraphicsDevice: false leaves the VM without graphics",
            "drop one of the two",
            reported=vmi.at("video"),
        )


def check_gated_panic_devices(vmi: VmiSpec, cluster: Cluster, *, without: tuple[str, ...]) -> Causes:
    """Reject panic devices unless their gate is listed."""
    if Gate.PANIC_DEVICES in cluster.gates:
        yield from check_panic_devices(vmi, cluster, without=without)
    elif elements(vmi.devices, "panicDevices"):
        yield needs_gate(vmi.device("panicDevices"), "panicDevices", Gate.PANIC_DEVICES)


def check_panic_devices(vmi: VmiSpec, cluster: Cluster, *, without: tuple[str, ...]) -> Causes:
    """Check panic devices, which the architectures in ``without`` do not support."""
    panic_devices = elements(vmi.devices, "panicDevices")
    architecture = cluster.architecture(vmi.architecture)
    if panic_devices and architecture in without:
        yield invalid(vmi.device("panicDevices"), f"{architecture} does not support panic devices")
    for index, device in enumerate(panic_devices):
        model = device.get("model")
        if model is not None and model not in _PANIC_MODELS:
            at = vmi.device("panicDevices", index, "model")
            yield invalid(at, f"{model!r} is not a panic device", f"one of {', '.join(_PANIC_MODELS)}")


def check_reboot_policy(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of ``rebootPolicy``."""
    if has(vmi.domain, "rebootPolicy") and Gate.REBOOT_POLICY not in cluster.gates:
        yield needs_gate(vmi.at("domain", "rebootPolicy"), "rebootPolicy", Gate.REBOOT_POLICY)


def check_root_filesystems(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject file systems that a root container serves, unless the gate is listed."""
    if Gate.VIRTIO_FS in cluster.gates:
        return
    for index, volume in _filesystem_volumes(vmi):
        if not present(volume, _CONFIG_VOLUMES):
            at = vmi.device("filesystems", index)
            what = "a file system on this kind of volume"
            yield needs_gate(at, what, Gate.VIRTIO_FS, reported=vmi.at("Filesystems"))
            return


def check_filesystems_by_two_gates(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gates of file systems for configuration and for storage; an older gate counts for both."""
    if Gate.VIRTIO_FS in cluster.gates:
        return
    for index, volume in _filesystem_volumes(vmi):
        if present(volume, _CONFIG_VOLUMES) and Gate.VIRTIO_FS_CONFIG not in cluster.gates:
            yield _filesystem_gate(vmi, index, Gate.VIRTIO_FS_CONFIG)
        elif present(volume, _STORAGE_VOLUMES) and Gate.VIRTIO_FS_STORAGE not in cluster.gates:
            yield _filesystem_gate(vmi, index, Gate.VIRTIO_FS_STORAGE)


def check_storage_filesystems(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of file systems for storage."""
    for index, volume in _filesystem_volumes(vmi):
        if present(volume, _STORAGE_VOLUMES) and Gate.VIRTIO_FS_STORAGE not in cluster.gates:
            yield _filesystem_gate(vmi, index, Gate.VIRTIO_FS_STORAGE)


def _filesystem_volumes(vmi: VmiSpec) -> Iterator[tuple[int, JsonObject]]:
    """Yield the position of each file system that has a volume, and the volume."""
    volumes = {text(volume, "name"): volume for volume in vmi.volumes}
    for index, filesystem in enumerate(elements(vmi.devices, "filesystems")):
        volume = volumes.get(text(filesystem, "name"))
        if volume is not None:
            yield index, volume


def _filesystem_gate(vmi: VmiSpec, index: int, gate: Gate) -> Cause:
    what = "a file system on this kind of volume"
    return needs_gate(vmi.device("filesystems", index), what, gate, reported=vmi.device("filesystems"))
