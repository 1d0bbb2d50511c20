"""Where each setting of HyperConverged is: in ``v1beta1`` flat, in ``v1`` in sections.

Read in ``api/v1beta1/hyperconverged_types.go`` and ``api/v1/hyperconverged_types.go`` of the operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.kubevirt.hyperconverged.feature_gates import is_enabled
from renderer.kubevirt.hyperconverged.object_fields import V1, version_of
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, object_at, text_at
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum


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


#: Feature gates of ``v1beta1`` that are on if nothing is said, with the minor releases in which they are.
_ON_BY_DEFAULT: Mapping[str, Sequence[int]] = {
    "decentralizedLiveMigration": range(18, 100),
    "declarativeHotplugVolumes": range(19, 100),
    "downwardMetrics": (11,),
    "nonRoot": range(10, 100),
    "template": range(19, 100),
    "videoConfig": (17, 18),
}


class Settings(Record):
    """An admitted HyperConverged object, read by setting, in the layout of its API version."""

    release: OperatorRelease
    metadata: JsonObject
    spec: JsonObject
    is_v1: bool

    @classmethod
    def of(cls, hyperconverged: JsonObject, admitted_spec: JsonObject, release: OperatorRelease) -> Settings:
        """Read the admitted spec of an object in the layout of the object's API version."""
        is_v1 = version_of(hyperconverged) == V1
        return cls(release, object_at(hyperconverged, "metadata"), admitted_spec, is_v1)

    @property
    def name(self) -> str:
        """The name of the object."""
        return text_at(self.metadata, "name")

    @property
    def namespace(self) -> str:
        """The namespace of the object, in which the operator runs."""
        return text_at(self.metadata, "namespace") or "kubevirt-hyperconverged"

    def annotation(self, name: str) -> str | None:
        """Return an annotation; None if it is not there."""
        annotations = object_at(self.metadata, "annotations")
        return text_at(annotations, name) if name in annotations else None

    def get(self, setting: Setting) -> Json:
        """Return the value of a setting; None if nothing sets it."""
        path = setting.v1 if self.is_v1 else str(setting)
        if not self.is_v1 and self.release < OperatorRelease(1, setting.gate_before):
            path = f"featureGates.{path}"
        if not path:
            return None
        *sections, name = path.split(".")
        return object_at(self.spec, *sections).get(name)

    def object(self, setting: Setting) -> JsonObject:
        """Return the mapping of a setting; an empty one if nothing sets it."""
        value = self.get(setting)
        return value if isinstance(value, dict) else EMPTY

    def array(self, setting: Setting) -> Sequence[Json]:
        """Return the list of a setting; an empty one if nothing sets it."""
        value = self.get(setting)
        return value if isinstance(value, list) else ()

    def has_gate(self, name: str) -> bool:
        """Return True if a feature gate of HyperConverged is on."""
        if self.is_v1:
            return is_enabled(self.spec.get("featureGates"), name, self.release)
        said = object_at(self.spec, "featureGates").get(name)
        return said if isinstance(said, bool) else self.release.minor in _ON_BY_DEFAULT.get(name, ())

    def gate_as_field(self, name: str) -> bool | None:
        """Return what a gate that became a field of ``v1`` says about it; None if it says nothing.

        A gate in ``v1`` can only turn its feature on. A gate in ``v1beta1`` is stored as the field.
        """
        if self.is_v1:
            return True if self.has_gate(name) else None
        said = object_at(self.spec, "featureGates").get(name)
        return said if isinstance(said, bool) else None
