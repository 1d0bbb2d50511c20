"""JSON Schemas of KubeVirt's kinds, made from the schemas of its CustomResourceDefinitions.

Input: the ``openAPIV3Schema`` of a kind in a release's CRD. Output: a self-contained JSON Schema (draft
2020-12) that rejects values that the API server of that release would reject or drop, and single values that
KubeVirt's webhooks would reject. Upstream's descriptions are dropped. ``schemas/README.md`` documents the
decisions.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from renderer.checks.schemas.definitions import with_definitions
from renderer.checks.schemas.known_values import (
    KNOWN_FORMATS,
    KNOWN_VALUES,
    NULL_WHEN_MISSING,
    OMITTED_WHEN_EMPTY,
    number_format,
)
from renderer.checks.schemas.kubernetes_formats import (
    LIST_KEYS,
    PRESERVED,
    QUANTITY_PATTERN,
    SEVERITY,
    Schema,
    embedded_object_meta,
    int32_or_string,
    object_meta,
    quantity,
)
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind, api_versions
from renderer.checks.schemas.registry import V1BETA2, input_schema
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.release import Release

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

#: Keywords with the same meaning in a CRD and in JSON Schema.
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
    """The given schema defines a kind differently from every release of KubeVirt; the message says how."""


def import_schema(crd_schema: JsonObject, kind: KubevirtKind, release: Release) -> Schema:
    """Return the JSON Schema of ``kind`` at ``release`` from the schema in its CRD; pure.

    Raises ``UnlikeKubevirtError`` for a schema that cannot be converted.
    """
    if text_at(crd_schema, "type") != "object":
        raise UnlikeKubevirtError(f"the definition of {kind.name} does not have the type object")
    release = release.minor_release
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
    """Return the schema files of a release from its CRDs: path below ``schemas/`` and text.

    ``crd_schemas`` holds the ``openAPIV3Schema`` of each kind by name. Raises ``KeyError`` for a missing
    kind.
    """
    return {
        f"kubevirt/{release.minor_release}/{kind.file_name}": encoded(
            import_schema(crd_schemas[kind.name], kind, release)
        )
        for kind in KINDS
    }


def input_files(written: Mapping[str, JsonObject]) -> dict[str, str]:
    """Return the schema files of input that is never written: path below ``schemas/`` and text.

    ``written`` holds the schema of each kind by name, of the latest release.
    """
    changed = {kind: input_schema(written[kind.name], Gvk(kind.group, V1BETA2, kind.name)) for kind in KINDS}
    return {
        f"input/{kind.file_name}": encoded(dict(schema))
        for kind, schema in changed.items()
        if schema is not written[kind.name]
    }


def encoded(schema: Schema) -> str:
    """Return the text of a schema file: one line for each definition, so that diffs are readable."""
    lines = []
    for key, value in schema.items():
        if key == "$defs" and isinstance(value, dict):
            definitions = (f"  {json.dumps(name)}: {_compact(part)}" for name, part in value.items())
            lines.append(f"{json.dumps(key)}: {{\n" + ",\n".join(definitions) + "\n}")
        else:
            lines.append(f"{json.dumps(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class _Importer:
    kind: KubevirtKind
    release: Release

    def converted(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        """Return ``crd`` as JSON Schema; ``path`` holds the names of the fields that lead to it."""
        if crd.get(PRESERVED) and "properties" not in crd:
            # A template's metadata. Only a DataVolumeTemplate's metadata becomes the name of an object.
            return embedded_object_meta(named="dataVolumeTemplates" in path)
        rules = tuple(text_at(rule, "rule") for rule in array_at(crd, "x-kubernetes-validations"))
        schema = {
            **self._type_keywords(crd, path),
            **{keyword: crd[keyword] for keyword in _KEPT if keyword in crd},
            **_CEL.get(rules, {}),
        }
        pointers = [
            name
            for name in object_at(crd, "properties")
            if self.kind.rewritten and any(_ends((*path, name), end) for end in NULL_WHEN_MISSING)
        ]
        if pointers:
            schema["required"] = [*pointers, *array_at(crd, "required")]
        schema |= self._known_keywords(schema, path)
        if crd.get("nullable"):
            schema["type"] = [schema["type"], "null"]
            values = schema.get("enum")
            if isinstance(values, list):
                schema["enum"] = [*values, None]
        return schema

    def _type_keywords(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        if crd.get("x-kubernetes-int-or-string"):
            is_quantity = crd.get("pattern") == QUANTITY_PATTERN
            return quantity(fractions=self.kind.rewritten) if is_quantity else int32_or_string()
        kind = text_at(crd, "type")
        if kind == "object":
            return self._object_schema(crd, path)
        if kind == "array":
            return self._array_schema(crd, path)
        if kind == "integer":
            return number_format(path[-1], text_at(crd, "format"), by_webhook=self.kind.rewritten)
        if kind not in _SCALARS:
            raise UnlikeKubevirtError(f"{'.'.join(path)} of {self.kind.name} has an unknown type")
        pattern = text_at(crd, "pattern").replace(r"\d", "[0-9]")
        is_time = crd.get("format") == "date-time"
        return {
            "type": kind,
            **({"pattern": pattern} if pattern else {}),
            **({"format": "date-time"} if is_time else {}),
        }

    def _object_schema(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
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

    def _array_schema(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        keys = crd.get(LIST_KEYS)
        return {
            "type": "array",
            "items": self.converted(object_at(crd, "items"), path),
            **({"uniqueItems": True} if crd.get("x-kubernetes-list-type") == "set" else {}),
            **({LIST_KEYS: keys} if keys else {}),
        }

    def _known_keywords(self, schema: Schema, path: tuple[str, ...]) -> Schema:
        """Return the format or values that KubeVirt knows for a field that the CRD leaves open.

        Such a field is any text or number in the CRD.
        """
        if schema["type"] in ("object", "array"):
            return {}
        if isinstance(schema.get("enum"), list):
            is_omitted = self.kind.rewritten and any(_ends(path, end) for end in OMITTED_WHEN_EMPTY)
            return {"enum": ["", *array_at(cast("JsonObject", schema), "enum")]} if is_omitted else {}
        for end, known_format in KNOWN_FORMATS.items():
            if _ends(path, end):
                return known_format
        for known in KNOWN_VALUES:
            if not _ends(path, known.field):
                continue
            values = known.at(self.release, by_webhook=self.kind.rewritten)
            if values:
                is_refused = known.refused_at(self.release, by_webhook=self.kind.rewritten)
                severity = {} if is_refused else {SEVERITY: "warning"}
                return {"enum": list(values), **severity}
        return {}


def _ends(path: tuple[str, ...], field: str) -> bool:
    """Return True if a path ends in ``field``, whose names are separated by dots."""
    end = tuple(field.split("."))
    return path[-len(end) :] == end
