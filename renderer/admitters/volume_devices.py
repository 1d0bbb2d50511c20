"""That each volume is a disk or a file system (``validateVirtualMachineInstanceSpecVolumeDisks``)."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, elements, has, section, text
from renderer.model.json import JsonObject

_RESERVED_PATHS = ("/var/run/kubevirt", "/var/run/libvirt")


def check_volume_devices(vmi: VmiSpec, _: Cluster) -> Causes:
    disks = {text(disk, "name") for disk in vmi.disks}
    filesystems = {text(filesystem, "name") for filesystem in elements(vmi.devices, "filesystems")}
    for index, volume in enumerate(vmi.volumes):
        name = text(volume, "name")
        if has(volume, "memoryDump"):
            continue
        if name not in disks and name not in filesystems:
            yield invalid(
                vmi.at("volumes", index, "name"),
                f"the volume {name} is neither a disk nor a file system",
                f"add a disk {name} to {vmi.device('disks')}",
                reported=vmi.at("domain", "volumes", index, "name"),
            )
        if has(volume, "containerPath"):
            is_filesystem = name in filesystems
            yield from _check_container_path(
                vmi, index, volume, is_disk=name in disks, is_filesystem=is_filesystem
            )


def _check_container_path(
    vmi: VmiSpec, index: int, volume: JsonObject, *, is_disk: bool, is_filesystem: bool
) -> Causes:
    name, at = text(volume, "name"), vmi.at("volumes", index)
    reported = vmi.at("domain", "volumes", index)
    if is_disk:
        yield invalid(at, f"the containerPath volume {name} cannot be a disk", reported=reported)
    if not is_filesystem:
        yield invalid(at, f"the containerPath volume {name} needs a file system", reported=reported)
    path = text(section(volume, "containerPath"), "path")
    if path.startswith(_RESERVED_PATHS):
        yield invalid(
            at.child("containerPath", "path"),
            f"KubeVirt keeps {path} for itself",
            reported=reported.child("containerPath", "path"),
        )
