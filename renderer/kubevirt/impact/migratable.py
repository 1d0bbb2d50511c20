"""The obstacles to the live migration of an instance.

KubeVirt ``pkg/virt-handler/vm.go`` (``calculateLiveMigrationCondition``) and
``pkg/network/vmispec/interface.go`` (``VerifyVMIMigratable``). Facts that only the node knows, such as the
model of its processor, are assumed not to be an obstacle.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.virtual_machine import elements_by_name
from renderer.kubevirt.impact.state import InstanceState, Update
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_BRIDGE_ALLOWED = "kubevirt.io/allow-pod-bridge-network-live-migration"
_SINCE_VIRTIOFS_MIGRATES = Release(1, 5)
_SINCE_VGPU_MIGRATES = Release(1, 9)
_SINCE_RESERVATION_MIGRATES = Release(1, 9)
_SHARED = "ReadWriteMany"

#: The access modes of claims by name; a claim with unknown modes is left out.
AccessModes: TypeAlias = Mapping[str, tuple[str, ...]]


def migration_obstacle(update: Update, state: InstanceState) -> str:
    """Return why the instance cannot be migrated; empty if it can."""
    return obstacle_in_cluster(update.cluster, update.access_modes, state)


def obstacle_in_cluster(cluster: Cluster, access_modes: AccessModes, state: InstanceState) -> str:
    """Return why an instance with claims of these access modes cannot be migrated; empty if it can."""
    return _obstacle(cluster, state) or _volume_obstacle(access_modes, state)


def volume_migration_obstacle(update: Update, state: InstanceState) -> str:
    """Return why the instance cannot be migrated even if all its volumes are copied with it."""
    return _obstacle(update.cluster, state)


def _obstacle(cluster: Cluster, state: InstanceState) -> str:
    return next(filter(None, (obstacle(cluster, state) for obstacle in _OBSTACLES)), "")


def unknown_claims(update: Update, state: InstanceState) -> tuple[str, ...]:
    """Return the claims with access modes unknown to the repository; a migration needs them to be shared."""
    claims = (_claim(volume) for volume in state.items("volumes"))
    return tuple(claim for claim in claims if claim and claim not in update.access_modes)


def _pod_network_obstacle(cluster: Cluster, state: InstanceState) -> str:
    interfaces = elements_by_name(state.items("domain", "devices", "interfaces"))
    pod = next((each for each in state.items("networks") if each.get("pod") is not None), None)
    if not interfaces or pod is None:
        return ""
    interface = interfaces.get(text_at(pod, "name"), {})
    if interface.get("masquerade") is not None or interface.get("passtBinding") is not None:
        return ""
    if interface.get("bridge") is not None:
        annotations = object_at(state.instance, "metadata", "annotations")
        return "" if _BRIDGE_ALLOWED in annotations else "it is on the pod network by a bridge"
    plugin = text_at(interface, "binding", "name")
    if plugin in cluster.config.migrating_bindings:
        return ""
    if plugin:
        return f"the binding plugin {plugin} of its pod network does not migrate"
    return "its interface on the pod network does not migrate"


def _host_device_obstacle(cluster: Cluster, state: InstanceState) -> str:
    devices = state.at("domain", "devices")
    if array_at(devices, "hostDevices"):
        return "it has host devices"
    gpus = array_at(devices, "gpus")
    if not gpus:
        return ""
    if (
        cluster.release < _SINCE_VGPU_MIGRATES
        or len(gpus) > 1
        or not cluster.has_gate(Gate.VGPU_LIVE_MIGRATION)
    ):
        return "it has GPUs"
    is_mediated = text_at(gpus[0], "deviceName") in cluster.config.mediated_devices
    return "" if is_mediated else "its GPU is not a mediated device"


def _launch_security_obstacle(_cluster: Cluster, state: InstanceState) -> str:
    return "it has launchSecurity" if state.at("domain").get("launchSecurity") is not None else ""


def _hyperv_passthrough_obstacle(_cluster: Cluster, state: InstanceState) -> str:
    passthrough = state.at("domain", "features").get("hypervPassthrough")
    return (
        "it has features.hypervPassthrough"
        if object_at(passthrough).get("enabled", True) and passthrough
        else ""
    )


def _filesystem_obstacle(cluster: Cluster, state: InstanceState) -> str:
    filesystems = state.items("domain", "devices", "filesystems")
    return "it has filesystems" if filesystems and cluster.release < _SINCE_VIRTIOFS_MIGRATES else ""


def _reservation_obstacle(cluster: Cluster, state: InstanceState) -> str:
    if cluster.release >= _SINCE_RESERVATION_MIGRATES:
        return ""
    disks = state.items("domain", "devices", "disks")
    return (
        "it has a LUN with a persistent reservation"
        if any(object_at(disk, "lun").get("reservation") is True for disk in disks)
        else ""
    )


def _volume_obstacle(access_modes: AccessModes, state: InstanceState) -> str:
    """Return why a volume prevents a migration; empty if none does (``checkVolumesForMigration``)."""
    for volume in state.items("volumes"):
        name = text_at(volume, "name")
        host_disk = volume.get("hostDisk")
        if host_disk is not None and object_at(host_disk).get("shared") is not True:
            return f"the host disk of {name} is not shared"
        if not _is_shared(access_modes, _claim(volume)):
            return f"the claim of {name} is not {_SHARED}"
    return ""


def is_shared(update: Update, claim: str) -> bool:
    """Return False only if the repository has the claim and it is not ReadWriteMany."""
    return _is_shared(update.access_modes, claim)


def _is_shared(access_modes: AccessModes, claim: str) -> bool:
    modes = access_modes.get(claim, ())
    return not modes or _SHARED in modes


def _claim(volume: JsonObject) -> str:
    """Return the claim of a volume that a disk uses; claims of memory dumps do not count here."""
    return text_at(volume, "persistentVolumeClaim", "claimName") or text_at(volume, "dataVolume", "name")


#: In KubeVirt's order.
_OBSTACLES: Sequence[Callable[[Cluster, InstanceState], str]] = (
    _pod_network_obstacle,
    _filesystem_obstacle,
    _host_device_obstacle,
    _launch_security_obstacle,
    _reservation_obstacle,
    _hyperv_passthrough_obstacle,
)
