"""The objects that snapshots, clones, disks and other kinds than virtual machines refer to by name.

Most of the fields are in ``kubevirt/facts/name_references.py``, the fields of other operators in
``operator_references.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.checks.rules.inventory import (
    kind_looked_up,
)
from renderer.checks.rules.operator_references import (
    OPERATOR_KINDS,
    operator_references,
)
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    CONFIG_MAP,
    DATA_SOURCE,
    SECRET,
    VM,
    VM_POOL,
    VM_SNAPSHOT,
    VMI,
    VOLUME_SNAPSHOT,
)
from renderer.kubevirt.facts.name_references import NAME_FIELDS, NameField, named_kind
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.res_id import namespaced_name
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

#: The kinds that are looked up.
_NAMED_KINDS = frozenset(
    {VM, VMI, VM_POOL, VM_SNAPSHOT, CLAIM, CONFIG_MAP, DATA_SOURCE, SECRET, VOLUME_SNAPSHOT}
)
#: Fields with the name of an object that KubeVirt creates: of a clone (``pkg/virt-controller/watch/clone``),
#: of a Secret with a token (``pkg/storage/export/export/export.go`` handleVMExportToken).
_CREATED = (
    ("VirtualMachineClone", ("spec", "target"), "name"),
    ("VirtualMachineExport", ("spec",), "tokenSecretRef"),
    ("VirtualMachineBackup", ("spec",), "tokenSecretRef"),
)


def _may_be_looked_up(kind: str, field: NameField) -> bool:
    known = kind_looked_up(field.targets({}))
    return (kind, field.path, field.name) not in _CREATED and (not known or known in _NAMED_KINDS)


#: The fields of each kind that name objects to look up.
_FIELDS: Mapping[str, Sequence[NameField]] = {
    **{
        kind: tuple(field for field in fields if _may_be_looked_up(kind, field))
        for (_, kind), fields in NAME_FIELDS.items()
        if kind not in PATHS
    },
    "HorizontalPodAutoscaler": (NameField(("spec", "scaleTargetRef"), "name", named_kind),),
}
#: The kinds of objects whose references are looked at.
REFERRING_KINDS = tuple(dict.fromkeys((*_FIELDS, *OPERATOR_KINDS)))


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
        return namespaced_name(self.namespace, self.name)


def object_references(resources: Iterable[Resource]) -> Mapping[str, list[NamedReference]]:
    """Return the references of the resources, by the kind that they name."""
    found: dict[str, list[NamedReference]] = {}
    for resource in resources:
        for reference in _references(resource):
            found.setdefault(reference.kind, []).append(reference)
    return found


def _references(resource: Resource) -> Iterator[NamedReference]:
    for field in _FIELDS.get(resource.kind, ()):
        mapping = object_at(resource.content, *field.path)
        name = text_at(mapping, field.name)
        kind = kind_looked_up(field.targets(mapping)) if name else ""
        if kind in _NAMED_KINDS:
            namespace = text_at(mapping, field.namespace) if field.namespace else ""
            at = FieldPath.of(*field.path, field.name)
            yield NamedReference(resource, at, kind, name, namespace or resource.namespace)
    for named in operator_references(resource):
        yield NamedReference(resource, named.field, named.kind, named.name, named.namespace)
