"""Which feature gates a cluster has on (KubeVirt ``pkg/virt-config/featuregate``)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from renderer.admitters.cause import Cause, invalid
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.field_path import FieldPath
from renderer.model.record import Record
from renderer.model.release import Release


class Gate(StrEnum):
    """The gates that admission asks for."""

    DECENTRALIZED_LIVE_MIGRATION = "DecentralizedLiveMigration"
    DECLARATIVE_HOTPLUG_VOLUMES = "DeclarativeHotplugVolumes"
    DOWNWARD_METRICS = "DownwardMetrics"
    GPU = "GPU"
    GPUS_WITH_DRA = "GPUsWithDRA"
    GRACE_IO_VIRTUALIZATION = "GraceIOVirtualization"
    HOST_DEVICES = "HostDevices"
    HOST_DEVICES_WITH_DRA = "HostDevicesWithDRA"
    HOST_DISK = "HostDisk"
    IGNITION = "ExperimentalIgnitionSupport"
    IOMMUFD = "IOMMUFD"
    MACVTAP = "Macvtap"
    NETWORK_DEVICES_WITH_DRA = "NetworkDevicesWithDRA"
    NUMA = "NUMA"
    PANIC_DEVICES = "PanicDevices"
    PASST = "Passt"
    PASST_BINDING = "PasstBinding"
    PCI_NUMA_AWARE_TOPOLOGY = "PCINUMAAwareTopology"
    PERSISTENT_RESERVATION = "PersistentReservation"
    PORT_RANGES = "PortRangesSpec"
    REBOOT_POLICY = "RebootPolicy"
    RESERVED_OVERHEAD_MEMLOCK = "ReservedOverheadMemlock"
    SECURE_EXECUTION = "SecureExecution"
    SIDECAR = "Sidecar"
    VIDEO_CONFIG = "VideoConfig"
    VIRTIO_FS = "ExperimentalVirtiofsSupport"
    VIRTIO_FS_CONFIG = "EnableVirtioFsConfigVolumes"
    VIRTIO_FS_STORAGE = "EnableVirtioFsStorageVolumes"
    VM_LIVE_UPDATE = "VMLiveUpdateFeatures"
    VM_PERSISTENT_STATE = "VMPersistentState"
    VSOCK = "VSOCK"
    WORKLOAD_ENCRYPTION_SEV = "WorkloadEncryptionSEV"
    WORKLOAD_ENCRYPTION_TDX = "WorkloadEncryptionTDX"


class _On(Record):
    """Since when a gate is on without being listed: for good, or until it is disabled."""

    generally: Release | None = None
    by_default: Release | None = None


#: Beta gates are on by default since 1.9; before they had to be listed. All others have to be listed.
_ON: Mapping[Gate, _On] = {
    Gate.NUMA: _On(generally=Release(1, 4)),
    Gate.GPU: _On(generally=Release(1, 4)),
    Gate.VM_PERSISTENT_STATE: _On(generally=Release(1, 6)),
    Gate.VM_LIVE_UPDATE: _On(generally=Release(1, 5)),
    Gate.VIRTIO_FS_CONFIG: _On(generally=Release(1, 8)),
    Gate.PANIC_DEVICES: _On(generally=Release(1, 9)),
    Gate.SECURE_EXECUTION: _On(generally=Release(1, 9)),
    Gate.VIDEO_CONFIG: _On(generally=Release(1, 9)),
    Gate.DECENTRALIZED_LIVE_MIGRATION: _On(by_default=Release(1, 9)),
    Gate.DECLARATIVE_HOTPLUG_VOLUMES: _On(by_default=Release(1, 9)),
    Gate.GPUS_WITH_DRA: _On(by_default=Release(1, 9)),
    Gate.HOST_DEVICES_WITH_DRA: _On(by_default=Release(1, 9)),
    Gate.PASST_BINDING: _On(by_default=Release(1, 9)),
    Gate.REBOOT_POLICY: _On(by_default=Release(1, 9)),
    Gate.WORKLOAD_ENCRYPTION_SEV: _On(by_default=Release(1, 9)),
}
_FEATURE_GATES = "spec.configuration.developerConfiguration.featureGates"
_SETS_PERSISTENT_RESERVATION = Release(1, 9)


def enabled_gates(config: ClusterConfig, release: Release) -> frozenset[Gate]:
    return frozenset(gate for gate in Gate if _is_enabled(gate, config, release))


def _is_enabled(gate: Gate, config: ClusterConfig, release: Release) -> bool:
    configured = config.persistent_reservation
    if (
        gate is Gate.PERSISTENT_RESERVATION
        and configured is not None
        and release >= _SETS_PERSISTENT_RESERVATION
    ):
        return configured
    on = _ON.get(gate, _On())
    if on.generally is not None and release >= on.generally:
        return True
    if gate in config.feature_gates:
        return True
    if gate in config.disabled_feature_gates:
        return False
    return on.by_default is not None and release >= on.by_default


def needs_gate(at: FieldPath, what: str, gate: Gate, *, reported: FieldPath | None = None) -> Cause:
    """The cause for what the cluster has not switched on."""
    return invalid(
        at,
        f"{what} needs the feature gate {gate}, which the cluster does not have on",
        f"list it in the KubeVirt object of the overlay or of a catalog: {_FEATURE_GATES}",
        reported=reported,
    )
