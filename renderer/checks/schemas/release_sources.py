"""The schemas of a KubeVirt release's kinds, found in documents of several forms.

The forms are: CustomResourceDefinitions, one by one, in a bundle or in the operator's manifest; an OpenAPI
document (``api/openapi-spec/swagger.json``); or the ``openAPIV3Schema`` of a single kind, in a file named
after it. An OpenAPI document has the fields and their types. A CustomResourceDefinition also has the values
that the API server accepts, so it is preferred. Values that an OpenAPI document lists are the values of Go's
types, which no API server enforces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.checks.schemas.crd_schema import kind_of
from renderer.checks.schemas.kubernetes_formats import LIST_KEYS, PRESERVED, QUANTITY_PATTERN
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind, api_versions
from renderer.checks.schemas.schema_import import UnlikeKubevirtError
from renderer.model.kube.cluster_wide import CRD
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_ANYTHING: JsonObject = {"type": "object", PRESERVED: True}
_TIME: JsonObject = {"type": "string", "format": "date-time"}
#: Kubernetes' own types by the end of their names: a CustomResourceDefinition writes them out in full.
_KNOWN_TYPES: Mapping[str, JsonObject] = {
    ".Quantity": {"x-kubernetes-int-or-string": True, "pattern": QUANTITY_PATTERN},
    ".IntOrString": {"x-kubernetes-int-or-string": True},
    ".Time": _TIME,
    ".MicroTime": _TIME,
    ".Duration": {"type": "string"},
    ".ObjectMeta": {**_ANYTHING, "nullable": True},
    ".FieldsV1": {"type": "object"},
    ".RawExtension": _ANYTHING,
}
_KEPT = ("format", "maximum", "minimum", "pattern", "required", "x-kubernetes-list-type", LIST_KEYS)
#: Far more than all kinds of a release have together, each definition counted at each reference to it.
_MOST_FIELDS = 200_000
_MOST_LEVELS = 60


def is_openapi(document: Json) -> bool:
    """Return True for an OpenAPI document with definitions."""
    return bool(_definitions(document))


def kind_schemas(document: JsonObject, release: Release) -> Mapping[str, JsonObject]:
    """Return the ``openAPIV3Schema`` of each of KubeVirt's kinds in the document, by name.

    Raises ``UnlikeKubevirtError``.
    """
    converter = _Converter(_definitions(document))
    found = {kind.name: converter.kind(kind, release) for kind in KINDS}
    return {name: schema for name, schema in found.items() if schema}


def _definitions(document: Json) -> JsonObject:
    """Return the definitions of an OpenAPI 2 or 3 document."""
    return object_at(document, "definitions") or object_at(document, "components", "schemas")


def _type_of(schema: JsonObject) -> JsonObject:
    """Return the type as in a CustomResourceDefinition: one type; nullable and int-or-string separately."""
    types = [str(name) for name in array_at(schema, "type")]
    if not types:
        return {"type": schema.get("type") or "object"}
    if "string" in types and {"integer", "number"} & {*types}:
        return {"x-kubernetes-int-or-string": True}
    return {"type": types[0], **({"nullable": True} if "null" in types else {})}


class _Converter:
    """A converter of definitions. Raises ``UnlikeKubevirtError`` for more fields than any release has."""

    def __init__(self, definitions: JsonObject) -> None:
        self._definitions = definitions
        self._open: set[str] = set()
        self._fields = 0
        self._level = 0

    def kind(self, kind: KubevirtKind, release: Release) -> JsonObject:
        for api_version in api_versions(kind, release):
            definition = object_at(self._definitions, f"{api_version.rpartition('/')[2]}.{kind.name}")
            if definition:
                schema = self._converted(definition)
                own: JsonObject = {**object_at(schema, "properties"), "metadata": {"type": "object"}}
                return {**schema, "properties": own}
        return {}

    def _converted(self, schema: JsonObject) -> JsonObject:
        self._fields += 1
        if self._fields > _MOST_FIELDS or self._level > _MOST_LEVELS:
            raise UnlikeKubevirtError(
                f"the definitions have more than {_MOST_FIELDS} fields or {_MOST_LEVELS} levels"
            )
        self._level += 1
        converted = self._without_references(schema)
        self._level -= 1
        return converted

    def _without_references(self, schema: JsonObject) -> JsonObject:
        reference = text_at(schema, "$ref").rpartition("/")[2]
        if reference:
            return self._target(reference)
        kept = {keyword: schema[keyword] for keyword in _KEPT if keyword in schema}
        if "properties" in schema:
            fields = object_at(schema, "properties")
            kept["properties"] = {name: self._converted(object_at(field)) for name, field in fields.items()}
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                kept[keyword] = self._converted(object_at(schema, keyword))
        return {**_type_of(schema), **kept}

    def _target(self, name: str) -> JsonObject:
        known = next((known for end, known in _KNOWN_TYPES.items() if name.endswith(end)), None)
        if known is not None:
            return known
        if name in self._open:  # KubeVirt's schemas are not recursive; others may be
            return _ANYTHING
        self._open.add(name)
        schema = self._converted(object_at(self._definitions, name))
        self._open.remove(name)
        return schema


def release_schemas(documents: Iterable[tuple[str, Json]], release: Release) -> Mapping[str, JsonObject]:
    """Return the ``openAPIV3Schema`` of each kind, by name; ``documents`` come with their file's name.

    A CustomResourceDefinition takes precedence over an OpenAPI document. Raises ``UnlikeKubevirtError``.
    """
    defined: dict[str, JsonObject] = {}
    described: dict[str, JsonObject] = {}
    for name, document in documents:
        is_list = text_at(document, "kind") == "List"
        for each in array_at(document, "items") if is_list else (document,):
            if is_openapi(each):
                described |= kind_schemas(object_at(each), release)
            else:
                defined |= _definition(name, object_at(each))
    return {**described, **defined}


def _definition(name: str, document: JsonObject) -> dict[str, JsonObject]:
    for kind in KINDS:
        if text_at(document, "kind") == CRD and kind_of(document) == (kind.group, kind.name):
            schema = _storage_schema(object_at(document, "spec"))
            return {kind.name: schema} if schema else {}
        if (
            name == kind.file_name
            and "kind" not in document
            and "metadata" in object_at(document, "properties")
        ):
            return {kind.name: document}
    return {}


def _storage_schema(spec: JsonObject) -> JsonObject:
    """Return the schema of the storage version; all of KubeVirt's versions of a kind have the same schema."""
    versions = sorted(array_at(spec, "versions"), key=lambda version: not object_at(version).get("storage"))
    found = (object_at(version, "schema", "openAPIV3Schema") for version in versions)
    return next(filter(None, found), object_at(spec, "validation", "openAPIV3Schema"))
