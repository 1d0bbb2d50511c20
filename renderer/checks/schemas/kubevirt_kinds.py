"""The kinds of KubeVirt that have a schema here, and the API versions that each release serves for them.

Read from ``pkg/virt-operator/resource/generate/components/crds.go`` and
``staging/src/kubevirt.io/api/core/v1/register.go`` at each release tag, and from the definitions of
virt-template that it deploys.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.kinds import (
    HYPERCONVERGED,
    INSTANCETYPE_GROUP,
    KUBEVIRT,
    KUBEVIRT_GROUP,
    POOL_GROUP,
    SNAPSHOT_GROUP,
    SNAPSHOT_STORAGE_GROUP,
    VM,
    VM_POOL,
    VM_TEMPLATE,
    VM_TEMPLATE_GROUP,
    VM_TEMPLATE_REQUEST,
    VMI,
    VMI_MIGRATION,
    VMI_PRESET,
    VMI_REPLICA_SET,
)
from renderer.kubevirt.vm_template.template import SERVED_SINCE
from renderer.model.record import Record
from renderer.model.release import Release


class KubevirtKind(Record):
    """A kind with a schema.

    ``rewritten``: KubeVirt's mutating webhook rewrites the spec before the API server checks it (kubevirt
    pkg/virt-api/webhooks/mutating-webhook/mutators), so numbers are accepted as quantities.
    """

    group: str
    name: str
    rewritten: bool = False

    @property
    def file_name(self) -> str:
        return f"{self.name.lower()}.json"


KINDS = (
    KubevirtKind(KUBEVIRT_GROUP, VM, rewritten=True),
    KubevirtKind(KUBEVIRT_GROUP, VMI, rewritten=True),
    KubevirtKind(KUBEVIRT_GROUP, KUBEVIRT),
    KubevirtKind(POOL_GROUP, VM_POOL),
    KubevirtKind(INSTANCETYPE_GROUP, "VirtualMachineInstancetype"),
    KubevirtKind(INSTANCETYPE_GROUP, "VirtualMachineClusterInstancetype"),
    KubevirtKind(INSTANCETYPE_GROUP, "VirtualMachinePreference"),
    KubevirtKind(INSTANCETYPE_GROUP, "VirtualMachineClusterPreference"),
)

#: The kinds of virt-template, which KubeVirt deploys; their schemas are in ``schemas/beside``, too.
OF_VIRT_TEMPLATE = (
    KubevirtKind(VM_TEMPLATE_GROUP, VM_TEMPLATE),
    KubevirtKind(VM_TEMPLATE_GROUP, VM_TEMPLATE_REQUEST),
)

#: Group and name of the kinds whose spec the mutating webhook rewrites.
REWRITTEN = frozenset((kind.group, kind.name) for kind in KINDS if kind.rewritten)

#: Kinds of the same groups that KubeVirt serves but that have no schema here.
WITHOUT_SCHEMA = frozenset({VMI_MIGRATION, VMI_PRESET, VMI_REPLICA_SET})

GROUPS = frozenset(kind.group for kind in KINDS)

#: Including KubeVirt's groups that have no schema here.
ALL_GROUPS = GROUPS | {
    "backup.kubevirt.io",
    "clone.kubevirt.io",
    "export.kubevirt.io",
    "migrations.kubevirt.io",
    SNAPSHOT_GROUP,
}


#: KubeVirt's kinds without a schema for each release, and the kinds of CDI and virt-template, by API version.
_OTHERS: Mapping[str, str] = {
    "kubevirt.io/v1": " ".join(sorted(WITHOUT_SCHEMA)),
    "backup.kubevirt.io/v1alpha1": "VirtualMachineBackup VirtualMachineBackupTracker",
    "cdi.kubevirt.io/v1beta1": (
        "CDI CDIConfig DataImportCron DataSource DataVolume ObjectTransfer StorageProfile"
        " VolumeCloneSource VolumeImportSource VolumeUploadSource"
    ),
    "hco.kubevirt.io/v1beta1": HYPERCONVERGED,
    "forklift.cdi.kubevirt.io/v1beta1": "OpenstackVolumePopulator OvirtVolumePopulator",
    "clone.kubevirt.io/v1beta1": "VirtualMachineClone",
    "export.kubevirt.io/v1beta1": "VirtualMachineExport",
    "migrations.kubevirt.io/v1alpha1": "MigrationPolicy",
    "snapshot.kubevirt.io/v1beta1": (
        "VirtualMachineRestore VirtualMachineSnapshot VirtualMachineSnapshotContent"
    ),
    "template.kubevirt.io/v1beta1": "VirtualMachineTemplate VirtualMachineTemplateRequest",
}
#: Operators' groups with the networks and migrations of virtual machines, checked in files of their own, too.
MACHINE_GROUPS = frozenset({"forklift.konveyor.io", "k8s.ovn.org", "nmstate.io", "sriovnetwork.openshift.io"})
#: Operators' groups for any workload, checked only where virtual machines are, as Kubernetes' own kinds.
_WORKLOAD_GROUPS = frozenset(
    {
        "bitnami.com",
        "external-secrets.io",
        "gateway.networking.k8s.io",
        "metallb.io",
        SNAPSHOT_STORAGE_GROUP,
    }
)
#: The groups of other operators; a cluster may have any release of them.
OPERATOR_GROUPS = MACHINE_GROUPS | _WORKLOAD_GROUPS
_OWN_COMPANIONS = frozenset(version.partition("/")[0] for version in _OTHERS) | {"k8s.cni.cncf.io"}
#: The groups of kinds that accompany virtual machines; their schemas are in ``schemas/beside``.
COMPANION_GROUPS = _OWN_COMPANIONS | OPERATOR_GROUPS
#: The groups whose objects are checked in files of their own.
CHECKED_GROUPS = ALL_GROUPS | _OWN_COMPANIONS | MACHINE_GROUPS
#: The API version to write for each of these kinds.
API_VERSIONS_OF_KINDS: Mapping[str, str] = {
    **{kind: version for version, kinds in _OTHERS.items() for kind in kinds.split()},
    **{kind.name: f"{kind.group}/{'v1' if kind.group == KUBEVIRT_GROUP else 'v1beta1'}" for kind in KINDS},
}
GROUPS_OF_KINDS: Mapping[str, str] = {
    kind: version.partition("/")[0] for kind, version in API_VERSIONS_OF_KINDS.items()
}

OLDEST = Release(0, 56)


class ServedVersion(Record):
    """An API version, the first release that serves it, and the first that no longer does, if any."""

    name: str
    since: Release = OLDEST
    until: Release | None = None

    def served_by(self, release: Release) -> bool:
        return self.since <= release and (self.until is None or release < self.until)


#: The served versions by group, the newest first. All versions of a kind have the same schema.
_VERSIONS: Mapping[str, tuple[ServedVersion, ...]] = {
    KUBEVIRT_GROUP: (ServedVersion("v1"), ServedVersion("v1alpha3")),
    POOL_GROUP: (ServedVersion("v1beta1", Release(1, 7)), ServedVersion("v1alpha1")),
    INSTANCETYPE_GROUP: (
        ServedVersion("v1beta1", Release(1, 0)),
        ServedVersion("v1alpha2", Release(0, 58), Release(1, 6)),
        ServedVersion("v1alpha1", until=Release(1, 6)),
    ),
    VM_TEMPLATE_GROUP: tuple(ServedVersion(name, since) for name, since in SERVED_SINCE.items()),
}


def api_versions(kind: KubevirtKind, release: Release) -> tuple[str, ...]:
    """Return the values of ``apiVersion`` that ``kind`` can have at ``release``, newest first."""
    served = (version.name for version in _VERSIONS[kind.group] if version.served_by(release))
    return tuple(f"{kind.group}/{name}" for name in served)


def kinds_at(release: Release) -> tuple[KubevirtKind, ...]:
    """Return the kinds that a release has a schema for."""
    return tuple(kind for kind in (*KINDS, *OF_VIRT_TEMPLATE) if api_versions(kind, release))
