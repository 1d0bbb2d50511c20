"""The API groups and kinds of KubeVirt and of what its machines refer to, and the two matchers.

A matcher is the field by which a VirtualMachine names its instance type or preference.

Read from ``staging/src/kubevirt.io/api/*/register.go`` of KubeVirt and
``staging/src/kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1/register.go`` of CDI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource

KUBEVIRT_GROUP = "kubevirt.io"
POOL_GROUP = "pool.kubevirt.io"
INSTANCETYPE_GROUP = "instancetype.kubevirt.io"
CDI_GROUP = "cdi.kubevirt.io"
APPS_GROUP = "apps"
SNAPSHOT_STORAGE_GROUP = "snapshot.storage.k8s.io"
HYPERCONVERGED_GROUP = "hco.kubevirt.io"
#: The only name that the operator accepts for its object, and the namespace in which upstream deploys it.
HYPERCONVERGED_NAME = "kubevirt-hyperconverged"
SSP_GROUP = "ssp.kubevirt.io"
#: KubeVirt's snapshots of machines, not the snapshots of volumes in ``SNAPSHOT_STORAGE_GROUP``.
SNAPSHOT_GROUP = "snapshot.kubevirt.io"
VM_TEMPLATE_GROUP = "template.kubevirt.io"

VM = "VirtualMachine"
VMI = "VirtualMachineInstance"
VMI_REPLICA_SET = "VirtualMachineInstanceReplicaSet"
VMI_PRESET = "VirtualMachineInstancePreset"
VMI_MIGRATION = "VirtualMachineInstanceMigration"
VM_POOL = "VirtualMachinePool"
VM_SNAPSHOT = "VirtualMachineSnapshot"
VM_RESTORE = "VirtualMachineRestore"
VM_TEMPLATE = "VirtualMachineTemplate"
VM_TEMPLATE_REQUEST = "VirtualMachineTemplateRequest"
KUBEVIRT = "KubeVirt"
CDI = "CDI"
HYPERCONVERGED = "HyperConverged"
SSP = "SSP"
CATALOG_SOURCE = "CatalogSource"
CONFIG_MAP = "ConfigMap"
SECRET = "Secret"  # noqa: S105 - a kind, no password
SERVICE_ACCOUNT = "ServiceAccount"
NETWORK = "NetworkAttachmentDefinition"
CLAIM = "PersistentVolumeClaim"
STORAGE_CLASS = "StorageClass"
VOLUME_SNAPSHOT = "VolumeSnapshot"
DATA_VOLUME = "DataVolume"
STORAGE_PROFILE = "StorageProfile"
DATA_SOURCE = "DataSource"
DATA_IMPORT_CRON = "DataImportCron"
CONTROLLER_REVISION = "ControllerRevision"
#: Kinds that are counted as virtual machines.
MACHINES = (VM, VMI, VM_POOL, VMI_REPLICA_SET)

_CONFIGURING_KINDS = frozenset(
    {
        *(KUBEVIRT, CDI, HYPERCONVERGED, SSP, STORAGE_PROFILE),
        *("AAQ", "HostPathProvisioner", "MigController", "MigrationPolicy", "NetworkAddonsConfig"),
    }
)

#: The API version in which every release of KubeVirt stores instance types and preferences.
INSTANCETYPE_VERSION = "v1beta1"
INSTANCETYPE_API_VERSION = f"{INSTANCETYPE_GROUP}/{INSTANCETYPE_VERSION}"
#: The API version of KubeVirt's customisation proposal: an instance type may leave the size to the VM.
PROPOSED_INSTANCETYPE_VERSION = "v1beta2"
PROPOSED_INSTANCETYPE_API_VERSION = f"{INSTANCETYPE_GROUP}/{PROPOSED_INSTANCETYPE_VERSION}"
#: The prefix of the labels and annotations of instance types, preferences and their revisions.
INSTANCETYPE_PREFIX = f"{INSTANCETYPE_GROUP}/"


class MatcherType:
    """One of the two matchers of a VirtualMachine, and the objects that it matches.

    ``key`` is its field in ``spec``. ``matched_kinds`` maps the kind in a matcher to the kind of the object
    (``pkg/instancetype/find``): case is ignored, singular and plural are both valid, and an empty kind means
    the cluster-wide kind.
    """

    def __init__(self, *, key: str, noun: str, kind: str, cluster_kind: str, not_found: Code) -> None:
        self.key: Final = key
        self.noun: Final = noun
        self.kind: Final = kind
        self.cluster_kind: Final = cluster_kind
        self.not_found: Final = not_found
        self.path: Final = FieldPath.of("spec", key)
        names = {"": cluster_kind}
        for each in self.kinds:
            names |= {each: each, each.lower(): each, f"{each.lower()}s": each}
        self.matched_kinds: Final[Mapping[str, str]] = names

    @property
    def status_ref(self) -> str:
        """The field of a VirtualMachine's ``status`` that names the object, since KubeVirt 1.5."""
        return f"{self.key}Ref"

    @property
    def name_label(self) -> str:
        """The label of a volume that names the object to infer."""
        return f"{INSTANCETYPE_PREFIX}default-{self.key}"

    @property
    def kind_label(self) -> str:
        return f"{self.name_label}-kind"

    @property
    def kinds(self) -> tuple[str, str]:
        """The namespaced and the cluster-wide kind."""
        return (self.kind, self.cluster_kind)

    @property
    def default_kind(self) -> str:
        """The kind that the mutating webhook of KubeVirt 1.0 to 1.6 writes into a matcher without one."""
        return self.cluster_kind.lower()

    def matched_kind(self, kind: str) -> str | None:
        """Return the kind of object that a matcher's ``kind`` refers to; None if it is unknown."""
        return self.matched_kinds.get(kind) or self.matched_kinds.get(kind.lower())


INSTANCETYPE = MatcherType(
    key="instancetype",
    noun="instance type",
    kind="VirtualMachineInstancetype",
    cluster_kind="VirtualMachineClusterInstancetype",
    not_found=Code.INSTANCETYPE_NOT_FOUND,
)
PREFERENCE = MatcherType(
    key="preference",
    noun="preference",
    kind="VirtualMachinePreference",
    cluster_kind="VirtualMachineClusterPreference",
    not_found=Code.PREFERENCE_NOT_FOUND,
)
MATCHER_TYPES = (INSTANCETYPE, PREFERENCE)
#: The fields of a VirtualMachine's ``spec`` that name an instance type and a preference.
MATCHER_KEYS = tuple(matcher_type.key for matcher_type in MATCHER_TYPES)
#: The matcher for each kind of instance type and preference.
MATCHER_TYPE_OF: Mapping[str, MatcherType] = {
    kind: matcher_type for matcher_type in MATCHER_TYPES for kind in matcher_type.kinds
}
#: The cluster-scoped kinds of KubeVirt that a repository of virtual machines contains.
CLUSTER_KINDS = frozenset(matcher_type.cluster_kind for matcher_type in MATCHER_TYPES)


def is_kubevirt_group(group: str) -> bool:
    """Return True if an API group is KubeVirt's own or a subgroup of it, which includes CDI's."""
    return group == KUBEVIRT_GROUP or group.endswith(f".{KUBEVIRT_GROUP}")


def configures_cluster(gvk: Gvk) -> bool:
    """Return True for the kinds that decide over all machines of a cluster, and that no machine names."""
    return gvk.kind in _CONFIGURING_KINDS and is_kubevirt_group(gvk.group)


def is_hyperconverged(resource: Resource) -> bool:
    """Return True for the object of which the HyperConverged operator makes the ``KubeVirt`` object."""
    return resource.kind == HYPERCONVERGED and resource.gvk.group == HYPERCONVERGED_GROUP


def configures_kubevirt(resource: Resource) -> bool:
    """Return True for the object that has the configuration of a cluster's KubeVirt."""
    is_kubevirt = resource.kind == KUBEVIRT and resource.gvk.group == KUBEVIRT_GROUP
    return is_kubevirt or is_hyperconverged(resource)


def installs_operands(resource: Resource) -> bool:
    """Return True for the object of an operator by which it installs KubeVirt or CDI."""
    is_cdi = resource.kind == CDI and resource.gvk.group == CDI_GROUP
    return is_cdi or configures_kubevirt(resource)
