"""JSON Schemas of KubeVirt's kinds, made from the schemas of its CustomResourceDefinitions.

In: the ``openAPIV3Schema`` of a kind as a release's CRD has it. Out: a self-contained JSON Schema
(draft 2020-12) that refuses what the API server of that release would refuse or drop, and what
KubeVirt's webhooks would refuse in a single value. Upstream's descriptions stay behind.
``schemas/README.md`` tells what is decided how.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from renderer.model.json import JsonObject, array_at, object_at, text_at
from renderer.model.release import Release
from renderer.model.res_id import Gvk
from renderer.validation.known_values import KNOWN_FORMATS, KNOWN_VALUES, number_format
from renderer.validation.kubernetes_formats import (
    LIST_KEYS,
    PRESERVED,
    QUANTITY_PATTERN,
    SEVERITY,
    Schema,
    embedded_object_meta,
    int_or_string,
    object_meta,
    quantity,
)
from renderer.validation.kubevirt_kinds import KINDS, KubevirtKind, api_versions
from renderer.validation.registry import V1BETA2, input_schema
from renderer.validation.shared_definitions import with_definitions

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: Keywords that mean the same in a CRD and in JSON Schema.
_KEPT = (
    "default",
    "enum",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "required",
)

_SCALARS = ("boolean", "number", "string")

#: Upstream's CEL rules, as JSON Schema.
_CEL: Mapping[tuple[str, ...], Schema] = {
    ("self.startsWith('/')", "!self.contains('..')"): {
        "title": "absolute path without ..",
        "pattern": r"^/(\.?[^.])*\.?$",
    },
    ("self == true",): {"const": True},
}


class UnlikeKubevirtError(Exception):
    """The given schema defines a kind otherwise than any release of KubeVirt; the message says how."""


def import_schema(crd_schema: JsonObject, kind: KubevirtKind, release: Release) -> Schema:
    """The JSON Schema of ``kind`` at ``release`` from the schema in its CRD; pure.

    Raises ``UnlikeKubevirtError`` for one that no JSON Schema can be made of.
    """
    if text_at(crd_schema, "type") != "object":
        raise UnlikeKubevirtError(f"the definition of {kind.name} is of no object")
    importer = _Importer(kind, release)
    root = importer.converted(crd_schema, ())
    properties = root.get("properties")
    if not isinstance(properties, dict):
        raise UnlikeKubevirtError(f"the definition of {kind.name} has no fields")
    own: Schema = {
        "apiVersion": {"enum": list(api_versions(kind, release))},
        "kind": {"const": kind.name},
        "metadata": object_meta(),
    }
    required = ["apiVersion", "kind", "metadata", *array_at(crd_schema, "required")]
    return {
        "$schema": _DIALECT,
        "title": f"{kind.name} (KubeVirt {release})",
        **with_definitions({**root, "properties": {**properties, **own}, "required": required}),
    }


def import_release(crd_schemas: Mapping[str, JsonObject], release: Release) -> dict[str, str]:
    """The schema files of a release: path below ``schemas/`` and text, by what is in its CRDs.

    ``crd_schemas`` holds the ``openAPIV3Schema`` of each kind by name. Raises ``KeyError`` for one that
    is not there.
    """
    return {
        f"kubevirt/{release}/{kind.file_name}": encoded(import_schema(crd_schemas[kind.name], kind, release))
        for kind in KINDS
    }


def input_files(written: Mapping[str, JsonObject]) -> dict[str, str]:
    """The schema files of what is read and never written: path below ``schemas/`` and text.

    ``written`` holds the schema of each kind by name, of the latest release.
    """
    changed = {kind: input_schema(written[kind.name], Gvk(kind.group, V1BETA2, kind.name)) for kind in KINDS}
    return {
        f"input/{kind.file_name}": encoded(dict(schema))
        for kind, schema in changed.items()
        if schema is not written[kind.name]
    }


def encoded(schema: Schema) -> str:
    """The text of a schema file: one line for each definition, so that differences can be read."""
    lines = [
        f"{json.dumps(key)}: {_members(value) if key == '$defs' else _compact(value)}"
        for key, value in schema.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def checksums(files: Mapping[str, bytes]) -> str:
    """``schemas/SHA256SUMS``, as ``sha256sum --check`` reads it, of the files by path."""
    return "".join(f"{sha256(content).hexdigest()}  {path}\n" for path, content in sorted(files.items()))


def _members(value: object) -> str:
    members = value.items() if isinstance(value, dict) else ()
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {_compact(member)}" for key, member in members) + "\n}"


def _compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Importer:
    kind: KubevirtKind
    release: Release

    def converted(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        """``crd`` as JSON Schema; ``path`` holds the names of the fields that lead to it."""
        if crd.get(PRESERVED) and "properties" not in crd:
            # A template's metadata. Only a DataVolumeTemplate's becomes the name of something.
            return embedded_object_meta(named="dataVolumeTemplates" in path)
        schema = {**self._typed(crd, path), **_kept(crd), **_checked_by_cel(crd)}
        schema = {**schema, **self._known(schema, path)}
        return _nullable(schema) if crd.get("nullable") else schema

    def _typed(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        if crd.get("x-kubernetes-int-or-string"):
            is_quantity = crd.get("pattern") == QUANTITY_PATTERN
            return quantity(fractions=self.kind.rewritten) if is_quantity else int_or_string()
        kind = text_at(crd, "type")
        if kind == "object":
            return self._object(crd, path)
        if kind == "array":
            return self._array(crd, path)
        if kind == "integer":
            return number_format(path[-1], text_at(crd, "format"))
        if kind not in _SCALARS:
            raise UnlikeKubevirtError(f"{'.'.join(path)} of {self.kind.name} has no type that is known")
        pattern = text_at(crd, "pattern").replace(r"\d", "[0-9]")
        is_time = crd.get("format") == "date-time"
        return {
            "type": kind,
            **({"pattern": pattern} if pattern else {}),
            **({"format": "date-time"} if is_time else {}),
        }

    def _object(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        values = crd.get("additionalProperties")
        if isinstance(values, dict):
            return {"type": "object", "additionalProperties": self.converted(values, path)}
        properties = {
            name: self.converted(child, (*path, name))
            for name, child in sorted(object_at(crd, "properties").items())
            if isinstance(child, dict)
        }
        return {
            "type": "object",
            **({"properties": properties} if properties else {}),
            "additionalProperties": False,
            **({PRESERVED: True} if crd.get(PRESERVED) else {}),
        }

    def _array(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        keys = crd.get(LIST_KEYS)
        return {
            "type": "array",
            "items": self.converted(object_at(crd, "items"), path),
            **({"uniqueItems": True} if crd.get("x-kubernetes-list-type") == "set" else {}),
            **({LIST_KEYS: keys} if keys else {}),
        }

    def _known(self, schema: Schema, path: tuple[str, ...]) -> Schema:
        """Return the format or values KubeVirt knows for a field that is any text or number in the CRD."""
        if schema["type"] in ("object", "array") or "enum" in schema:
            return {}
        for end, known_format in KNOWN_FORMATS.items():
            if _ends(path, end):
                return known_format
        for known in KNOWN_VALUES:
            values = known.at(self.release) if _ends(path, known.field) else ()
            if values:
                severity = {} if known.refused_at(self.release) else {SEVERITY: "warning"}
                return {"enum": list(values), **severity}
        return {}


def _ends(path: tuple[str, ...], field: str) -> bool:
    end = tuple(field.split("."))
    return path[-len(end) :] == end


def _kept(crd: JsonObject) -> Schema:
    return {keyword: crd[keyword] for keyword in _KEPT if keyword in crd}


def _checked_by_cel(crd: JsonObject) -> Schema:
    rules = tuple(text_at(rule, "rule") for rule in array_at(crd, "x-kubernetes-validations"))
    return dict(_CEL.get(rules, {}))


def _nullable(schema: Schema) -> Schema:
    nullable = {**schema, "type": [schema["type"], "null"]}
    values = schema.get("enum")
    return {**nullable, "enum": [*values, None]} if isinstance(values, list) else nullable
