"""What to say of a value that its field cannot have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, array_at, object_at, scalar_text, text_at
from renderer.model.placeholder import placeholder_in
from renderer.validation.empty_value import empty_value
from renderer.validation.finding import Finding
from renderer.validation.gating import Target
from renderer.validation.kind_schema import Violation
from renderer.validation.other_keyword import other_keyword
from renderer.validation.schema_keywords import SEVERITY
from renderer.validation.schema_tree import SchemaTree
from renderer.validation.wording import found, length_hint, nearest, quantity_hint, quoted, type_hint, wanted

_API_VERSION = FieldPath.of("apiVersion")
#: What is in mappings that people take for a value, by their names.
_MAIN_FIELDS: Mapping[str, tuple[str, ...]] = {
    "containerDisk": ("image",),
    "cpu": ("guest", "cores"),
    "instancetype": ("name",),
    "memory": ("guest",),
    "preference": ("name",),
}
_SWITCH = "enabled"  # of features, which people take for true or false


def wrong_value(violation: Violation, target: Target) -> Finding:
    """The finding for a violation of any keyword that is about a value or a key of a map."""
    if violation.value is None:
        return empty_value(violation, target)
    placeholder = placeholder_in(violation.value)
    if placeholder:
        return _unresolved(violation, placeholder)
    words = _BY_KEYWORD.get(violation.keyword)
    if words is None and "title" not in violation.schema:
        return other_keyword(violation)
    return (words or _wrong_format)(violation, target)


def _unresolved(violation: Violation, placeholder: str) -> Finding:
    message = (
        f"{violation.field} holds the placeholder {placeholder}, and what will stand there is not checked"
    )
    return Finding(violation.field, message, code=Code.PLACEHOLDER, severity=Severity.WARNING)


def _wrong_type(violation: Violation, _: Target) -> Finding:
    value, schema = violation.value, violation.schema
    message = f"{violation.field} must be {wanted(schema)}, not {found(value)}"
    return Finding(violation.field, message, _meant_inside(violation) or type_hint(value, schema))


def _meant_inside(violation: Violation) -> str | None:
    """The field for which ``memory: 4Gi`` and ``cpu: 2`` are probably meant."""
    name, value = str(violation.field.segments[-1]) if violation.field.segments else "", violation.value
    known = object_at(violation.schema, "properties")
    main_fields = (_SWITCH,) if isinstance(value, bool) else _MAIN_FIELDS.get(name, ())
    inside = next((key for key in main_fields if key in known), None)
    if inside is None or isinstance(value, dict | list):
        return None
    return f"did you mean {name}: {{{inside}: {scalar_text(value)}}}?"


def _wrong_format(violation: Violation, _: Target) -> Finding:
    value, title = violation.value, text_at(violation.schema, "title")
    if violation.place != violation.field:
        message = f"the key {quoted(value)} of {violation.field} must be {wanted(violation.schema)}"
        return Finding(violation.place, message)
    hint = quantity_hint(str(value)) if title == "quantity" else length_hint(value, title)
    message = f"{violation.field} must be {wanted(violation.schema)}, not {found(value)}"
    return Finding(violation.field, message, hint)


def _unknown_value(violation: Violation, target: Target) -> Finding:
    field, value, known = violation.field, violation.value, _texts(violation.expected)
    severity = Severity(text_at(violation.schema, SEVERITY) or Severity.ERROR)
    elsewhere = target.known_elsewhere(lambda tree: value in _known_values(tree, field))
    hint = _known_hint(value, known, target, is_version=field == _API_VERSION)
    if elsewhere:
        message = f"{field} {quoted(value)} {elsewhere}"
    elif severity is Severity.ERROR:
        message = f"{field} cannot be {quoted(value)}"
    else:
        message = f"{field} {quoted(value)} means nothing to {target.authority}"
    return Finding(field, message, hint, severity=severity, target=target.release if elsewhere else None)


def _known_hint(value: Json, known: Sequence[str], target: Target, *, is_version: bool) -> str:
    """Of versions the first is the preferred one, whichever is spelled most like the ``value``."""
    others = f"known to {target.authority}: {', '.join(known)}"
    close = nearest(value, known) if isinstance(value, str) else None
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


def _out_of_bounds(violation: Violation, _: Target) -> Finding:
    bound = "at least" if violation.keyword == "minimum" else "at most"
    message = f"{violation.field} must be {bound} {violation.expected}, not {quoted(violation.value)}"
    return Finding(violation.field, message)


def _wrong_length(violation: Violation, _: Target) -> Finding:
    value = violation.value
    length = len(value) if isinstance(value, str | list) else 0
    bound = "at least" if violation.keyword.startswith("min") else "at most"
    what = "characters" if isinstance(value, str) else "elements"
    message = f"{violation.field} must have {bound} {violation.expected} {what}, not {length}"
    return Finding(violation.field, message)


def _wrong_constant(violation: Violation, _: Target) -> Finding:
    message = f"{violation.field} must be {quoted(violation.expected)}, not {found(violation.value)}"
    return Finding(violation.field, message)


def _repeated(violation: Violation, _: Target) -> Finding:
    value = violation.value if isinstance(violation.value, list) else []
    twice = next((element for index, element in enumerate(value) if element in value[:index]), None)
    return Finding(violation.field, f"{violation.field} holds {found(twice)} twice")


_BY_KEYWORD: Mapping[str, Callable[[Violation, Target], Finding]] = {
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
