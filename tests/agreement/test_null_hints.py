"""The hint for a field with nothing after it, followed, removes its finding, and no other comes.

It is tried for each field of a VirtualMachine: ``{}`` where the hint offers it, and the removal of the field
where the hint says to leave it out. KubeVirt's webhooks decide, and the rules as well.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import renderer
from renderer.checks.schemas.kind_schema import ELEMENT, SchemaPlace, SchemaTree
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.model.field_edit import RemoveField, SetField, apply_edits
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.kube.res_id import Gvk
from renderer.model.release import LATEST
from tests.kubevirt_objects import vm
from tests.unit.kubevirt.admission.valid_vm import changed

_TREE = SchemaRegistry().schema(LATEST, Gvk("kubevirt.io", "v1", "VirtualMachine")).tree
#: Copied to the pod as they are, with hundreds of fields.
_DEEP = frozenset({"affinity"})
_TEMPLATE: JsonObject = {
    "metadata": {"name": "data"},
    "spec": {"source": {"blank": {}}, "storage": {"resources": {"requests": {"storage": "1Gi"}}}},
}
_DISKS: JsonObject = {
    "volumes": [
        {"name": "root", "containerDisk": {"image": "fedora"}},
        {"name": "data", "dataVolume": {"name": "data"}},
    ],
    "domain.devices.disks": [{"name": name, "disk": {"bus": "virtio"}} for name in ("root", "data")],
}
_MACHINE: JsonObject = {**vm("web"), "spec": {**changed(_DISKS), "dataVolumeTemplates": [_TEMPLATE]}}


def _places(tree: SchemaTree, schema: JsonObject, place: SchemaPlace) -> Iterator[SchemaPlace]:
    """Yield the places of all fields below ``place``."""
    for name in object_at(schema, "properties"):
        child = tree.child(schema, name)
        if child is not None and name not in _DEEP:
            yield (*place, name)
            yield from _places(tree, child, (*place, name))
            element = tree.child(child, 0)
            if element is not None:
                yield from _places(tree, element, (*place, name, ELEMENT))


def _with_null(content: Json, place: SchemaPlace) -> Json:
    if not place:
        return None
    first, rest = place[0], place[1:]
    if first == ELEMENT:
        elements = array_at(content)
        return [_with_null(elements[0] if elements else {}, rest), *elements[1:]]
    mapping = object_at(content)
    return {**mapping, first: _with_null(mapping.get(first), rest)}


def _findings(content: Json) -> set[tuple[str, str, str]]:
    return {
        (found.code.value, str(found.field), found.message)
        for found in renderer.validate_object(object_at(content))
    }


def _wrong_hints(place: SchemaPlace) -> Iterator[str]:
    content = _with_null(_MACHINE, place)
    field = FieldPath(tuple(0 if name == ELEMENT else name for name in place))
    found = renderer.validate_object(object_at(content))
    of_null = [
        each for each in found if each.field == field and each.message.endswith("has nothing after it")
    ]
    others = {(each.code.value, str(each.field), each.message) for each in found} - {
        (each.code.value, str(each.field), each.message) for each in of_null
    }
    for each in of_null:
        hint = each.hint or ""
        if "write {}" in hint:
            for new in _findings(apply_edits(content, [SetField(field, {})])) - others:
                yield f"{field}: {{}}: {new}"
        if "leave it out" in hint:
            for new in _findings(apply_edits(content, [RemoveField(field)])) - others:
                yield f"{field} left out: {new}"


_PLACES = list(_places(_TREE, object_at(_TREE.at(FieldPath.of("spec"))), ("spec",)))


@pytest.mark.parametrize("place", _PLACES, ids=".".join)
def test_hint_followed_brings_no_other_finding(place: SchemaPlace) -> None:
    assert list(_wrong_hints(place)) == []
