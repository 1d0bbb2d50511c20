"""The kinds of KubeVirt that have a schema here."""

from __future__ import annotations

from renderer.model.record import Record

KUBEVIRT = "kubevirt.io"
POOL = "pool.kubevirt.io"
INSTANCETYPE = "instancetype.kubevirt.io"


class KubevirtKind(Record):
    """A kind with a schema.

    ``rewritten``: KubeVirt's mutating webhook writes the spec anew before the API server checks it
    (kubevirt pkg/virt-api/webhooks/mutating-webhook/mutators), so numbers pass for quantities.
    """

    group: str
    name: str
    rewritten: bool = False

    @property
    def file_name(self) -> str:
        return f"{self.name.lower()}.json"


KINDS = (
    KubevirtKind(KUBEVIRT, "VirtualMachine", rewritten=True),
    KubevirtKind(KUBEVIRT, "VirtualMachineInstance", rewritten=True),
    KubevirtKind(KUBEVIRT, "KubeVirt"),
    KubevirtKind(POOL, "VirtualMachinePool"),
    KubevirtKind(INSTANCETYPE, "VirtualMachineInstancetype"),
    KubevirtKind(INSTANCETYPE, "VirtualMachineClusterInstancetype"),
    KubevirtKind(INSTANCETYPE, "VirtualMachinePreference"),
    KubevirtKind(INSTANCETYPE, "VirtualMachineClusterPreference"),
)

#: Kinds of the same groups that KubeVirt serves and for which there is no schema here.
WITHOUT_SCHEMA = frozenset(
    {"VirtualMachineInstanceMigration", "VirtualMachineInstancePreset", "VirtualMachineInstanceReplicaSet"}
)

GROUPS = frozenset(kind.group for kind in KINDS)

#: With those of KubeVirt's groups that have no schema here.
ALL_GROUPS = GROUPS | {
    "backup.kubevirt.io",
    "clone.kubevirt.io",
    "export.kubevirt.io",
    "migrations.kubevirt.io",
    "snapshot.kubevirt.io",
}
