"""The target cluster: its release, and its configuration in the ``KubeVirt`` object.

KubeVirt ``pkg/virt-config/virt-config.go`` and ``configuration.go``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from renderer.kubevirt.facts.feature_gates import Gate, enabled_gates, is_enabled
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.quantity import Quantity, lenient_quantity
from renderer.model.record import Record
from renderer.model.release import Release

DEFAULT_MACHINE_TYPES = {
    "amd64": "q35",
    "arm64": "virt",
    "s390x": "s390-ccw-virtio",
    "ppc64le": "pseries",
}

LIVE_UPDATE = "LiveUpdate"
STAGE = "Stage"

_GENERAL_MACHINE_TYPE_SINCE = Release(1, 0, 1)
_ROLLOUT_STRATEGY_SINCE = Release(1, 2)
_S390X_IS_KNOWN_SINCE = Release(1, 3)
_S390X_IS_CONFIGURED_SINCE = Release(1, 7)
_PPC64LE_IS_GONE_SINCE = Release(1, 7)
_LIVE_UPDATE_BY_DEFAULT_SINCE = Release(1, 6)
_PERSISTENT_RESERVATION_SINCE = Release(1, 9)
_COMMON_INSTANCETYPES_SINCE = Release(1, 4)

_PULL_POLICIES = frozenset({"", "Always", "Never", "IfNotPresent"})
_INTERFACES = frozenset({"", "bridge", "masquerade", "slirp"})
_MAX_PERCENT = 100


class ClusterConfig(Record):
    """The configuration, with KubeVirt's own defaults for missing settings.

    ``emulated_machines`` are patterns for all architectures, ``emulated_machines_of`` the patterns of one
    architecture; both are empty if nothing is written. ``vm_rollout_strategy`` is empty then, too, because
    its default depends on the release. ``pci_host_devices`` maps the resource name of a permitted device to
    its vendor selector. ``mediated_devices`` are the resource names of permitted mediated devices.
    ``migrating_bindings`` are the names of the network binding plugins that support live migration.
    ``permitted_devices`` are the resource names of all permitted devices; None if the cluster permits any.
    ``obsolete_cpu_models`` is empty if the cluster does not list its own.
    ``has_seccomp_profile``: the pods of machines have one, so that they meet the standard ``restricted``.
    ``max_cpu_sockets`` is 0 if the cluster sets no maximum.
    ``set_by`` names who sets this, for messages: an object, such as ``KubeVirt kubevirt``, which is at
    ``set_at``, or the release of a product, such as ``hco-1.17``. It is empty for KubeVirt's own defaults.
    """

    default_architecture: str = "amd64"
    machine_type: str = ""
    machine_types: Mapping[str, str] = DEFAULT_MACHINE_TYPES
    cpu_model: str = ""
    cpu_request: Quantity | None = None
    cpu_allocation_ratio: int = 10
    memory_overcommit: int = 100
    eviction_strategy: str = "None"
    default_interface: str = "bridge"
    permits_bridge: bool = True
    permits_slirp: bool = False
    feature_gates: tuple[str, ...] = ()
    disabled_feature_gates: tuple[str, ...] = ()
    emulated_machines: tuple[str, ...] = ()
    emulated_machines_of: Mapping[str, tuple[str, ...]] = EMPTY
    vm_rollout_strategy: str = ""
    max_hotplug_ratio: int = 4
    max_cpu_sockets: int = 0
    max_guest: Quantity | None = None
    persistent_reservation: bool | None = None
    common_instancetypes: bool | None = None
    pci_host_devices: Mapping[str, str] = EMPTY
    mediated_devices: tuple[str, ...] = ()
    permitted_devices: tuple[str, ...] | None = None
    obsolete_cpu_models: tuple[str, ...] = ()
    migrating_bindings: tuple[str, ...] = ()
    has_seccomp_profile: bool = False
    set_by: str = ""
    set_at: tuple[Site, ...] = ()

    def with_gates(self, feature_gates: tuple[str, ...]) -> ClusterConfig:
        """Return the configuration with additional feature gates."""
        if not feature_gates:
            return self
        return self._replace(feature_gates=tuple(dict.fromkeys((*self.feature_gates, *feature_gates))))


#: The configuration of a cluster that sets nothing.
DEFAULT_CONFIG = ClusterConfig()


class Cluster:
    """The target release, and the configuration of the cluster.

    ``workload_update_methods`` come from the ``KubeVirt`` object; None if there is no such object.
    """

    def __init__(
        self,
        release: Release,
        config: ClusterConfig = DEFAULT_CONFIG,
        workload_update_methods: tuple[str, ...] | None = None,
    ) -> None:
        self.release: Final = release
        self.config: Final = config
        self.workload_update_methods: Final = workload_update_methods

    @classmethod
    def of(cls, release: Release, kubevirt: JsonObject, feature_gates: tuple[str, ...] = ()) -> Cluster:
        """Return the cluster of a ``KubeVirt`` object, which is empty if the repository has none.

        ``feature_gates`` are enabled in addition to the gates that the object lists.
        """
        methods = _texts(kubevirt, "spec", "workloadUpdateStrategy", "workloadUpdateMethods")
        config = read_cluster_config(kubevirt).with_gates(feature_gates)
        return cls(release, config, methods if kubevirt else None)

    @cached_property
    def gates(self) -> frozenset[Gate]:
        """The feature gates that the lists of gates enable; settings that replaced gates do not count."""
        return enabled_gates(self.release, self.config)

    def has_gate(self, gate: Gate) -> bool:
        """Return True if a feature gate, or the setting that replaces it, is on."""
        configured = self.config.persistent_reservation
        if (
            gate is Gate.PERSISTENT_RESERVATION
            and configured is not None
            and self.release >= _PERSISTENT_RESERVATION_SINCE
        ):
            return configured
        return is_enabled(gate, self.release, self.config)

    @cached_property
    def updates_live(self) -> bool:
        """True if changes are applied to running virtual machines (``IsVMRolloutStrategyLiveUpdate``)."""
        if self.release < _ROLLOUT_STRATEGY_SINCE or not self.has_gate(Gate.VM_LIVE_UPDATE):
            return False
        return (self.config.vm_rollout_strategy or default_rollout_strategy(self.release)) == LIVE_UPDATE

    @property
    def deploys_common_instancetypes(self) -> bool:
        """True if KubeVirt's operator deploys common-instancetypes.

        ``commonInstancetypesDeploymentEnabled`` in ``pkg/virt-operator/resource/apply/reconcile.go``.
        """
        if self.release < _COMMON_INSTANCETYPES_SINCE:
            return self.has_gate(Gate.COMMON_INSTANCETYPES_DEPLOYMENT)
        return self.config.common_instancetypes is not False

    def machine_type(self, architecture: str) -> str:
        """Return the default machine type of an architecture (``virt-config.go``, ``GetMachineType``).

        An architecture that the release does not know gets the machine type of amd64.
        """
        if self.config.machine_type and self.release >= _GENERAL_MACHINE_TYPE_SINCE:
            return self.config.machine_type
        types = self.config.machine_types
        if architecture == "s390x" and self.release < _S390X_IS_CONFIGURED_SINCE:  # kubevirt#15017
            is_known = self.release >= _S390X_IS_KNOWN_SINCE
            return DEFAULT_MACHINE_TYPES["s390x"] if is_known else types["amd64"]
        is_gone = architecture == "ppc64le" and self.release >= _PPC64LE_IS_GONE_SINCE  # kubevirt#14976
        return types["amd64"] if is_gone else types.get(architecture, types["amd64"])

    def architecture(self, written: str) -> str:
        """Return the architecture of a virtual machine; ``written`` is its manifest's value, or empty."""
        return written or self.config.default_architecture


def default_rollout_strategy(release: Release) -> str:
    """Return the rollout strategy of a cluster that sets none (``DefaultVMRolloutStrategy``)."""
    return LIVE_UPDATE if release >= _LIVE_UPDATE_BY_DEFAULT_SINCE else STAGE


def read_cluster_config(kubevirt: JsonObject) -> ClusterConfig:
    """Return the configuration in a ``KubeVirt`` object; the defaults if the object is empty.

    A value of a wrong type counts as missing. KubeVirt itself falls back to its defaults for everything if
    one value is out of range (``configuration.go``, ``setConfigFromKubeVirt``).
    """
    configuration = object_at(kubevirt, "spec", "configuration")
    if not _is_in_range(configuration):
        return DEFAULT_CONFIG
    defaults = DEFAULT_CONFIG
    eviction_strategy = configuration.get("evictionStrategy")
    permitted_devices = object_at(configuration, "permittedHostDevices")
    selectors = {
        text_at(device, "resourceName"): text_at(device, "pciVendorSelector")
        for device in array_at(permitted_devices, "pciHostDevices")
    }
    mediated_devices = (
        text_at(device, "resourceName") for device in array_at(permitted_devices, "mediatedDevices")
    )
    network = object_at(configuration, "network")
    plugins = object_at(network, "binding")
    developer = object_at(configuration, "developerConfiguration")
    live_update = object_at(configuration, "liveUpdateConfiguration")
    architectures = object_at(configuration, "architectureConfiguration")
    return ClusterConfig(
        # KubeVirt reads only the status; its operator writes it.
        default_architecture=text_at(kubevirt, "status", "defaultArchitecture")
        or defaults.default_architecture,
        machine_type=text_at(configuration, "machineType"),
        machine_types={
            name: text_at(architectures, name, "machineType") or machine_type
            for name, machine_type in DEFAULT_MACHINE_TYPES.items()
        },
        cpu_model=text_at(configuration, "cpuModel"),
        cpu_request=lenient_quantity(configuration.get("cpuRequest")),
        cpu_allocation_ratio=_integer(developer, "cpuAllocationRatio") or defaults.cpu_allocation_ratio,
        memory_overcommit=_integer(developer, "memoryOvercommit") or defaults.memory_overcommit,
        eviction_strategy=(
            eviction_strategy if isinstance(eviction_strategy, str) else defaults.eviction_strategy
        ),
        default_interface=text_at(network, "defaultNetworkInterface") or defaults.default_interface,
        permits_bridge=network.get("permitBridgeInterfaceOnPodNetwork") is not False,
        permits_slirp=network.get("permitSlirpInterface") is True,
        feature_gates=_texts(developer, "featureGates"),
        disabled_feature_gates=_texts(developer, "disabledFeatureGates"),
        emulated_machines=_texts(configuration, "emulatedMachines"),
        emulated_machines_of={
            name: _texts(architectures, name, "emulatedMachines")
            for name in architectures
            if name in DEFAULT_MACHINE_TYPES
        },
        vm_rollout_strategy=text_at(configuration, "vmRolloutStrategy"),
        max_hotplug_ratio=max(_integer(live_update, "maxHotplugRatio"), 0) or defaults.max_hotplug_ratio,
        max_cpu_sockets=max(_integer(live_update, "maxCpuSockets"), 0),
        max_guest=lenient_quantity(live_update.get("maxGuest")),
        persistent_reservation=_flag(configuration, "persistentReservationConfiguration", "enabled"),
        common_instancetypes=_flag(configuration, "commonInstancetypesDeployment", "enabled"),
        pci_host_devices={name: selector for name, selector in selectors.items() if name and selector},
        mediated_devices=tuple(filter(None, mediated_devices)),
        permitted_devices=_permitted_devices(configuration.get("permittedHostDevices")),
        obsolete_cpu_models=tuple(object_at(configuration, "obsoleteCPUModels")),
        has_seccomp_profile=bool(
            object_at(configuration, "seccompConfiguration", "virtualMachineInstanceProfile")
        ),
        migrating_bindings=tuple(
            name for name in plugins if object_at(plugins, name).get("migration") is not None
        ),
    )


def _permitted_devices(permitted: Json) -> tuple[str, ...] | None:
    """Return the resource names that ``validatePermittedHostDevices`` accepts."""
    if not isinstance(permitted, dict):
        return None
    lists = (array_at(permitted, kind) for kind in ("pciHostDevices", "mediatedDevices", "usb"))
    return tuple(text_at(device, "resourceName") for devices in lists for device in devices)


def _is_in_range(configuration: JsonObject) -> bool:
    developer = object_at(configuration, "developerConfiguration")
    return (
        text_at(configuration, "imagePullPolicy") in _PULL_POLICIES
        and text_at(configuration, "network", "defaultNetworkInterface") in _INTERFACES
        and _integer(developer, "memoryOvercommit") >= 0
        and _integer(developer, "cpuAllocationRatio") >= 0
        and 0 <= _integer(developer, "pvcTolerateLessSpaceUpToPercent") <= _MAX_PERCENT
    )


def _texts(value: Json, *path: str) -> tuple[str, ...]:
    return tuple(text for text in array_at(value, *path) if isinstance(text, str))


def _flag(value: Json, *path: str) -> bool | None:
    found = object_at(value, *path[:-1]).get(path[-1])
    return found if isinstance(found, bool) else None


def _integer(value: JsonObject, key: str) -> int:
    """Return an integer; 0 if the key is missing, as in Go."""
    number = value.get(key)
    return number if isinstance(number, int) and not isinstance(number, bool) else 0
