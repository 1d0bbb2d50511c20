"""The KubeVirt object that the operator makes (``NewKubeVirt`` in ``controllers/handlers/kubevirt.go``).

Up to 1.15 the file is ``controllers/operands/kubevirt.go``.
"""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.feature_gates import PERSISTENT_RESERVATION
from renderer.kubevirt.hyperconverged.host_devices import mediated_devices, permitted_host_devices
from renderer.kubevirt.hyperconverged.kubevirt_gates import PASST_ANNOTATION, disabled_gates, enabled_gates
from renderer.kubevirt.hyperconverged.object_fields import Setting
from renderer.kubevirt.hyperconverged.release import OperatorEnvironment, OperatorFacts, OperatorRelease
from renderer.kubevirt.hyperconverged.settings import Settings
from renderer.kubevirt.hyperconverged.tls import kubevirt_tls
from renderer.kubevirt.hyperconverged.tuning import rate_limits
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at
from renderer.model.record import Record


class _Copied(Record):
    """A setting that becomes a field of KubeVirt's configuration unchanged, since a minor release."""

    setting: Setting
    field: str
    since: int = 10
    until: int = 99


_COPIED = (
    _Copied(Setting.AUTO_CPU_LIMIT, "autoCPULimitNamespaceLabelSelector"),
    _Copied(Setting.CHANGED_BLOCK_TRACKING, "changedBlockTrackingLabelSelectors", since=18),
    _Copied(Setting.COMMON_INSTANCETYPES, "commonInstancetypesDeployment", since=14),
    _Copied(Setting.DEFAULT_CPU_MODEL, "cpuModel"),
    _Copied(Setting.DEFAULT_RUNTIME_CLASS, "defaultRuntimeClass"),
    _Copied(Setting.EVICTION_STRATEGY, "evictionStrategy"),
    _Copied(Setting.HYPERVISORS, "hypervisors", since=18),
    _Copied(Setting.INSTANCETYPE_CONFIG, "instancetype", since=15),
    _Copied(Setting.KSM, "ksmConfiguration", since=11),
    _Copied(Setting.LIVE_UPDATE, "liveUpdateConfiguration", since=16),
    _Copied(Setting.MINIMAL_CPU_MODEL, "minCPUModel", until=16),
    _Copied(Setting.ROLE_AGGREGATION, "roleAggregationStrategy", since=18),
    _Copied(Setting.VM_STATE_STORAGE_CLASS, "vmStateStorageClass"),
)
#: The fields of a migration that the operator knows, with the minor release since when it does.
_MIGRATION_FIELDS = {
    "allowAutoConverge": 10,
    "allowPostCopy": 10,
    "allowWorkloadDisruption": 19,
    "bandwidthPerMigration": 10,
    "completionTimeoutPerGiB": 10,
    "network": 10,
    "parallelMigrationsPerCluster": 10,
    "parallelOutboundMigrationsPerNode": 10,
    "progressTimeout": 10,
}
#: What the table of options of virtual machines turns off, with an empty object.
_OPTIONS = ("disableFreePageReporting", "disableSerialConsoleLog")

_OBSOLETE_CPU_MODELS = (
    *("486", "pentium", "pentium2", "pentium3", "pentiumpro", "coreduo", "n270", "core2duo", "Conroe"),
    *("athlon", "phenom", "qemu64", "qemu32", "kvm64", "kvm32"),
)
_OBSOLETE_SINCE_1_11 = ("Opteron_G1", "Opteron_G2")
#: Since this release each obsolete model has a first version that is obsolete, too.
_VERSIONS_OBSOLETE_SINCE = OperatorRelease(1, 15)

_EMULATED_MACHINES = {
    "amd64": ["q35*", "pc-q35*"],
    "arm64": ["virt*"],
    "s390x": ["s390-ccw-virtio*"],
}
_FIRMWARE = {"amd64": "/usr/share/OVMF", "arm64": "/usr/share/AAVMF"}
_NO_FIRMWARE_PATHS_SINCE = OperatorRelease(1, 20)
#: Before, one variable named the machine type, only for amd64.
_ARCHITECTURES_SINCE = OperatorRelease(1, 12)
_S390X_SINCE = OperatorRelease(1, 17)
_DEFAULT_ARCHITECTURE_SINCE = OperatorRelease(1, 18)

_L2_BRIDGE: JsonObject = {"domainAttachmentType": "managedTap", "migration": {}}
_L2_BRIDGE_SINCE = OperatorRelease(1, 14)


def kubevirt_spec(settings: Settings, facts: OperatorFacts, environment: OperatorEnvironment) -> JsonObject:
    """Return the spec before it goes through Go's types; fields that are not set may be None.

    Raises ``CannotMakeError`` for an annotation that the operator cannot read.
    """
    return {
        "certificateRotateStrategy": {"selfSigned": certificates(settings)},
        "configuration": _configuration(settings, facts, environment),
        "infra": _infrastructure(settings, facts),
        "productComponent": "compute",
        "productName": "hyperconverged-cluster",
        "serviceMonitorNamespace": settings.namespace,
        "uninstallStrategy": uninstall_strategy(settings),
        "workloads": _component(settings.get(Setting.WORKLOAD_PLACEMENT)),
        "workloadUpdateStrategy": settings.get(Setting.WORKLOAD_UPDATE),
    }


def kubevirt_annotations(settings: Settings) -> JsonObject:
    """Return the annotations of the object."""
    is_aligned = settings.release >= OperatorRelease(1, 11) and settings.has_gate("alignCPUs")
    return {"alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity": ""} if is_aligned else EMPTY


def certificates(settings: Settings) -> JsonObject:
    """Return how long certificates are valid, and when they are renewed."""
    said = settings.object(Setting.CERTIFICATES)
    return {"ca": object_at(said, "ca"), "server": object_at(said, "server")}


def uninstall_strategy(settings: Settings) -> str:
    """Return the uninstall strategy of KubeVirt and CDI, one of two."""
    removes = settings.get(Setting.UNINSTALL_STRATEGY) == "RemoveWorkloads"
    return "RemoveWorkloads" if removes else "BlockUninstallIfWorkloadsExist"


def _configuration(settings: Settings, facts: OperatorFacts, environment: OperatorEnvironment) -> JsonObject:
    release = settings.release
    limits = rate_limits(settings)
    return {
        **{
            row.field: settings.get(row.setting) for row in _COPIED if row.since <= release.minor <= row.until
        },
        "apiConfiguration": limits,
        "architectureConfiguration": _architectures(facts, environment, release),
        "controllerConfiguration": limits,
        "developerConfiguration": _developer_configuration(settings, facts, environment),
        "handlerConfiguration": limits,
        "machineType": environment.machine_type if release < _ARCHITECTURES_SINCE else None,
        "mediatedDevicesConfiguration": mediated_devices(settings),
        "migrations": _migrations(settings),
        "network": {"defaultNetworkInterface": "masquerade", "binding": _bindings(settings, environment)},
        "obsoleteCPUModels": _obsolete_cpu_models(settings),
        "permittedHostDevices": permitted_host_devices(settings),
        "persistentReservationConfiguration": _persistent_reservation(settings),
        "seccompConfiguration": {
            "virtualMachineInstanceProfile": {"customProfile": {"localhostProfile": "kubevirt/kubevirt.json"}}
        },
        "smbios": environment.smbios or None,
        "tlsConfiguration": kubevirt_tls(settings),
        "virtualMachineOptions": _machine_options(settings),
        "vmRolloutStrategy": "LiveUpdate" if release >= OperatorRelease(1, 12) else None,
        "webhookConfiguration": limits,
    }


def _developer_configuration(
    settings: Settings, facts: OperatorFacts, environment: OperatorEnvironment
) -> JsonObject:
    gates = enabled_gates(settings, facts, environment)
    density = settings.object(Setting.HIGHER_WORKLOAD_DENSITY)
    return {
        "cpuAllocationRatio": settings.get(Setting.CPU_ALLOCATION_RATIO),
        "disabledFeatureGates": disabled_gates(gates, settings.release),
        "diskVerification": {"memoryLimit": "2G"},
        "featureGates": gates,
        "logVerbosity": settings.object(Setting.LOG_VERBOSITY).get("kubevirt"),
        "memoryOvercommit": density.get("memoryOvercommitPercentage"),
        "useEmulation": environment.kvm_emulation,
    }


def _migrations(settings: Settings) -> JsonObject:
    said = settings.object(Setting.LIVE_MIGRATION)
    return {
        field: said.get(field)
        for field, since in _MIGRATION_FIELDS.items()
        if settings.release.minor >= since
    }


def _machine_options(settings: Settings) -> Json:
    said = settings.object(Setting.VIRTUAL_MACHINE_OPTIONS)
    return {option: {} for option in _OPTIONS if said.get(option) is True} or None


def _obsolete_cpu_models(settings: Settings) -> JsonObject:
    models = [*_OBSOLETE_CPU_MODELS, *(_OBSOLETE_SINCE_1_11 if settings.release >= (1, 11) else ())]
    if settings.release >= _VERSIONS_OBSOLETE_SINCE:
        models += [f"{model}-v1" for model in models]
    return dict.fromkeys([*models, *map(str, settings.array(Setting.OBSOLETE_CPU_MODELS))], True)


def _persistent_reservation(settings: Settings) -> Json:
    """Return the field of KubeVirt 1.9, which was a gate before."""
    if settings.release < (1, 19):
        return None
    enabled = settings.object(Setting.PERSISTENT_RESERVATION).get("enabled")
    if enabled is None and settings.has_gate(PERSISTENT_RESERVATION):
        enabled = True
    return None if enabled is None else {"enabled": enabled}


def _bindings(settings: Settings, environment: OperatorEnvironment) -> JsonObject:
    """Return the network bindings: the user's, and those that the operator adds or replaces."""
    release = settings.release
    bindings: dict[str, Json] = {}
    if release >= (1, 11):
        bindings.update(settings.object(Setting.NETWORK_BINDINGS))
    if release >= _L2_BRIDGE_SINCE:
        bindings["l2bridge"] = _L2_BRIDGE
    if _has_passt(settings):
        bindings["passt"] = {
            "computeResourceOverhead": {"requests": {"memory": "250Mi" if release >= (1, 16) else "500Mi"}},
            "migration": {} if release >= (1, 16) else {"method": "link-refresh"},
            "networkAttachmentDefinition": "default/primary-udn-kubevirt-binding",
            "sidecarImage": environment.passt_image,
        }
    return bindings


def _has_passt(settings: Settings) -> bool:
    """Return True if the operator adds the binding: in 1.13 for a gate, in 1.14 always, later on demand."""
    match settings.release.minor:
        case 13:
            return settings.has_gate("primaryUserDefinedNetworkBinding")
        case 14:
            return True
        case 16 | 17 | 18:
            return settings.annotation(PASST_ANNOTATION) == "true"
        case _:
            return False


def _architectures(facts: OperatorFacts, environment: OperatorEnvironment, release: OperatorRelease) -> Json:
    """Return ``architectureConfiguration``: an entry for each architecture whose machine type is known."""
    types: dict[str, str] = {"amd64": environment.machine_type}
    if release >= _ARCHITECTURES_SINCE:
        types = {
            **environment.machine_types,
            "amd64": environment.machine_type or environment.machine_types.get("amd64", ""),
        }
    if release < _S390X_SINCE:
        types.pop("s390x", None)
    made: dict[str, Json] = {
        architecture: {
            "machineType": machine,
            "emulatedMachines": _EMULATED_MACHINES[architecture],
            "ovmfPath": _FIRMWARE.get(architecture) if release < _NO_FIRMWARE_PATHS_SINCE else None,
        }
        for architecture, machine in types.items()
        if machine
    }
    if release >= _DEFAULT_ARCHITECTURE_SINCE:
        default = _default_architecture(facts)
        if default:
            made["defaultArchitecture"] = default
    return made or None


def _default_architecture(facts: OperatorFacts) -> str:
    """Return the control plane's architecture if workers have it, too, else the workers' own.

    If workers have several, the operator uses the most frequent one. Here their number is not known, and the
    first counts.
    """
    control_plane, workloads = sorted(facts.control_plane_architectures), sorted(facts.workload_architectures)
    if control_plane and control_plane[0] in workloads:
        return control_plane[0]
    return workloads[0] if workloads else ""


def _infrastructure(settings: Settings, facts: OperatorFacts) -> Json:
    placement = settings.get(Setting.INFRA_PLACEMENT)
    if settings.release < (1, 13):
        return _component(placement, is_single=not facts.infrastructure_highly_available)
    if placement is None and not facts.control_plane_multi_node and not facts.control_plane_node_exists:
        # Without a control plane node, its pods may run anywhere.
        return _component({}, is_single=not facts.infrastructure_highly_available)
    return _component(placement, is_single=not facts.control_plane_multi_node)


def _component(placement: Json, *, is_single: bool = False) -> Json:
    """Return the replicas and placement of a component; None if there is nothing to say."""
    if placement is None and not is_single:
        return None
    return {"nodePlacement": placement, "replicas": 1 if is_single else None}
