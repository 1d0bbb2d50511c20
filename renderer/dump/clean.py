"""The user's part of an object that was printed from a cluster.

An import leaves out what render leaves out of any source (``kubevirt.server_fields``), values that a cluster
allocated, the marks of tools that sync from Git (``kubevirt.allocated_fields``), and what Go writes for empty
fields. What identifies a machine stays: MAC addresses, firmware UUID and serial, machine type,
``dataVolumeTemplates`` that already ran.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.allocated_fields import fields_to_leave_out
from renderer.kubevirt.kinds import KUBEVIRT_GROUP, VM, VM_POOL, VMI, VMI_REPLICA_SET
from renderer.kubevirt.server_fields import without_server_fields
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import Json, JsonObject, object_at, text_at, without
from renderer.model.record import Record

#: Older versions of a kind that have the fields of the newer one (KubeVirt ``core/v1/register.go``).
_SAME_FIELDS = {f"{KUBEVIRT_GROUP}/v1alpha3": f"{KUBEVIRT_GROUP}/v1"}
_TIMESTAMP = "creationTimestamp"
_TEMPLATES = ("template", "virtualMachineTemplate", "dataVolumeTemplates", "spec")


class Cleaned(Record):
    """The user's part of an object, and the fields that were left out of it."""

    content: JsonObject
    removed: tuple[FieldPath, ...]


def clean(live: JsonObject) -> Cleaned:
    """Return the user's part of an object of a cluster."""
    content, removed = live, []
    for path in fields_to_leave_out(live):
        content = _without(content, path)
        removed.append(FieldPath(path))
    content, server_fields = without_server_fields(content)
    removed += server_fields
    if "status" in content:  # an empty one
        content = without(content, "status")
        removed.append(FieldPath.of("status"))
    if object_at(content, "metadata").get("generateName"):
        removed.append(FieldPath.of("metadata", "generateName"))
    content = {**content, "metadata": _named_metadata(object_at(content, "metadata"))}
    if text_at(live, "kind") in (VM, VMI, VM_POOL, VMI_REPLICA_SET):
        content = dict(_without_empty_timestamps(content, ROOT, removed))
        content = _current_version(content)
    return Cleaned(content, tuple(removed))


def _without(content: JsonObject, path: tuple[str, ...]) -> JsonObject:
    """Return the object without a field, and without the section that the field alone was in."""
    content = without(content, *path)
    parent = path[:-1]
    return without(content, *parent) if parent and not object_at(content, *parent) else content


def _named_metadata(metadata: JsonObject) -> JsonObject:
    """Return the metadata without empty sections and the prefix that the name was made of."""
    return {
        key: value
        for key, value in metadata.items()
        if key != "generateName" and not (value in ({}, [], None) and key != "name")
    }


def _current_version(content: JsonObject) -> JsonObject:
    version = _SAME_FIELDS.get(text_at(content, "apiVersion"))
    return {**content, "apiVersion": version} if version else content


def _without_empty_timestamps(
    content: JsonObject, at: FieldPath, removed: list[FieldPath]
) -> Iterator[tuple[str, Json]]:
    """Yield the fields without ``creationTimestamp: null``, which Go writes for templates in an object."""
    for key, value in content.items():
        field = at.child(key)
        if key == "metadata" and isinstance(value, dict) and value.get(_TIMESTAMP, "") is None:
            removed.append(field.child(_TIMESTAMP))
            rest = without(value, _TIMESTAMP)
            if rest:
                yield key, rest
        elif key in _TEMPLATES and isinstance(value, dict):
            yield key, dict(_without_empty_timestamps(value, field, removed))
        elif key in _TEMPLATES and isinstance(value, list):
            places = ((each, field.child(index)) for index, each in enumerate(value))
            yield (
                key,
                [
                    dict(_without_empty_timestamps(each, place, removed)) if isinstance(each, dict) else each
                    for each, place in places
                ],
            )
        else:
            yield key, value
