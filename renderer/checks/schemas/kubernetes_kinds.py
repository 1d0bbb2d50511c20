"""The schemas of Kubernetes' own kinds, by minor release.

``schemas/kubernetes/definitions.json`` has the types of all minors. A type is written as its fields,
separated by spaces: ``name:!string type:string=ClusterIP|NodePort ports:[ServicePort]
hostUsers:boolean@1.30-``. ``[]`` is a list, ``{}`` a mapping with any keys, ``!`` a required field, ``=``
precedes the known values, and ``@`` the first and last minor that has the field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

from renderer.checks.schemas.kind_schema import KindSchema
from renderer.checks.schemas.kubernetes_formats import (
    Schema,
    base64_text,
    int_or_string,
    object_meta,
    quantity,
    whole_number,
)
from renderer.model.kube.json import JsonObject
from renderer.model.kube.res_id import Gvk
from renderer.model.pattern import pattern
from renderer.model.release import Release

#: The API groups of the kinds; the first is the core group.
GROUPS = frozenset(
    {
        "",
        "apps",
        "autoscaling",
        "batch",
        "networking.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "scheduling.k8s.io",
        "storage.k8s.io",
    }
)
#: Groups of today's kinds in older releases of Kubernetes.
_FORMER_GROUPS = frozenset({"extensions"})
_RBAC = "rbac.authorization.k8s.io"
_META = "meta.v1.ObjectMeta"
_FIELD = pattern(
    r"(?P<name>[^:]+):(?P<required>!?)(?P<type>[^=@]+)(?:=(?P<values>[^@]+))?"
    r"(?:@(?P<since>[0-9.]*)-(?P<until>[0-9.]*))?"
)
_SCALARS: Mapping[str, Schema] = {
    "any": {},
    "base64": base64_text(),
    "boolean": {"type": "boolean"},
    "int-or-string": int_or_string(),
    "int32": whole_number(32, signed=True),
    "int64": whole_number(64, signed=True),
    "number": {"type": "number"},
    "quantity": quantity(fractions=True),
    "string": {"type": "string"},
}
_Definitions: TypeAlias = "dict[str, Schema]"


class KubernetesKinds:
    """The kinds of one minor release of Kubernetes; ``file`` has the types of all of them."""

    def __init__(self, file: Path, minor: Release | None = None) -> None:
        self._file = file
        self._minor = minor
        self._schemas: dict[Gvk, KindSchema] = {}

    @cached_property
    def minors(self) -> tuple[Release, ...]:
        """Return the minors that have types here, oldest first."""
        return tuple(map(Release.parse, self._document["minors"]))

    @property
    def minor(self) -> Release:
        """Return the minor whose schemas are used: the configured one, or else the latest."""
        return self._minor or self.minors[-1]

    def at(self, minor: Release) -> KubernetesKinds:
        """Return the kinds of another minor, which are read once: many findings may need them."""
        return kubernetes_kinds(self._file, minor)

    def schema(self, gvk: Gvk) -> KindSchema | None:
        """Return the schema of a kind; None for a kind without a schema."""
        if gvk.group not in GROUPS:
            return None
        name = self._document["kinds"].get(_kind_key(gvk))
        if name is not None and gvk not in self._schemas:
            self._schemas[gvk] = KindSchema(self._kind_schema(gvk, name))
        return self._schemas.get(gvk)

    def api_version_of(self, gvk: Gvk) -> str | None:
        """Return the API version that serves a kind of Kubernetes if ``gvk`` has another; else None."""
        if gvk.group not in GROUPS | _FORMER_GROUPS or _kind_key(gvk) in self._document["kinds"]:
            return None
        served = (each.rpartition("/") for each in self._document["kinds"])
        return next((version for version, _, kind in served if kind == gvk.kind), None)

    @cached_property
    def _document(self) -> dict[str, dict[str, str]]:
        return _types_in(self._file)

    def _kind_schema(self, gvk: Gvk, name: str) -> JsonObject:
        types: _Definitions = {}
        root = self._type_schema(name, types)
        metadata = _metadata(named=gvk.group != _RBAC)
        known = {"apiVersion": {"const": _kind_key(gvk).rpartition("/")[0]}, "kind": {"const": gvk.kind}}
        properties = {**_properties(root), **known, "metadata": metadata, "status": {}}
        return {**root, "type": "object", "properties": properties, "$defs": types}  # type: ignore[dict-item]  # of JSON

    def _type_schema(self, name: str, types: _Definitions) -> Schema:
        """Return the schema of a type, after adding the types that it uses to ``types``."""
        fields = list(self._fields(name))
        properties = {field["name"]: self._field_schema(field, types) for field in fields}
        if name in self._document["kinds"].values():  # in a template, which may contain all of this
            properties |= {"apiVersion": {}, "kind": {}, "status": {}}
        required = [field["name"] for field in fields if field["required"]]
        schema: Schema = {"type": ["object", "null"], "properties": properties, "additionalProperties": False}
        return {**schema, "required": required} if required else schema

    def _fields(self, name: str) -> Iterator[Mapping[str, str]]:
        for text in self._document["definitions"][name].split():
            match = _FIELD.fullmatch(text)
            if match is None:
                continue
            since, until = match["since"], match["until"]
            if (since and self.minor < Release.parse(since)) or (until and self.minor > Release.parse(until)):
                continue
            yield match.groupdict("")

    def _field_schema(self, field: Mapping[str, str], types: _Definitions) -> Schema:
        schema = self._value_schema(field["type"], types)
        if not field["values"]:
            return schema
        values = field["values"].split("|")
        if field["type"].startswith("["):
            return {**schema, "items": {"type": "string", "enum": values}}
        return {**schema, "enum": values if field["required"] else [*values, "", None]}

    def _value_schema(self, text: str, types: _Definitions) -> Schema:
        if text.startswith("["):
            return {"type": ["array", "null"], "items": self._value_schema(text[1:-1], types)}
        if text.startswith("{"):
            return {"type": ["object", "null"], "additionalProperties": self._value_schema(text[1:-1], types)}
        if text == _META:
            return _metadata(named=False)
        if text in _SCALARS:
            scalar = _SCALARS[text]
            if "type" not in scalar:
                return scalar
            names = scalar["type"]
            return {**scalar, "type": [*(names if isinstance(names, list) else [names]), "null"]}
        if text not in types:
            types[text] = {}
            types[text] = self._type_schema(text, types)
        return {"$ref": f"#/$defs/{text}"}


@cache
def kubernetes_kinds(file: Path, minor: Release | None = None) -> KubernetesKinds:
    """Return the kinds of a minor, the latest by default; one object for all projects of a process."""
    return KubernetesKinds(file, minor)


@cache
def _types_in(file: Path) -> dict[str, dict[str, str]]:
    document: dict[str, dict[str, str]] = json.loads(file.read_bytes())
    return document


def _kind_key(gvk: Gvk) -> str:
    """Return the key of a kind in the file: ``apps/v1/Deployment``, ``v1/Secret``."""
    return "/".join(filter(None, (gvk.group, gvk.version, gvk.kind)))


def _properties(schema: Schema) -> dict[str, object]:
    properties = schema["properties"]
    return properties if isinstance(properties, dict) else {}


def _metadata(*, named: bool) -> Schema:
    """Return the schema of an object's metadata; names of roles, and names in templates, are not checked."""
    metadata = object_meta()
    if named:
        return metadata
    text: Schema = {"type": ["string", "null"]}
    properties = {**_properties(metadata), "name": text, "namespace": text}
    return {**metadata, "type": ["object", "null"], "properties": properties}
