"""The kinds of KubeVirt that have a schema here, and the API versions that each release serves of them.

Read from ``pkg/virt-operator/resource/generate/components/crds.go`` and
``staging/src/kubevirt.io/api/core/v1/register.go`` at each release tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.record import Record
from renderer.model.release import Release

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


OLDEST = Release(0, 56)


@dataclass(frozen=True, slots=True)
class ServedVersion:
    """An API version and the releases that serve it (``until`` included; None: all since)."""

    name: str
    since: Release = OLDEST
    until: Release | None = None

    def served_by(self, release: Release) -> bool:
        return self.since <= release and (self.until is None or release <= self.until)


#: By group, the newest first. All versions of a kind have the same schema.
_VERSIONS: Mapping[str, tuple[ServedVersion, ...]] = {
    KUBEVIRT: (ServedVersion("v1"), ServedVersion("v1alpha3")),
    POOL: (ServedVersion("v1beta1", Release(1, 7)), ServedVersion("v1alpha1")),
    INSTANCETYPE: (
        ServedVersion("v1beta1", Release(1, 0)),
        ServedVersion("v1alpha2", Release(0, 58), Release(1, 5)),
        ServedVersion("v1alpha1", until=Release(1, 5)),
    ),
}


def api_versions(kind: KubevirtKind, release: Release) -> tuple[str, ...]:
    """What may stand in ``apiVersion`` of ``kind`` at ``release``, the newest first."""
    served = (version.name for version in _VERSIONS[kind.group] if version.served_by(release))
    return tuple(f"{kind.group}/{name}" for name in served)
