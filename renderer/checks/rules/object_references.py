"""The objects that others than virtual machines refer to by name: their snapshots, clones, disks and so on.

KubeVirt ``staging/src/kubevirt.io/api`` (``snapshot``, ``clone``, ``export``, ``backup``, ``core``), CDI
``pkg/apis/core/v1beta1/types.go``. The target of a clone does not exist before, so it is not looked up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.checks.rules.inventory import CLAIM, DATA_SOURCE, SNAPSHOT
from renderer.kubevirt.facts.kinds import VM, VM_POOL, VMI
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

_KeyPath = tuple[str, ...]

#: The kinds that can be named by a reference with a kind of its own.
_NAMED_KINDS = frozenset({VM, VMI, VM_POOL, SNAPSHOT, CLAIM, DATA_SOURCE})
#: The references of each kind below ``spec``: the path of the name, and the kind that it is of; None if the
#: field ``kind`` next to the name says it.
_REFERENCES: Mapping[str, Sequence[tuple[_KeyPath, str | None]]] = {
    "VirtualMachineSnapshot": ((("source", "name"), None),),
    "VirtualMachineRestore": ((("target", "name"), None), (("virtualMachineSnapshotName",), SNAPSHOT)),
    "VirtualMachineClone": ((("source", "name"), None),),
    "VirtualMachineExport": ((("source", "name"), None),),
    "VirtualMachineBackupTracker": ((("source", "name"), None),),
    "VirtualMachineInstanceMigration": ((("vmiName",), VMI),),
    "HorizontalPodAutoscaler": ((("scaleTargetRef", "name"), None),),
    "DataVolume": ((("source", "pvc", "name"), CLAIM), (("sourceRef", "name"), None)),
    "DataSource": ((("source", "pvc", "name"), CLAIM), (("source", "dataSource", "name"), DATA_SOURCE)),
}
#: The kinds of objects whose references are looked at.
REFERRING_KINDS = tuple(_REFERENCES)


class NamedReference(Record):
    """``resource`` names an object in ``field``, which is looked up in ``namespace``."""

    resource: Resource
    field: FieldPath
    kind: str
    name: str
    namespace: str

    @property
    def is_indexed(self) -> bool:
        return False

    @property
    def qualified_name(self) -> str:
        """The name, after the namespace if it is known."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


def object_references(resources: Iterable[Resource]) -> Mapping[str, list[NamedReference]]:
    """Return the references of the resources, by the kind that they name."""
    found: dict[str, list[NamedReference]] = {}
    for resource in resources:
        for reference in _references(resource):
            found.setdefault(reference.kind, []).append(reference)
    return found


def _references(resource: Resource) -> Iterator[NamedReference]:
    spec = object_at(resource.content, "spec")
    for path, fixed_kind in _REFERENCES.get(resource.kind, ()):
        name, named = text_at(spec, *path), object_at(spec, *path[:-1])
        kind = fixed_kind or text_at(named, "kind")
        if name and kind in _NAMED_KINDS:
            namespace = text_at(named, "namespace") if len(path) > 1 else ""
            field = FieldPath.of("spec", *path)
            yield NamedReference(resource, field, kind, name, namespace or resource.namespace)
