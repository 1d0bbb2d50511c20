"""Merge keys from the user's own OpenAPI document (kustomize ``kyaml/openapi/openapi.go``)."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.source_tree import Document

_GVK = "x-kubernetes-group-version-kind"
_STRATEGY = "x-kubernetes-patch-strategy"
_MERGE_KEY = "x-kubernetes-patch-merge-key"
_MAP_KEYS = "x-kubernetes-list-map-keys"
_DEFINITION = "#/definitions/"
#: A chain of more references than this is a cycle.
_MAX_REFERENCES = 100


class OpenApiMergeSchema(MergeSchema):
    """The kinds that a document defines; other kinds may still be found in ``builtin``.

    Types are named after their definition and, for objects inside it, the fields that lead to them.
    """

    def __init__(self, document: Document, builtin: MergeSchema | None) -> None:
        super().__init__({}, {})
        self._definitions = _definitions(document)
        self._builtin = builtin
        self._schemas: dict[str, JsonObject] = {}
        self._known: dict[str, Mapping[str, FieldSchema]] = {}
        self._roots: dict[tuple[str, str], FieldSchema] = {}
        for name in self._definitions:
            definition = object_at(self._definitions, name)
            for gvk in array_at(definition, _GVK):
                group, version = text_at(gvk, "group"), text_at(gvk, "version")
                api_version = f"{group}/{version}" if group else version
                self._roots[api_version, text_at(gvk, "kind")] = self._object(definition, name)

    def of_kind(self, api_version: str, kind: str) -> FieldSchema | None:
        found = self._roots.get((api_version, kind))
        return found or (self._builtin.of_kind(api_version, kind) if self._builtin else None)

    def fields(self, schema: FieldSchema | None) -> Mapping[str, FieldSchema]:
        if schema is None:
            return {}
        if schema.type not in self._schemas:
            return self._builtin.fields(schema) if self._builtin else {}
        if schema.type not in self._known:
            definition = self._schemas[schema.type]
            properties = object_at(definition, "properties")
            fields = {key: self._field(value, f"{schema.type}.{key}") for key, value in properties.items()}
            values = definition.get("additionalProperties")
            if isinstance(values, dict):
                fields = _AnyField(fields, self._field(values, f"{schema.type}.*"))
            self._known[schema.type] = fields
        return self._known[schema.type]

    def _field(self, value: Json, name: str) -> FieldSchema:
        schema, name = self._resolved(value, name)
        if schema is None:
            return FieldSchema(name)
        if schema.get("type") not in ("array", ["array"]):
            return self._object(schema, name)
        element = self._field(schema.get("items"), f"{name}[]")
        return FieldSchema(element.type, _merge_keys(schema))

    def _object(self, schema: JsonObject, name: str) -> FieldSchema:
        self._schemas[name] = schema
        return FieldSchema(name)

    def _resolved(self, value: Json, name: str) -> tuple[JsonObject | None, str]:
        """Return the schema and its name, with references followed; no schema for a builtin one."""
        schema = object_at(value)
        for _ in range(_MAX_REFERENCES):
            if "$ref" not in schema:
                return schema, name
            name = text_at(schema, "$ref").removeprefix(_DEFINITION)
            if name not in self._definitions:
                return None, name.rpartition(".")[2]
            schema = object_at(self._definitions, name)
        return EMPTY, name


class _AnyField(dict[str, FieldSchema]):
    """The fields of a type whose other fields have a schema as well."""

    def __init__(self, fields: Mapping[str, FieldSchema], other: FieldSchema) -> None:
        super().__init__(fields)
        self._other = other

    def get(self, key: str, _default: object = None) -> FieldSchema:
        return super().get(key) or self._other


def _merge_keys(schema: JsonObject) -> tuple[str, ...] | None:
    if "merge" not in text_at(schema, _STRATEGY).split(","):
        return None
    keys = schema.get(_MAP_KEYS)
    if isinstance(keys, list):
        return tuple(key for key in keys if isinstance(key, str))
    key = text_at(schema, _MERGE_KEY)
    return (key,) if key else ()


def _definitions(document: Document) -> JsonObject:
    if isinstance(document.content, dict):
        return object_at(document.content, "definitions")
    raise Diagnostic.at(
        document.site,
        Code.KUSTOMIZATION_FIELD,
        "the schema is not an OpenAPI document",
        "write it with kustomize openapi fetch",
    ).error()
