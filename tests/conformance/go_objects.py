"""Objects as Go writes them: what ``json.Marshal`` makes of KubeVirt's API types.

A field without ``omitempty`` is written also where nothing sets it. The schemas of the CRDs name such fields
as ``required``, apart from structs and quantities, which Go never leaves out.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from renderer.kubevirt.facts.stored_values import as_stored
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at

_SCHEMAS = Path(__file__).parents[2] / "schemas" / "kubevirt"
_ZERO: dict[str, Json] = {"string": "", "integer": 0, "number": 0, "boolean": False}
#: What Go writes in a section in any case: structs and quantities, on which ``omitempty`` has no effect.
_ALWAYS_WRITTEN: dict[str, dict[str, Json]] = {
    "domain": {"resources": {}},
    "hostDisk": {"capacity": "0"},
    "resourceFieldRef": {"divisor": "0"},
}


def written_instance_spec(spec: JsonObject, release: str) -> JsonObject:
    """Return the ``spec`` of a VirtualMachineInstance as Go writes it."""
    schema = _schema(release)
    written = _written(as_stored(spec), object_at(schema, "properties", "spec"), schema, "spec")
    assert isinstance(written, dict)
    return written


@cache
def _schema(release: str) -> JsonObject:
    loaded: JsonObject = json.loads((_SCHEMAS / release / "virtualmachineinstance.json").read_text())
    return loaded


def _written(value: Json, schema: JsonObject, root: JsonObject, name: str) -> Json:
    schema = _resolved(schema, root)
    if isinstance(value, list):
        return [_written(each, object_at(schema, "items"), root, "") for each in value]
    if not isinstance(value, dict):
        return value
    fields = object_at(schema, "properties")
    found = {key: _written(each, object_at(fields, key), root, key) for key, each in value.items()}
    for key in array_at(schema, "required"):
        field = _resolved(object_at(fields, str(key)), root)
        if key in found or "type" not in field:
            continue
        is_struct = field["type"] == "object"
        zero = _written({}, field, root, str(key)) if is_struct else _ZERO.get(text_at(field, "type"))
        if zero is not None:
            found[str(key)] = zero
    return {**_ALWAYS_WRITTEN.get(name, {}), **found}


def _resolved(schema: JsonObject, root: JsonObject) -> JsonObject:
    while "$ref" in schema:
        schema = object_at(root, "$defs", text_at(schema, "$ref").rpartition("/")[2])
    return schema
