"""JSON Schemas of KubeVirt's kinds, made from the schemas of its CustomResourceDefinitions.

Input: the ``openAPIV3Schema`` of a kind in a release's CRD. Output: a self-contained JSON Schema (draft
2020-12) that rejects values that the API server of that release would reject or drop, and single values that
KubeVirt's webhooks would reject. Upstream's descriptions are dropped. ``schemas/README.md`` documents the
decisions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, cast

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
from renderer.model.digest import sha256
from renderer.model.json import JsonObject, array_at, object_at, text_at
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.res_id import Gvk

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
        raise UnlikeKubevirtError(f"the definition of {kind.name} is of no object")
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
    lines = [
        f"{json.dumps(key)}: {_members(value) if key == '$defs' else _compact(value)}"
        for key, value in schema.items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def checksums(files: Mapping[str, bytes]) -> str:
    """Return ``schemas/SHA256SUMS``, as ``sha256sum --check`` reads it, of the files by path."""
    return "".join(f"{sha256(content)}  {path}\n" for path, content in sorted(files.items()))


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
        """Return ``crd`` as JSON Schema; ``path`` holds the names of the fields that lead to it."""
        if crd.get(PRESERVED) and "properties" not in crd:
            # A template's metadata. Only a DataVolumeTemplate's metadata becomes the name of an object.
            return embedded_object_meta(named="dataVolumeTemplates" in path)
        schema = {**self._typed(crd, path), **_kept(crd), **_checked_by_cel(crd)}
        pointers = [
            name for name in object_at(crd, "properties") if self._is_null_when_missing((*path, name))
        ]
        if pointers:
            schema["required"] = [*pointers, *array_at(crd, "required")]
        schema = {**schema, **self._known(schema, path)}
        return _nullable(schema) if crd.get("nullable") else schema

    def _is_null_when_missing(self, path: tuple[str, ...]) -> bool:
        return self.kind.rewritten and any(_ends(path, end) for end in NULL_WHEN_MISSING)

    def _typed(self, crd: JsonObject, path: tuple[str, ...]) -> Schema:
        if crd.get("x-kubernetes-int-or-string"):
            is_quantity = crd.get("pattern") == QUANTITY_PATTERN
            return quantity(fractions=self.kind.rewritten) if is_quantity else int32_or_string()
        kind = text_at(crd, "type")
        if kind == "object":
            return self._object(crd, path)
        if kind == "array":
            return self._array(crd, path)
        if kind == "integer":
            return number_format(path[-1], text_at(crd, "format"), by_webhook=self.kind.rewritten)
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


_NUMBER = "$part"
_SMALLEST = 48  # a reference costs about as much as a schema of this length

#: Names of parts that are used for many fields.
_SHAPES: tuple[tuple[Schema, str], ...] = (
    ({"type": "object", "additionalProperties": False}, "empty mapping"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "text map"),
    ({"type": "array", "items": {"type": "string"}}, "texts"),
)

_Path: TypeAlias = tuple[str, ...]


def with_definitions(schema: Schema) -> Schema:
    """Return the same schema with every repeated part in ``$defs``, named after its field or its title."""
    parts = _Parts()
    root = parts.intern(schema, ())
    return parts.assembled(root)


class _Part(Record):
    """A schema whose subschemas are the numbers of parts."""

    schema: Schema
    name: str
    size: int


class _Parts:
    """The distinct parts of one schema, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[_Part] = []
        self._uses: Counter[int] = Counter()

    def intern(self, schema: Mapping[str, object], path: _Path) -> int:
        """Return the number of ``schema``, after interning its subschemas and replacing them by numbers."""
        part: Schema = dict(schema)
        children: list[int] = []
        for keyword, place, child in subschemas(schema):
            number = self.intern(child, (*path, place) if keyword == "properties" else path)
            children.append(number)
            _replace(part, keyword, place, {_NUMBER: number})
        text = json.dumps(part, sort_keys=True)
        if text not in self._numbers:
            self._numbers[text] = len(self._parts)
            size = len(text) + sum(self._parts[child].size for child in children)
            self._parts.append(_Part(part, _name(schema, path), size))
            self._uses.update(children)
        return self._numbers[text]

    def assembled(self, root: int) -> Schema:
        names = self._unique_names(root)
        definitions = {name: self._expanded(number, names) for number, name in names.items()}
        return {**self._expanded(root, names), "$defs": dict(sorted(definitions.items()))}

    def _unique_names(self, root: int) -> dict[int, str]:
        taken: Counter[str] = Counter()
        names: dict[int, str] = {}
        for number, part in enumerate(self._parts):
            if number != root and self._uses[number] > 1 and part.size >= _SMALLEST:
                taken[part.name] += 1
                names[number] = part.name if taken[part.name] == 1 else f"{part.name}-{taken[part.name]}"
        return names

    def _expanded(self, number: int, names: Mapping[int, str]) -> Schema:
        part = dict(self._parts[number].schema)
        for keyword, place, reference in list(subschemas(part)):
            target = reference[_NUMBER]
            assert isinstance(target, int)  # noqa: S101 - intern wrote it
            name = names.get(target)
            child: Schema = {"$ref": f"#/$defs/{name}"} if name else self._expanded(target, names)
            _replace(part, keyword, place, child)
        return part


def _name(schema: Mapping[str, object], path: _Path) -> str:
    shape = next((name for shape, name in _SHAPES if shape == schema), None)
    return _camel_case(str(schema.get("title") or shape or (path[-1] if path else "")))


def subschemas(schema: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield keyword, place below it (the name of a property, or nothing) and subschema."""
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, child in properties.items():
            yield "properties", name, child
    for keyword in ("items", "additionalProperties", "propertyNames"):
        child = schema.get(keyword)
        if isinstance(child, dict):
            yield keyword, "", child


def _replace(part: Schema, keyword: str, place: str, child: Schema) -> None:
    if keyword != "properties":
        part[keyword] = child
        return
    properties = part["properties"]
    if isinstance(properties, dict):
        part["properties"] = {**properties, place: child}


def _camel_case(words: str) -> str:
    first, *others = words.split() or ["part"]
    return first + "".join(word.capitalize() for word in others)
