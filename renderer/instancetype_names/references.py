"""References to instance types and preferences: in matchers, and in the labels that they are inferred from.

Both are found anywhere in an object: a VirtualMachine may be part of a pool or of a cluster's machine
template, and the labels of a DataVolume may be in a DataImportCron or in an operator's configuration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from renderer.kubevirt.facts.kinds import MATCHER_TYPES, MatcherType
from renderer.kubevirt.facts.virtual_machine import INSTANCE_SPEC, TEMPLATE
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at, text_at, without
from renderer.model.kube.resource import Resource
from renderer.model.record import Record

_LABELS = ("metadata", "labels")

#: The kind of the named object, its name, and the path of the name below the current mapping.
_Name: TypeAlias = tuple[str, str, tuple[str, ...]]


class InstancetypeReference(Record):
    """A name in the ``field`` of a resource, and the ``kind`` of object that it names.

    ``namespace`` is the namespace of the object around it; empty if it is not written.
    """

    kind: str
    name: str
    namespace: str
    field: FieldPath

    @property
    def is_label(self) -> bool:
        """Return True for a label: VMs of any namespace may infer from it. A matcher serves one VM."""
        return self.field.segments[-3:-1] == _LABELS


#: The name to write in place of the one in the reference.
Rename = Callable[[InstancetypeReference], str]


def with_names(resource: Resource, rename: Rename) -> Resource:
    """Return the resource with the names in its references replaced; itself if none changes."""
    content = resource.content
    for reference in references(content):
        name = rename(reference)
        if name != reference.name:
            content = object_at(_with_text(content, reference.field.segments, name))
    return resource if content is resource.content else resource.with_content(content)


def references(
    value: Json, at: tuple[Segment, ...] = (), namespace: str = ""
) -> Iterator[InstancetypeReference]:
    """Yield the references in ``value``, which is at path ``at`` of an object in ``namespace``."""
    if isinstance(value, dict):
        namespace = text_at(value, "metadata", "namespace") or namespace
        is_machine = "spec" in value and _is_virtual_machine(value)
        for kind, name, path in _names_in_mapping(value, is_machine=is_machine):
            yield InstancetypeReference(kind, name, namespace, FieldPath(at + path))
        if is_machine:
            value = without(value, *TEMPLATE.keys)  # large, and an instance contains no references
        for key, child in value.items():
            if isinstance(child, dict | list):
                yield from references(child, (*at, key), namespace)
    elif isinstance(value, list):
        for index, element in enumerate(value):
            yield from references(element, (*at, index), namespace)


def _names_in_mapping(value: JsonObject, *, is_machine: bool) -> Iterator[_Name]:
    """Yield the names in the labels and matchers of this mapping itself."""
    if "metadata" in value:
        labels = object_at(value, *_LABELS)
        for matcher_type in MATCHER_TYPES:
            kind = text_at(labels, matcher_type.kind_label)
            yield from _name(value, (*_LABELS, matcher_type.name_label), matcher_type, kind)
    if is_machine:
        for matcher_type in MATCHER_TYPES:
            matcher = object_at(value, "spec", matcher_type.key)
            # KubeVirt rejects another name next to the revision that belongs to the old one.
            if not text_at(matcher, "revisionName"):
                kind = text_at(matcher, "kind")
                yield from _name(value, ("spec", matcher_type.key, "name"), matcher_type, kind)


def _name(value: JsonObject, path: tuple[str, ...], matcher_type: MatcherType, kind: str) -> Iterator[_Name]:
    name, named_kind = text_at(value, *path), matcher_type.matched_kind(kind)
    if name and named_kind is not None:
        yield named_kind, name, path


def _is_virtual_machine(value: JsonObject) -> bool:
    """Return True for a VirtualMachine, or a template of one, which has a ``spec`` but no kind."""
    spec = value.get("spec")
    if not isinstance(spec, dict):
        return False
    if value.get("kind") == "VirtualMachine" and text_at(value, "apiVersion").startswith("kubevirt.io/"):
        return True
    return isinstance(object_at(value, *INSTANCE_SPEC.keys).get("domain"), dict)


def _with_text(value: Json, path: Sequence[Segment], text: str) -> Json:
    """Return a copy of ``value`` with the text at a path replaced."""
    if not path:
        return text
    head, *rest = path
    if isinstance(value, list):
        return [_with_text(each, rest, text) if index == head else each for index, each in enumerate(value)]
    return {
        key: _with_text(each, rest, text) if key == head else each for key, each in object_at(value).items()
    }
