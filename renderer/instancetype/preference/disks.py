"""Preferences for disks (KubeVirt ``pkg/instancetype/preference/apply/disk.go``)."""

from __future__ import annotations

from renderer.instancetype.apply.applier import AppliedSpecs
from renderer.instancetype.preference.set_when_absent import filled, wanted, with_filled
from renderer.instancetype.vmi_template import with_each_device
from renderer.model.json import JsonObject, text_at

#: The kinds of disks, of which the first that a disk has counts, and what is preferred for each.
_KINDS = {
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


def apply(selection: AppliedSpecs, template: JsonObject) -> JsonObject:
    """Fills in bus, block size, cache, IO and IO thread; a disk of no kind becomes a ``disk``."""
    preferred = selection.preference.get("devices")
    if not isinstance(preferred, dict):
        return template
    by_kind = {kind: wanted(preferred, fields) for kind, fields in _KINDS.items()}
    fields = wanted(preferred, _DISK_FIELDS)
    dedicated_io_thread = wanted(preferred, _DEDICATED_IO_THREAD)
    needs_virtio = selection.behaviour.dedicated_io_thread_needs_virtio

    def with_preferences(disk: JsonObject) -> JsonObject:
        kind = _kind(disk)
        disk = with_filled(disk, kind, by_kind[kind])
        if kind != "disk":
            return disk
        if dedicated_io_thread and not (needs_virtio and text_at(disk, "disk", "bus") != "virtio"):
            disk = filled(disk, dedicated_io_thread)
        return filled(disk, fields) if fields else disk

    return with_each_device(template, "disks", with_preferences)


def _kind(disk: JsonObject) -> str:
    for kind in _KINDS:
        if disk.get(kind) is not None:
            return kind
    return "disk"
