"""Findings about values that are invalid for their fields."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from renderer.checks.schemas.finding import SchemaFinding, SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, SchemaTree, Violation, schema_place
from renderer.checks.schemas.known_values import MEANT_EMPTY, NULL_WHEN_MISSING
from renderer.checks.schemas.kubernetes_formats import BASE64, SEVERITY, TEMPLATE_METADATA
from renderer.checks.schemas.wording import (
    found,
    length_hint,
    nearest,
    quantity_hint,
    quoted,
    type_hint,
    wanted,
)
from renderer.kubevirt.facts.placeholders import placeholder_in
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, array_at, object_at, scalar_text, text_at

#: Lists in which one key of an element determines its type, and KubeVirt's name for that type. The key is
#: often followed by an empty mapping, which users leave out.
_ONE_OF_KEYS: Mapping[str, str] = {"interfaces": "binding", "networks": "source", "volumes": "source"}
#: The mappings in an interface that are not bindings.
_NO_BINDINGS = frozenset({"dhcpOptions"})


_API_GROUP_HINT = (
    'write apiGroup: "" for a PersistentVolumeClaim, snapshot.storage.k8s.io for a VolumeSnapshot'
)


def missing_field(field: FieldPath, target: SchemaTarget) -> SchemaFinding | None:
    """Return the finding for a missing required field; None if its omission is valid."""
    zero = target.zero_for_missing(field)
    if zero is None:
        hint = _API_GROUP_HINT if str(field).endswith(NULL_WHEN_MISSING) else None
        return SchemaFinding(field, f"{field} is missing", hint, parent=True)
    if ".".join(schema_place(field)).replace(f".{ELEMENT}", "").endswith(MEANT_EMPTY):
        return None
    message = f"{field} is missing, and {target.authority} reads it as {quoted(zero)}"
    return SchemaFinding(field, message, severity=Severity.WARNING, parent=True)


def empty_value(violation: Violation, target: SchemaTarget) -> SchemaFinding:
    """Return the finding for a null.

    The API server drops nulls of known mappings, and only then checks for required fields.
    """
    field = violation.field
    message = f"{field} has nothing after it"
    zero = target.zero_for_missing(field)
    if zero is not None and _is_required(field, target.schema.tree):
        hint = f"give it {wanted(violation.schema)}; {target.authority} reads it as {quoted(zero)}"
        return SchemaFinding(field, message, hint, severity=Severity.WARNING)
    if _is_kept(field, target.schema.tree):
        return SchemaFinding(field, message, f"it must be {wanted(violation.schema)}")
    if violation.expected != "object":
        hint = f"leave it out, or give it {wanted(violation.schema)}; the API server drops it as it is"
        return SchemaFinding(field, message, hint, severity=Severity.WARNING)
    missing = _missing_without(violation)
    if missing:
        hint = f"write {{}} after it; the API server drops it as it is, and KubeVirt finds no {missing}"
        return SchemaFinding(field, message, hint)
    hint = "write {} after it if it is to be there, or leave it out; the API server drops it as it is"
    return SchemaFinding(field, message, hint, severity=Severity.WARNING)


def _is_kept(field: FieldPath, tree: SchemaTree) -> bool:
    """Return True if a null is rejected, not dropped: in lists, required fields, metadata of templates."""
    name = field.segments[-1] if field.segments else 0
    return (
        isinstance(name, int)
        or _is_required(field, tree)
        or any(text_at(schema or EMPTY, "title") == TEMPLATE_METADATA for schema in tree.along(field))
    )


def _is_required(field: FieldPath, tree: SchemaTree) -> bool:
    return bool(field.segments) and field.segments[-1] in array_at(tree.at(field.parent) or EMPTY, "required")


def _missing_without(violation: Violation) -> str | None:
    """Return what a list element lacks if the null is dropped and was the only key with its type."""
    *_, kind, element, name = ("", "", *schema_place(violation.field))
    if element != ELEMENT or kind not in _ONE_OF_KEYS or name in _NO_BINDINGS:
        return None
    siblings = _at(violation.content, violation.field.parent)
    others = [key for key, value in siblings.items() if isinstance(value, dict) and key not in _NO_BINDINGS]
    return None if others else _ONE_OF_KEYS[kind]


def _at(content: JsonObject, field: FieldPath) -> JsonObject:
    found: Json = content
    for segment in field.segments:
        found = found[segment]  # type: ignore[index]  # a violation stands below nothing else
    return found if isinstance(found, dict) else EMPTY


_WORDS: Mapping[str, str] = {
    "": "holds text or keys that no schema can judge",
    "anyOf": "has none of the forms that its schema allows",
    "contains": "lacks an element that its schema asks for",
    "dependentRequired": "lacks a field that another of its fields needs",
    "else": "does not fit the rest of what its schema asks for",
    "not": "has a form that its schema excludes",
    "oneOf": "must have just one of the forms that its schema allows",
    "propertyNames": "has a key that its schema excludes",
    "then": "does not fit the rest of what its schema asks for",
    "unevaluatedProperties": "has a field that its schema does not know",
}
_BOUNDS: Mapping[str, str] = {
    "exclusiveMaximum": "less than",
    "exclusiveMinimum": "more than",
    "multipleOf": "a multiple of",
}


def other_keyword(violation: Violation) -> SchemaFinding:
    """Return the finding for a violation of a keyword that has no message of its own."""
    field, keyword, expected = violation.field, violation.keyword, violation.expected
    where = str(field) or "the object"
    if keyword in _BOUNDS and isinstance(expected, int | float):
        return SchemaFinding(field, f"{where} must be {_BOUNDS[keyword]} {scalar_text(expected)}")
    if keyword == "pattern" and isinstance(expected, str):
        return SchemaFinding(field, f"{where} must match {expected}, not {found(violation.value)}")
    return SchemaFinding(
        field, f"{where} {_WORDS.get(keyword) or f'is not as {keyword} of its schema has it'}"
    )


_API_VERSION = FieldPath.of("apiVersion")
#: The main fields of mappings that users mistake for a single value, by the names of the mappings.
_MAIN_FIELDS: Mapping[str, tuple[str, ...]] = {
    "containerDisk": ("image",),
    "cpu": ("guest", "cores"),
    "instancetype": ("name",),
    "machine": ("type",),
    "memory": ("guest",),
    "preference": ("name",),
    "httpGet": ("port",),
    "tcpSocket": ("port",),
}
#: A bare number of memory up to this is taken as gibibytes, a larger one as mebibytes.
_MOST_GIBIBYTES = 128
_SWITCH = "enabled"  # a field of features, which users mistake for true or false


def wrong_value(violation: Violation, target: SchemaTarget) -> SchemaFinding:
    """Return the finding for a violation of any keyword that is about a value or a key of a map."""
    if violation.value is None:
        return empty_value(violation, target)
    placeholder = placeholder_in(violation.value)
    if placeholder:
        return _unresolved(violation, placeholder)
    words = _BY_KEYWORD.get(violation.keyword)
    if words is None and "title" not in violation.schema:
        return other_keyword(violation)
    finding = (words or _wrong_format)(violation, target)
    if violation.keyword not in _FORMAT_KEYWORDS or SEVERITY not in violation.schema:
        return finding
    message = f"{finding.message}; {target.authority} admits it, and the cluster refuses what is made of it"
    return finding._replace(message=message, severity=Severity(text_at(violation.schema, SEVERITY)))


def _unresolved(violation: Violation, placeholder: str) -> SchemaFinding:
    message = (
        f"{violation.field} holds the placeholder {placeholder}, and what will stand there is not checked"
    )
    return SchemaFinding(violation.field, message, code=Code.PLACEHOLDER, severity=Severity.WARNING)


def _wrong_type(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value, schema = violation.value, violation.schema
    message = f"{violation.field} must be {wanted(schema)}, not {found(value)}"
    return SchemaFinding(violation.field, message, _likely_child(violation) or type_hint(value, schema))


def _likely_child(violation: Violation) -> str | None:
    """Return the field that is probably meant by ``memory: 4Gi`` and ``cpu: 2``."""
    name, value = str(violation.field.segments[-1]) if violation.field.segments else "", violation.value
    known = object_at(violation.schema, "properties")
    main_fields = (_SWITCH,) if isinstance(value, bool) else _MAIN_FIELDS.get(name, ())
    inside = next((key for key in main_fields if key in known), None)
    if inside is None or isinstance(value, dict | list):
        return None
    text = scalar_text(value)
    if name == "memory" and text.isdecimal():  # nobody means bytes
        text += "Gi" if int(text) <= _MOST_GIBIBYTES else "Mi"
    return f"did you mean {name}: {{{inside}: {text}}}?"


_DATA = "data"  # a field of a Secret, next to stringData


def _wrong_format(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value, title = violation.value, text_at(violation.schema, "title")
    if violation.place != violation.field:
        message = f"the key {quoted(value)} of {violation.field} must be {wanted(violation.schema)}"
        return SchemaFinding(violation.place, message, about_key=True)
    if title == BASE64:  # it is confidential, or too long to be shown
        hint = "plain text goes into stringData" if _DATA in violation.field.segments else None
        return SchemaFinding(violation.field, f"{violation.field} is not {wanted(violation.schema)}", hint)
    hint = quantity_hint(str(value)) if title == "quantity" else length_hint(value, title)
    message = f"{violation.field} must be {wanted(violation.schema)}, not {found(value)}"
    return SchemaFinding(violation.field, message, hint)


def _unknown_value(violation: Violation, target: SchemaTarget) -> SchemaFinding:
    field, value, known = violation.field, violation.value, _texts(violation.expected)
    severity = Severity(text_at(violation.schema, SEVERITY) or Severity.ERROR)
    if value == "" and severity is Severity.ERROR:
        hint = f"leave it out, or give it a value: {', '.join(known)}"
        return SchemaFinding(field, f"{field} cannot be {quoted(value)}", hint)
    elsewhere = target.known_elsewhere(lambda tree: value in _known_values(tree, field))
    hint = _known_hint(value, known, target, is_version=field == _API_VERSION)
    if elsewhere:
        message = f"{field} {quoted(value)} {elsewhere}"
    elif severity is Severity.ERROR:
        message = f"{field} cannot be {quoted(value)}"
    else:
        message = f"{field} {quoted(value)} means nothing to {target.authority}"
    return SchemaFinding(
        field, message, hint, severity=severity, target=target.judging_release if elsewhere else None
    )


#: Architecture names from other tools.
_SYNONYMS = {"x86_64": "amd64", "x86-64": "amd64", "aarch64": "arm64"}


def _known_hint(value: Json, known: Sequence[str], target: SchemaTarget, *, is_version: bool) -> str:
    """Return a hint with the ``known`` values and the probable one; of versions, the preferred one."""
    others = f"known to {target.authority}: {', '.join(known)}"
    close = _SYNONYMS.get(value) or nearest(value, known) if isinstance(value, str) else None
    close = close if close in known else None
    meant = known[0] if close and is_version else close
    if meant is None:
        return others
    return f"did you mean {meant}?" if [*known] == [meant] else f"did you mean {meant}? {others}"


def _known_values(tree: SchemaTree, field: FieldPath) -> Sequence[object]:
    return array_at(tree.at(field) or EMPTY, "enum")


def _texts(values: object) -> tuple[str, ...]:
    return (
        tuple(value for value in values if isinstance(value, str) and value)
        if isinstance(values, list)
        else ()
    )


def _out_of_bounds(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    bound = "at least" if violation.keyword == "minimum" else "at most"
    message = f"{violation.field} must be {bound} {violation.expected}, not {quoted(violation.value)}"
    return SchemaFinding(violation.field, message)


def _wrong_length(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value = violation.value
    length = len(value) if isinstance(value, str | list) else 0
    bound = "at least" if violation.keyword.startswith("min") else "at most"
    what = "characters" if isinstance(value, str) else "elements"
    message = f"{violation.field} must have {bound} {violation.expected} {what}, not {length}"
    return SchemaFinding(violation.field, message)


def _wrong_constant(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    message = f"{violation.field} must be {quoted(violation.expected)}, not {found(violation.value)}"
    return SchemaFinding(violation.field, message)


def _repeated(violation: Violation, _: SchemaTarget) -> SchemaFinding:
    value = violation.value if isinstance(violation.value, list) else []
    twice = next((element for index, element in enumerate(value) if element in value[:index]), None)
    return SchemaFinding(violation.field, f"{violation.field} holds {found(twice)} twice")


#: Keywords about the form of a text.
_FORMAT_KEYWORDS = frozenset({"maxLength", "pattern"})

_BY_KEYWORD: Mapping[str, Callable[[Violation, SchemaTarget], SchemaFinding]] = {
    "type": _wrong_type,
    "enum": _unknown_value,
    "const": _wrong_constant,
    "minimum": _out_of_bounds,
    "maximum": _out_of_bounds,
    "minLength": _wrong_length,
    "maxLength": _wrong_length,
    "maxItems": _wrong_length,
    "uniqueItems": _repeated,
}
