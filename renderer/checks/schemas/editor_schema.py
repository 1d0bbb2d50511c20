"""Schemas for editors: with what fields mean, and for patches, which need no field.

Language servers for YAML show ``title`` and ``description`` when the pointer is on a field, and offer names,
``enum``, ``default`` and ``examples`` while one types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeAlias

from renderer.checks.schemas.field_descriptions import describe
from renderer.checks.schemas.kubernetes_formats import SEVERITY
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, with_value
from renderer.model.release import Release

#: The names of the fields on the way to one; lists and maps between them have none.
FieldNames: TypeAlias = tuple[str, ...]

_DEFINITION = "#/$defs/"
#: Keywords that say something about a value and demand nothing.
_ANNOTATIONS = frozenset(
    ("title", "description", "default", "examples", "deprecated", "deprecationMessage", "patternErrorMessage")
)
#: Text with a parameter of a VirtualMachineTemplate in it.
_PARAMETER: JsonObject = {"type": "string", "pattern": r"\$\{"}
#: Keywords whose schemas are about the value itself or its elements.
_PARTS = frozenset(("items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "if", "then", "else"))
#: Keywords that demand something of what a patch may leave out.
_DEMANDS = ("required", "minItems", "minProperties", "anyOf", "oneOf", "dependentRequired")
#: What a strategic merge patch may say in any mapping (kustomize ``api/filters/patchstrategicmerge``).
_DIRECTIVES: JsonObject = {
    "$patch": {
        "title": "Directive",
        "description": "What becomes of the target: replace it, delete it, or merge it as usual.",
        "enum": ["replace", "delete", "merge"],
    },
    "$retainKeys": {
        "title": "Retained keys",
        "description": "Fields that are not listed here are removed.",
        "type": "array",
        "items": {"type": "string"},
    },
}
#: Directives about a list, which have its name in theirs.
_LIST_DIRECTIVES = {"^\\$(setElementOrder|deleteFromPrimitiveList)/": {"type": "array"}}


def described(document: JsonObject, release: Release, since: Mapping[FieldNames, Release]) -> JsonObject:
    """Return a schema that says of each field what it is, and what is special about it at ``release``.

    A definition with fields is written out wherever it is used, as the meaning of a field depends on where
    it is. ``since`` has the release that brought a field, if it was not always there.
    """
    definitions = object_at(document, "$defs")

    def visit(schema: Json, names: FieldNames) -> Json:
        if isinstance(schema, list):
            return [visit(each, names) for each in schema]
        if not isinstance(schema, dict):
            return schema
        target = _definition(schema, definitions)
        if target is not None and _has_fields(target, definitions):
            return visit({**target, **{key: value for key, value in schema.items() if key != "$ref"}}, names)
        made = dict(schema)
        if "properties" in schema:
            made["properties"] = {
                name: _described_field(visit(child, (*names, name)), (*names, name))
                for name, child in object_at(schema, "properties").items()
            }
        for keyword in _PARTS & schema.keys():
            made[keyword] = visit(schema[keyword], names)
        return made

    def _described_field(schema: Json, names: FieldNames) -> Json:
        found = describe(names)
        if found is None or not isinstance(schema, dict):
            return schema
        remarks = " ".join((found.text, *found.remarks(release, since.get(names))))
        more: dict[str, Json] = {"title": found.title, "description": remarks}
        if found.default is not None:
            more["default"] = found.default
        if found.example is not None:
            more["examples"] = [found.example]
        if found.is_deprecated(release):
            more |= {"deprecated": True, "deprecationMessage": remarks}
        return {**schema, **more}

    made = visit({key: value for key, value in document.items() if key != "$defs"}, ())
    used = {name: schema for name, schema in definitions.items() if not _has_fields(schema, definitions)}
    return {**object_at(made), "$defs": used}


def for_editor(document: JsonObject) -> JsonObject:
    """Return a schema by which an editor refuses only what the cluster does.

    Values that vmrender merely warns about become examples, and the name of a format is the message about
    text that does not match.
    """
    return _mapped(document, _lenient)


def for_patches(document: JsonObject) -> JsonObject:
    """Return the schema of strategic merge patches of a kind: nothing is required, null removes a field."""
    return _mapped(document, _optional)


def with_choices(
    document: JsonObject, choices: Mapping[FieldNames, Iterable[str]], *, offered: bool = False
) -> JsonObject:
    """Return a schema in which fields, by the end of their path, accept only the given texts.

    ``offered``: an editor offers the texts, and accepts others.
    """
    wanted = {names: [*values] for names, values in choices.items()}
    keyword_of_choices = "examples" if offered else "enum"

    def visit(schema: Json, names: FieldNames) -> Json:
        if not isinstance(schema, dict):
            return schema
        made = dict(schema)
        for name, child in object_at(schema, "properties").items():
            below = (*names, name)
            chosen = next((values for end, values in wanted.items() if below[-len(end) :] == end), None)
            part = visit(child, below)
            if chosen and isinstance(part, dict):
                dropped = () if offered else ("pattern", "$ref")
                part = {key: value for key, value in part.items() if key not in dropped}
                part[keyword_of_choices] = chosen
            made["properties"] = {**object_at(made, "properties"), name: part}
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                made[keyword] = visit(schema[keyword], names)
        return made

    return object_at(visit(document, ()))


def with_machine(template: JsonObject, machine: JsonObject) -> JsonObject:
    """Return the schema of a VirtualMachineTemplate in which the machine is described, by its own schema.

    Text with a parameter, ``${NAME}``, can be in place of every scalar in it.
    """
    parts = object_at(_mapped(_without_references(machine), _parameterised), "properties")
    path = ("properties", "spec", "properties", "virtualMachine")
    described_machine = {**object_at(template, *path), "properties": parts}
    return with_value(template, path, described_machine)


def of_any_kind(references: Mapping[tuple[str, str], str]) -> JsonObject:
    """Return a schema that judges each document by its kind: a relative address by (apiVersion, kind)."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Kubernetes object",
        "type": "object",
        "properties": {"apiVersion": {"type": "string"}, "kind": {"type": "string"}},
        "allOf": [
            {
                "if": {
                    "properties": {"apiVersion": {"const": api_version}, "kind": {"const": kind}},
                    "required": ["apiVersion", "kind"],
                },
                "then": {"$ref": reference},
            }
            for (api_version, kind), reference in references.items()
        ],
    }


def first_releases(fields: Mapping[Release, Iterable[FieldNames]]) -> Mapping[FieldNames, Release]:
    """Return the release that brought each field of a kind; none for fields of the oldest release."""
    oldest = min(fields)
    found: dict[FieldNames, Release] = {}
    for release in sorted(fields):
        for names in fields[release]:
            found.setdefault(names, release)
    return {names: release for names, release in found.items() if release != oldest}


def field_names(document: JsonObject) -> Iterator[FieldNames]:
    """Yield the path of every field of a schema, except for what is below ``status``."""
    return (names for names, _ in field_schemas(document))


def field_schemas(document: JsonObject) -> Iterator[tuple[FieldNames, JsonObject]]:
    """Yield every field of a schema with its own schema, except for what is below ``status``."""
    definitions = object_at(document, "$defs")

    def visit(schema: JsonObject, names: FieldNames) -> Iterator[tuple[FieldNames, JsonObject]]:
        for name, child in object_at(schema, "properties").items():
            found = object_at(child)
            found = _definition(found, definitions) or found
            if (*names, name) != ("status",):
                yield (*names, name), found
                yield from visit(found, (*names, name))
        for keyword in ("items", "additionalProperties"):
            if isinstance(schema.get(keyword), dict):
                found = object_at(schema, keyword)
                yield from visit(_definition(found, definitions) or found, names)

    return visit(document, ())


def _definition(schema: JsonObject, definitions: JsonObject) -> JsonObject | None:
    reference = schema.get("$ref")
    if not isinstance(reference, str):
        return None
    return object_at(definitions, reference.removeprefix(_DEFINITION))


def _has_fields(schema: Json, definitions: JsonObject) -> bool:
    """Return True if a schema names fields, itself or in what it contains."""
    if isinstance(schema, list):
        return any(_has_fields(each, definitions) for each in schema)
    if not isinstance(schema, dict):
        return False
    target = _definition(schema, definitions)
    if target is not None:
        return _has_fields(target, definitions)
    return "properties" in schema or any(_has_fields(each, definitions) for each in schema.values())


def _mapped(schema: JsonObject, change: Callable[[JsonObject], JsonObject]) -> JsonObject:
    """Return a schema with ``change`` applied to every schema in it, and then to it."""

    def visit(value: Json) -> Json:
        if isinstance(value, list):
            return [visit(each) for each in value]
        return _mapped(value, change) if isinstance(value, dict) else value

    groups = ("properties", "$defs", "patternProperties")
    made: dict[str, Json] = {}
    for key, value in schema.items():
        if key in groups:
            made[key] = {name: visit(child) for name, child in object_at(value).items()}
        elif key in ("default", "examples", "enum", "const"):
            made[key] = value
        else:
            made[key] = visit(value)
    return change(made)


def _without_references(document: JsonObject) -> JsonObject:
    """Return a schema with its definitions written out."""
    definitions = object_at(document, "$defs")

    def resolve(schema: JsonObject) -> JsonObject:
        target = _definition(schema, definitions)
        if target is None:
            return schema
        return {**_mapped(target, resolve), **{key: value for key, value in schema.items() if key != "$ref"}}

    return _mapped({key: value for key, value in document.items() if key != "$defs"}, resolve)


def _parameterised(schema: JsonObject) -> JsonObject:
    """Return a schema that also accepts text with a parameter, if it is about a scalar."""
    types = schema.get("type")
    if types in ("object", "array", None) or (isinstance(types, list) and {"object", "array"} & {*types}):
        return schema
    about = {key: value for key, value in schema.items() if key in _ANNOTATIONS}
    demands = {key: value for key, value in schema.items() if key not in _ANNOTATIONS}
    return {**about, "anyOf": [demands, _PARAMETER]}


def _lenient(schema: JsonObject) -> JsonObject:
    made = dict(schema)
    if made.pop(SEVERITY, None) is not None:
        made.pop("pattern", None)
        values = made.pop("enum", None)
        if values:
            made["examples"] = values
    if "pattern" in made and "title" in made:
        made["patternErrorMessage"] = f"not a valid {made['title']}"
    return made


def _optional(schema: JsonObject) -> JsonObject:
    made = {key: value for key, value in schema.items() if key not in _DEMANDS}
    if "properties" in made:
        made["properties"] = {**_DIRECTIVES, **object_at(made, "properties")}
        made["patternProperties"] = {**object_at(made, "patternProperties"), **_LIST_DIRECTIVES}
    if isinstance(made.get("type"), str):
        made["type"] = [made["type"], "null"]
    if "enum" in made:
        made["enum"] = [*dict.fromkeys((*array_at(made, "enum"), None))]
    return made
