"""JSON Schemas from CustomResourceDefinitions as they are, for any kind.

The ``openAPIV3Schema`` of a version defines what the API server checks and, by the fields that it does not
name, what it drops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from renderer.checks.schemas.kubernetes_formats import (
    LIST_KEYS,
    PRESERVED,
    Schema,
    int_or_string,
    object_meta,
)
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at

#: Keywords with the same meaning in JSON Schema.
_KEPT = (
    "default",
    "enum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "required",
    "uniqueItems",
    LIST_KEYS,
)
#: In OpenAPI these keywords are booleans; the value is the bound that each applies to.
_EXCLUSIVE = {"exclusiveMaximum": "maximum", "exclusiveMinimum": "minimum"}
#: Keywords that contain schemas without types (structural schemas).
_APPLIED = ("allOf", "anyOf", "oneOf", "not")


def kind_of(crd: JsonObject) -> tuple[str, str]:
    """Return the group and kind that a CustomResourceDefinition defines."""
    return text_at(crd, "spec", "group"), text_at(crd, "spec", "names", "kind")


def version_schemas(crd: JsonObject) -> Mapping[str, JsonObject]:
    """Return the JSON Schema of each version that a CustomResourceDefinition serves; ``{}`` if missing."""
    group, kind = kind_of(crd)
    return {
        version: cast("JsonObject", _schema_of(f"{group}/{version}", kind, structural))
        for version, structural in served_versions(object_at(crd, "spec"))
    }


def served_versions(spec: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """Yield (name, schema) of the served versions; versions of v1beta1 may share one schema."""
    shared = object_at(spec, "validation", "openAPIV3Schema")
    versions = array_at(spec, "versions") or ({"name": spec.get("version"), "served": True},)
    for version in versions:
        if object_at(version).get("served") is not False and text_at(version, "name"):
            yield text_at(version, "name"), object_at(version, "schema", "openAPIV3Schema") or shared


def _schema_of(api_version: str, kind: str, structural: JsonObject) -> Schema:
    if not structural:
        return {}
    root = _converted(structural)
    properties = root.get("properties")
    own = {"apiVersion": {"const": api_version}, "kind": {"const": kind}, "metadata": object_meta()}
    return {**root, "properties": {**(properties if isinstance(properties, dict) else {}), **own}}


def _converted(crd: JsonObject) -> Schema:
    schema: Schema = {**_type_keywords(crd), **_common_keywords(crd)}
    if crd.get("x-kubernetes-list-type") == "set":
        schema["uniqueItems"] = True
    for keyword in _APPLIED:
        if keyword in crd and not crd.get("x-kubernetes-int-or-string"):
            schema[keyword] = _converted_subschemas(crd[keyword])
    if crd.get("nullable") and "type" in schema:
        types = schema["type"]
        schema["type"] = [*(types if isinstance(types, list) else [types]), "null"]
        if isinstance(schema.get("enum"), list):
            schema["enum"] = [*array_at(crd, "enum"), None]
    return schema


def _common_keywords(crd: JsonObject) -> Schema:
    kept: Schema = {keyword: crd[keyword] for keyword in _KEPT if keyword in crd}
    for exclusive, bound in _EXCLUSIVE.items():
        if crd.get(exclusive) is True and bound in crd:
            kept[exclusive] = kept.pop(bound)
    return kept


def _type_keywords(crd: JsonObject) -> Schema:
    if crd.get("x-kubernetes-int-or-string"):
        return int_or_string()
    kind = text_at(crd, "type")
    if not kind:
        return {}
    if kind == "array":
        return {"type": "array", "items": _converted(object_at(crd, "items"))}
    return _object_schema(crd) if kind == "object" else {"type": kind}


def _object_schema(crd: JsonObject) -> Schema:
    values = crd.get("additionalProperties")
    properties: Schema = {
        name: _converted(object_at(child)) for name, child in object_at(crd, "properties").items()
    }
    if crd.get("x-kubernetes-embedded-resource"):
        properties = dict.fromkeys(("apiVersion", "kind", "metadata"), EMPTY) | properties
    schema: Schema = {"type": "object"}
    if properties:
        schema["properties"] = properties
    if isinstance(values, dict):
        schema["additionalProperties"] = _converted(values)
    elif not crd.get(PRESERVED) and values is not True:
        schema["additionalProperties"] = False
    return schema


def _converted_subschemas(value: Json) -> Json | list[Schema] | Schema:
    if isinstance(value, list):
        return [_value_validation(object_at(each)) for each in value]
    return _value_validation(object_at(value))


def _value_validation(crd: JsonObject) -> Schema:
    """Return a schema that only narrows: it does not restrict the fields that it does not name."""
    schema = _common_keywords(crd)
    properties = object_at(crd, "properties")
    if properties:
        schema["properties"] = {name: _value_validation(object_at(each)) for name, each in properties.items()}
    if isinstance(crd.get("items"), dict):
        schema["items"] = _value_validation(object_at(crd, "items"))
    for keyword in _APPLIED:
        if keyword in crd:
            schema[keyword] = _converted_subschemas(crd[keyword])
    return schema
