"""Where a HyperConverged object has a setting: flat in v1beta1, in sections in v1.

Read in ``api/v1beta1/hyperconverged_types.go`` and ``api/v1/hyperconverged_types.go`` of the operator.
"""

from __future__ import annotations

from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.text_enum import TextEnum

V1, V1BETA1 = "v1", "v1beta1"
#: A value of the setting ``TUNING_POLICY``.
HIGH_BURST = "highBurst"


class Setting(TextEnum):
    """A setting: its place in ``v1beta1``, its place in ``v1``; empty where it does not exist.

    ``gate_before`` is the minor release that made a field of ``v1beta1`` of what was a feature gate.
    """

    __slots__ = ("gate_before", "v1")

    def __init__(self, v1beta1: str, v1: str, gate_before: int = 0) -> None:
        del v1beta1  # the text itself
        self.v1 = v1
        self.gate_before = gate_before

    def place(self, version: str) -> FieldPath:
        """Return the field in an API version."""
        return FieldPath.of("spec", *(self.v1 if version == V1 else str(self)).split("."))

    def place_at(self, version: str, release: OperatorRelease) -> FieldPath:
        """Return the field in an API version of a release, in which it may still be a feature gate."""
        if release < (1, self.gate_before):
            return FieldPath.of("spec", "featureGates", str(self))
        return self.place(version)

    def place_in(self, content: JsonObject) -> FieldPath:
        """Return the field in an object, by its API version."""
        return self.place(version_of(content))

    APPLICATION_AWARE_CONFIG = "applicationAwareConfig", "deployment.applicationAwareConfig"
    APPLICATION_AWARE_QUOTA = "enableApplicationAwareQuota", "deployment.applicationAwareConfig.enable", 15
    AUTO_CPU_LIMIT = (
        "resourceRequirements.autoCPULimitNamespaceLabelSelector",
        "virtualization.autoCPULimitNamespaceLabelSelector",
    )
    CERTIFICATES = "certConfig", "security.certConfig"
    CHANGED_BLOCK_TRACKING = (
        "changedBlockTrackingLabelSelectors",
        "virtualization.changedBlockTrackingLabelSelectors",
    )
    COMMON_BOOT_IMAGES = "enableCommonBootImageImport", "workloadSources.enableCommonBootImageImport", 15
    COMMON_BOOT_IMAGE_NAMESPACE = "commonBootImageNamespace", "workloadSources.commonBootImageNamespace"
    COMMON_INSTANCETYPES = "CommonInstancetypesDeployment", "workloadSources.commonInstancetypesDeployment"
    COMMON_TEMPLATES_NAMESPACE = "commonTemplatesNamespace", "workloadSources.commonTemplatesNamespace"
    CPU_ALLOCATION_RATIO = (
        "resourceRequirements.vmiCPUAllocationRatio",
        "virtualization.vmiCPUAllocationRatio",
    )
    DATA_IMPORT_CRON_TEMPLATES = "dataImportCronTemplates", "workloadSources.dataImportCronTemplates"
    DEFAULT_CPU_MODEL = "defaultCPUModel", "virtualization.virtualMachineOptions.defaultCPUModel"
    DEFAULT_RUNTIME_CLASS = "defaultRuntimeClass", "virtualization.virtualMachineOptions.defaultRuntimeClass"
    EVICTION_STRATEGY = "evictionStrategy", "virtualization.evictionStrategy"
    FILESYSTEM_OVERHEAD = "filesystemOverhead", "storage.filesystemOverhead"
    HIGHER_WORKLOAD_DENSITY = "higherWorkloadDensity", "virtualization.higherWorkloadDensity"
    HYPERVISORS = "hypervisors", "virtualization.hypervisors"
    INFRA_PLACEMENT = "infra.nodePlacement", "deployment.nodePlacements.infra"
    INSTANCETYPE_CONFIG = "instancetypeConfig", "workloadSources.instancetypeConfig"
    KSM = "ksmConfiguration", "virtualization.ksmConfiguration"
    KUBE_MAC_POOL = "kubeMacPoolConfiguration", "networking.kubeMacPoolConfiguration"
    LIVE_MIGRATION = "liveMigrationConfig", "virtualization.liveMigrationConfig"
    LIVE_UPDATE = "liveUpdateConfiguration", "virtualization.liveUpdateConfiguration"
    LOG_VERBOSITY = "logVerbosityConfig", "deployment.logVerbosityConfig"
    MEDIATED_DEVICES = "mediatedDevicesConfiguration", "virtualization.mediatedDevicesConfiguration"
    MINIMAL_CPU_MODEL = "obsoleteCPUs.minCPUModel", ""
    MULTI_ARCHITECTURE = "", "workloadSources.enableMultiArchBootImageImport"
    NAME_SERVER = "kubeSecondaryDNSNameServerIP", "networking.kubeSecondaryDNSNameServerIP"
    NETWORK_BINDINGS = "networkBinding", "networking.networkBinding"
    OBSOLETE_CPU_MODELS = "obsoleteCPUs.cpuModels", "virtualization.obsoleteCPUModels"
    PERMITTED_HOST_DEVICES = "permittedHostDevices", "virtualization.permittedHostDevices"
    PERSISTENT_RESERVATION = (
        "persistentReservationConfiguration",
        "storage.persistentReservationConfiguration",
    )
    ROLE_AGGREGATION = "roleAggregationStrategy", "virtualization.roleAggregationStrategy"
    SCRATCH_SPACE_STORAGE_CLASS = "scratchSpaceStorageClass", "storage.scratchSpaceStorageClass"
    STORAGE_IMPORT = "storageImport", "storage.storageImport"
    STORAGE_RESOURCES = "resourceRequirements.storageWorkloads", "storage.workloadResourceRequirements"
    TEKTON_PIPELINES_NAMESPACE = "tektonPipelinesNamespace", ""
    TEKTON_TASKS_NAMESPACE = "tektonTasksNamespace", ""
    TLS_SECURITY_PROFILE = "tlsSecurityProfile", "security.tlsSecurityProfile"
    TUNING_POLICY = "tuningPolicy", "virtualization.tuningPolicy"
    UNINSTALL_STRATEGY = "uninstallStrategy", "deployment.uninstallStrategy"
    VIRTUAL_MACHINE_OPTIONS = "virtualMachineOptions", "virtualization.virtualMachineOptions"
    VM_CONSOLE_PROXY = "deployVmConsoleProxy", "deployment.deployVmConsoleProxy", 15
    VM_STATE_STORAGE_CLASS = "vmStateStorageClass", "storage.vmStateStorageClass"
    WORKLOAD_PLACEMENT = "workloads.nodePlacement", "deployment.nodePlacements.workload"
    WORKLOAD_UPDATE = "workloadUpdateStrategy", "virtualization.workloadUpdateStrategy"


def version_of(content: JsonObject) -> str:
    """Return the API version of an object without its group: ``v1`` or ``v1beta1``."""
    return text_at(content, "apiVersion").rpartition("/")[2]
