"""KubeVirt's feature gates, with the state of each by release (KubeVirt ``pkg/virt-config/featuregate``).

Read at every tag up to v1.9.0, and for 1.10 at the commit in ``UNRELEASED``. Before 1.5 KubeVirt does not
register alpha and beta gates: those rows follow the comments next to the constants. We treat a newer release
like the newest known one.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Protocol, TypeAlias

from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum


class State(TextEnum):
    """The state of a feature gate, in KubeVirt's words."""

    ALPHA = "Alpha"
    BETA = "Beta"
    GA = "General Availability"
    DEPRECATED = "Deprecated"
    DISCONTINUED = "Discontinued"


class Gate(TextEnum):
    """The names of all feature gates since KubeVirt 1.0."""

    ALIGN_CPUS = "AlignCPUs"
    AUTO_RESOURCE_LIMITS = "AutoResourceLimitsGate"
    BOCHS_DISPLAY_FOR_EFI_GUESTS = "BochsDisplayForEFIGuests"
    CLUSTER_PROFILER = "ClusterProfiler"
    COMMON_INSTANCETYPES_DEPLOYMENT = "CommonInstancetypesDeploymentGate"
    CONFIGURABLE_HYPERVISOR = "ConfigurableHypervisor"
    CONTAINER_PATH_VOLUMES = "ContainerPathVolumes"
    CPU_MANAGER = "CPUManager"
    CPU_NODE_DISCOVERY = "CPUNodeDiscovery"
    CROSS_ARCHITECTURE_VIRTUALIZATION = "CrossArchitectureVirtualization"
    DECENTRALIZED_LIVE_MIGRATION = "DecentralizedLiveMigration"
    DECLARATIVE_HOTPLUG_VOLUMES = "DeclarativeHotplugVolumes"
    DISABLE_CUSTOM_SELINUX_POLICY = "DisableCustomSELinuxPolicy"
    DISABLE_MDEV_CONFIGURATION = "DisableMDEVConfiguration"
    DOCKER_SELINUX_MCS_WORKAROUND = "DockerSELinuxMCSWorkaround"
    DOWNWARD_METRICS = "DownwardMetrics"
    DYNAMIC_POD_INTERFACE_NAMING = "DynamicPodInterfaceNaming"
    EXPAND_DISKS = "ExpandDisks"
    EXTERNAL_NET_RESOURCE_INJECTION = "ExternalNetResourceInjection"
    FIRMWARE_AUTO_SELECTION = "FirmwareAutoSelection"
    GPU = "GPU"
    GPUS_WITH_DRA = "GPUsWithDRA"
    GRACE_IO_VIRTUALIZATION = "GraceIOVirtualization"
    HOST_DEVICES = "HostDevices"
    HOST_DEVICES_WITH_DRA = "HostDevicesWithDRA"
    HOST_DISK = "HostDisk"
    HOTPLUG_NICS = "HotplugNICs"
    HOTPLUG_VOLUMES = "HotplugVolumes"
    HYPERV_STRICT_CHECK = "HypervStrictCheck"
    IGNITION = "ExperimentalIgnitionSupport"
    IMAGE_VOLUME = "ImageVolume"
    INCREMENTAL_BACKUP = "IncrementalBackup"
    INSTANCETYPE_REFERENCE_POLICY = "InstancetypeReferencePolicy"
    IOMMUFD = "IOMMUFD"
    KUBEVIRT_SECCOMP_PROFILE = "KubevirtSeccompProfile"
    LIBVIRT_HOOKS = "LibvirtHooksServerAndClient"
    LIVE_MIGRATION = "LiveMigration"
    LIVE_UPDATE_NAD_REF = "LiveUpdateNADRef"
    MACVTAP = "Macvtap"
    MIGRATION_DOWNTIME_TUNING = "MigrationDowntimeTuning"
    MIGRATION_PRIORITY_QUEUE = "MigrationPriorityQueue"
    MIGRATION_STALL_DETECTION = "MigrationStallDetection"
    MULTI_ARCHITECTURE = "MultiArchitecture"
    NETWORK_BINDING_PLUGINS = "NetworkBindingPlugins"
    NETWORK_DEVICES_WITH_DRA = "NetworkDevicesWithDRA"
    NODE_RESTRICTION = "NodeRestriction"
    NON_ROOT = "NonRoot"
    NON_ROOT_EXPERIMENTAL = "NonRootExperimental"
    NUMA = "NUMA"
    OBJECT_GRAPH = "ObjectGraph"
    OCI_EXPORT = "OCIExport"
    OPT_OUT_ROLE_AGGREGATION = "OptOutRoleAggregation"
    PANIC_DEVICES = "PanicDevices"
    PASST = "Passt"
    PASST_BINDING = "PasstBinding"
    PASST_IP_STACK_MIGRATION = "PasstIPStackMigration"
    PCI_NUMA_AWARE_TOPOLOGY = "PCINUMAAwareTopology"
    PERSISTENT_RESERVATION = "PersistentReservation"
    PLUGINS = "Plugins"
    POD_SECONDARY_INTERFACE_NAMING_UPGRADE = "PodSecondaryInterfaceNamingUpgrade"
    PORT_RANGES = "PortRangesSpec"
    PSA = "PSA"
    REBOOT_POLICY = "RebootPolicy"
    RESERVED_OVERHEAD_MEMLOCK = "ReservedOverheadMemlock"
    ROOT = "Root"
    SECURE_EXECUTION = "SecureExecution"
    SIDECAR = "Sidecar"
    SNAPSHOT = "Snapshot"
    SRIOV_LIVE_MIGRATION = "SRIOVLiveMigration"
    TEMPLATE = "Template"
    UTILITY_VOLUMES = "UtilityVolumes"
    VGPU_LIVE_MIGRATION = "VGPULiveMigration"
    VIDEO_CONFIG = "VideoConfig"
    VIRTIO_FS = "ExperimentalVirtiofsSupport"
    VIRTIO_FS_CONFIG = "EnableVirtioFsConfigVolumes"
    VIRTIO_FS_STORAGE = "EnableVirtioFsStorageVolumes"
    VM_EXPORT = "VMExport"
    VM_LIVE_UPDATE = "VMLiveUpdateFeatures"
    VM_PERSISTENT_STATE = "VMPersistentState"
    VM_STATS_COLLECTOR = "VMStatsCollector"
    VMI_MEMORY_OVERHEAD_REPORT = "VmiMemoryOverheadReport"
    VOLUME_MIGRATION = "VolumeMigration"
    VOLUMES_UPDATE_STRATEGY = "VolumesUpdateStrategy"
    VSOCK = "VSOCK"
    WORKLOAD_ENCRYPTION_SEV = "WorkloadEncryptionSEV"
    WORKLOAD_ENCRYPTION_TDX = "WorkloadEncryptionTDX"


#: Gates that no release since 1.0 has, as what they turned on is always on. Old manifests still list them, as
#: does KubeVirt's own ``tools/vms-generator``: ``pkg/virt-config/feature-gates.go`` of KubeVirt before 1.0,
#: and what the HyperConverged operator set then (``pkg/controller/operands/kubevirt.go``).
GATES_BEFORE_1_0 = frozenset({"DataVolumes", "SRIOV", "WithHostModelCPU", "WithHostPassthroughCPU"})


class ConfiguredGates(Protocol):
    """The gates that a cluster's ``KubeVirt`` object lists (``developerConfiguration``)."""

    @property
    def feature_gates(self) -> tuple[str, ...]: ...

    @property
    def disabled_feature_gates(self) -> tuple[str, ...]: ...


#: A minor release of KubeVirt 1, or one of its patch releases: ``8``, ``(8, 2)``.
_Bound: TypeAlias = int | tuple[int, int]


class _History(Record):
    """The release of KubeVirt 1 in which a gate entered each state; its state before 1.0 is at 0."""

    alpha: _Bound | None = None
    beta: _Bound | None = None
    ga: _Bound | None = None
    deprecated: _Bound | None = None
    discontinued: _Bound | None = None
    removed: _Bound | None = None


_SINCE_BEFORE_1_0 = _History(alpha=0)

_HISTORIES: Mapping[Gate, _History] = {
    Gate.ALIGN_CPUS: _History(alpha=(1, 1)),
    Gate.AUTO_RESOURCE_LIMITS: _History(alpha=(0, 1), ga=5),
    Gate.BOCHS_DISPLAY_FOR_EFI_GUESTS: _History(alpha=1, ga=4),
    Gate.CLUSTER_PROFILER: _History(alpha=0, ga=6),
    Gate.COMMON_INSTANCETYPES_DEPLOYMENT: _History(alpha=1, beta=2, ga=4),
    Gate.CONFIGURABLE_HYPERVISOR: _History(alpha=8),
    Gate.CONTAINER_PATH_VOLUMES: _History(alpha=8),
    Gate.CPU_MANAGER: _SINCE_BEFORE_1_0,
    Gate.CPU_NODE_DISCOVERY: _History(alpha=0, ga=1),
    Gate.CROSS_ARCHITECTURE_VIRTUALIZATION: _History(alpha=9),
    Gate.DECENTRALIZED_LIVE_MIGRATION: _History(alpha=6, beta=10),
    Gate.DECLARATIVE_HOTPLUG_VOLUMES: _History(alpha=6, beta=9),
    Gate.DISABLE_CUSTOM_SELINUX_POLICY: _History(alpha=0, ga=5),
    Gate.DISABLE_MDEV_CONFIGURATION: _History(alpha=0, deprecated=8),
    Gate.DOCKER_SELINUX_MCS_WORKAROUND: _History(alpha=0, deprecated=4),
    Gate.DOWNWARD_METRICS: _SINCE_BEFORE_1_0,
    Gate.DYNAMIC_POD_INTERFACE_NAMING: _History(beta=4, ga=5),
    Gate.EXPAND_DISKS: _History(alpha=0, ga=9),
    Gate.EXTERNAL_NET_RESOURCE_INJECTION: _History(beta=8),
    Gate.FIRMWARE_AUTO_SELECTION: _History(alpha=9),
    Gate.GPU: _History(alpha=0, ga=4),
    Gate.GPUS_WITH_DRA: _History(alpha=6, beta=9),
    Gate.GRACE_IO_VIRTUALIZATION: _History(alpha=9),
    Gate.HOST_DEVICES: _SINCE_BEFORE_1_0,
    Gate.HOST_DEVICES_WITH_DRA: _History(alpha=6, beta=9),
    Gate.HOST_DISK: _SINCE_BEFORE_1_0,
    Gate.HOTPLUG_NICS: _History(alpha=0, beta=3, ga=4),
    Gate.HOTPLUG_VOLUMES: _History(alpha=0, deprecated=9),
    Gate.HYPERV_STRICT_CHECK: _SINCE_BEFORE_1_0,
    Gate.IGNITION: _SINCE_BEFORE_1_0,
    Gate.IMAGE_VOLUME: _History(alpha=6, beta=7),
    Gate.INCREMENTAL_BACKUP: _History(alpha=7),
    Gate.INSTANCETYPE_REFERENCE_POLICY: _History(alpha=4, beta=5, ga=6),
    Gate.IOMMUFD: _History(alpha=9),
    Gate.KUBEVIRT_SECCOMP_PROFILE: _History(alpha=0, beta=7),
    Gate.LIBVIRT_HOOKS: _History(alpha=8, beta=9, ga=10),
    Gate.LIVE_MIGRATION: _History(ga=0),
    Gate.LIVE_UPDATE_NAD_REF: _History(beta=8, ga=9),
    Gate.MACVTAP: _History(alpha=0, deprecated=2, discontinued=3),
    Gate.MIGRATION_DOWNTIME_TUNING: _History(alpha=10),
    Gate.MIGRATION_PRIORITY_QUEUE: _History(alpha=7, beta=8, ga=9),
    Gate.MIGRATION_STALL_DETECTION: _History(alpha=9),
    Gate.MULTI_ARCHITECTURE: _History(alpha=0, deprecated=8),
    Gate.NETWORK_BINDING_PLUGINS: _History(alpha=1, beta=4, ga=5),
    Gate.NETWORK_DEVICES_WITH_DRA: _History(alpha=9),
    Gate.NODE_RESTRICTION: _History(alpha=3, beta=6),
    Gate.NON_ROOT: _History(ga=0),
    Gate.NON_ROOT_EXPERIMENTAL: _History(ga=0, removed=2),
    Gate.NUMA: _History(alpha=0, ga=4),
    Gate.OBJECT_GRAPH: _History(alpha=6),
    Gate.OCI_EXPORT: _History(alpha=9),
    Gate.OPT_OUT_ROLE_AGGREGATION: _History(alpha=8, beta=9),
    Gate.PANIC_DEVICES: _History(alpha=6, beta=7, ga=9),
    Gate.PASST: _History(alpha=0, deprecated=2, discontinued=3),
    Gate.PASST_BINDING: _History(beta=8),
    Gate.PASST_IP_STACK_MIGRATION: _History(alpha=6, discontinued=8),
    Gate.PCI_NUMA_AWARE_TOPOLOGY: _History(alpha=8),
    Gate.PERSISTENT_RESERVATION: _History(alpha=0, ga=9),
    Gate.PLUGINS: _History(alpha=9),
    Gate.POD_SECONDARY_INTERFACE_NAMING_UPGRADE: _History(beta=8),
    Gate.PORT_RANGES: _History(alpha=9),
    Gate.PSA: _History(ga=0),
    Gate.REBOOT_POLICY: _History(alpha=8, beta=9),
    Gate.RESERVED_OVERHEAD_MEMLOCK: _History(alpha=8),
    Gate.ROOT: _SINCE_BEFORE_1_0,
    Gate.SECURE_EXECUTION: _History(alpha=6, beta=7, ga=9),
    Gate.SIDECAR: _SINCE_BEFORE_1_0,
    Gate.SNAPSHOT: _History(alpha=0, beta=6),
    Gate.SRIOV_LIVE_MIGRATION: _History(ga=0),
    Gate.TEMPLATE: _History(alpha=8, beta=9),
    Gate.UTILITY_VOLUMES: _History(alpha=8),
    Gate.VGPU_LIVE_MIGRATION: _History(alpha=9),
    Gate.VIDEO_CONFIG: _History(alpha=6, beta=7, ga=9),
    Gate.VIRTIO_FS: _History(alpha=0, deprecated=5, discontinued=8),
    Gate.VIRTIO_FS_CONFIG: _History(alpha=5, ga=8),
    Gate.VIRTIO_FS_STORAGE: _History(alpha=5),
    Gate.VM_EXPORT: _History(alpha=0, beta=6, ga=9),
    Gate.VM_LIVE_UPDATE: _History(alpha=0, ga=5),
    Gate.VM_PERSISTENT_STATE: _History(alpha=0, ga=6),
    Gate.VM_STATS_COLLECTOR: _History(alpha=9),
    Gate.VMI_MEMORY_OVERHEAD_REPORT: _History(alpha=8, beta=9, ga=10),
    Gate.VOLUME_MIGRATION: _History(alpha=3, ga=5),
    Gate.VOLUMES_UPDATE_STRATEGY: _History(alpha=3, ga=5),
    Gate.VSOCK: _SINCE_BEFORE_1_0,
    Gate.WORKLOAD_ENCRYPTION_SEV: _History(alpha=0, beta=9),
    Gate.WORKLOAD_ENCRYPTION_TDX: _History(alpha=7),
}

#: From here beta gates are on unless disabled (``feature-gates.go``, ``IsEnabled``); before, only if listed.
_BETA_IS_ON = Release(1, 9)
#: ``disabledFeatureGates`` counts.
_GATES_CAN_BE_DISABLED = Release(1, 8)
#: Since this release a gate that the release does not know is off, even if it is listed.
_UNKNOWN_IS_OFF = Release(1, 9)
#: GA in the registry, but off unless it is listed or a setting enables it: KubeVirt looks it up by its name
#: (``PersistentReservationEnabled``).
_ASKED_BY_NAME = frozenset({Gate.PERSISTENT_RESERVATION})


class _Listed(Record):
    """Only the gates of a configuration."""

    feature_gates: tuple[str, ...]
    disabled_feature_gates: tuple[str, ...]


def state_of(gate: Gate, release: Release) -> State | None:
    """Return the state of ``gate`` in ``release``; None if the release does not know it."""
    history = _HISTORIES[gate]
    if _has_reached(release, history.removed):
        return None
    states = (
        (history.discontinued, State.DISCONTINUED),
        (history.deprecated, State.DEPRECATED),
        (history.ga, State.GA),
        (history.beta, State.BETA),
        (history.alpha, State.ALPHA),
    )
    return next((state for bound, state in states if _has_reached(release, bound)), None)


def _has_reached(release: Release, bound: _Bound | None) -> bool:
    if bound is None:
        return False
    return release >= ((1, bound) if isinstance(bound, int) else (1, *bound))


def is_on_by_default(gate: Gate, release: Release) -> bool:
    """Return True if ``gate`` is on in a cluster that lists no gates."""
    state = state_of(gate, release)
    if state is State.GA:
        return gate not in _ASKED_BY_NAME
    return state is State.BETA and release >= _BETA_IS_ON


def is_enabled(gate: Gate, release: Release, configured: ConfiguredGates) -> bool:
    """Return True if ``gate`` is on in a cluster of ``release`` (``isFeatureGateEnabled``, ``IsEnabled``).

    Since 1.9 ``PersistentReservation`` has a setting of its own, which the caller checks first.
    """
    state = state_of(gate, release)
    on_by_default = is_on_by_default(gate, release)
    if state is State.GA and on_by_default:
        return True
    if state is None and release >= _UNKNOWN_IS_OFF:
        return False
    if gate in configured.feature_gates:
        return True
    if gate in configured.disabled_feature_gates and release >= _GATES_CAN_BE_DISABLED:
        return False
    return on_by_default


def enabled_gates(release: Release, configured: ConfiguredGates) -> frozenset[Gate]:
    """Return all gates that are on."""
    return _enabled_gates(release, _Listed(configured.feature_gates, configured.disabled_feature_gates))


#: A project's overlays share few configurations, but each asks once: a twentieth of rendering five VMs.
@lru_cache(maxsize=64)
def _enabled_gates(release: Release, listed: _Listed) -> frozenset[Gate]:
    return frozenset(gate for gate in Gate if is_enabled(gate, release, listed))
