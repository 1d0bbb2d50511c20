"""Violations of a schema as findings in the user's words: one for each problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, array_at, object_at
from renderer.validation.finding import SchemaFinding, SchemaTarget
from renderer.validation.kind_schema import Violation
from renderer.validation.unknown_field import meant_sibling, misnamed_field, unknown_field
from renderer.validation.wrong_value import wrong_value

_ABOUT_FIELDS = ("additionalProperties", "required")
_TELLING = {"type": 0, "pattern": 1}
_MOST = 100


def findings(violations: Iterable[Violation], target: SchemaTarget) -> Sequence[SchemaFinding]:
    """Return one finding for each of the first hundred fields in order, and one for all others."""
    violations = tuple(violations)
    unknown, missing = _unknown(violations), _missing(violations)
    wrong = {violation.place: violation for violation in _about_values(violations)}
    fields = sorted(unknown.keys() | missing | wrong.keys(), key=_order)
    shown, others = fields[:_MOST], fields[_MOST:]
    misspelled = {_meant(field, target) for field in shown if field in unknown} if missing else set()
    other_names = _other_names(unknown, missing - misspelled, target)
    misspelled |= set(other_names.values()) | _indented_too_little(unknown, wrong, target)

    def finding(field: FieldPath) -> SchemaFinding:
        if field in other_names:
            return misnamed_field(field, other_names[field], target)
        if field in unknown:
            return unknown_field(field, unknown[field], target)
        if field in wrong:
            return wrong_value(wrong[field], target)
        return SchemaFinding(field, f"{field} is missing", parent=True)

    found = [finding(field) for field in shown if field not in misspelled]
    return [*found, *(SchemaFinding(field, f"{len(others)} more fields are wrong") for field in others[:1])]


def _meant(field: FieldPath, target: SchemaTarget) -> FieldPath | None:
    """The field that was misspelled so. It is one problem, not an unknown field and a missing one."""
    sibling = meant_sibling(field, target)
    return field.parent.child(sibling) if sibling else None


def _other_names(
    unknown: Mapping[FieldPath, JsonObject], missing: AbstractSet[FieldPath], target: SchemaTarget
) -> Mapping[FieldPath, FieldPath]:
    """Return the field that is missing, for each unknown scalar that is alone beside it in its mapping."""
    found: dict[FieldPath, FieldPath] = {}
    for field in missing:
        beside = [each for each in unknown if each.parent == field.parent]
        takes_text = object_at(target.schema.tree.at(field) or {}).get("type") == "string"
        if len(beside) == 1 and takes_text and _is_text(unknown[beside[0]], beside[0]):
            found[beside[0]] = field
    return found if len(found) == len(set(found.values())) else {}


def _is_text(siblings: JsonObject, field: FieldPath) -> bool:
    return isinstance(siblings.get(str(field.segments[-1])), str)


def _indented_too_little(
    unknown: Mapping[FieldPath, JsonObject], wrong: Mapping[FieldPath, Violation], target: SchemaTarget
) -> AbstractSet[FieldPath]:
    """Return the empty fields whose content stands beside them: ``image`` below ``containerDisk:``."""
    return {
        field
        for field, violation in wrong.items()
        if violation.value is None
        for other in unknown
        if other.parent == field.parent and target.schema.tree.at(field.child(other.segments[-1])) is not None
    }


def _unknown(violations: Iterable[Violation]) -> dict[FieldPath, JsonObject]:
    """The unknown fields, each with the mapping it stands in."""
    return {
        violation.field.child(name): violation.value
        for violation in violations
        if violation.keyword == "additionalProperties" and isinstance(violation.value, dict)
        for name in violation.value.keys() - object_at(violation.schema, "properties").keys()
    }


def _missing(violations: Iterable[Violation]) -> set[FieldPath]:
    return {
        violation.field.child(str(name))
        for violation in violations
        if violation.keyword == "required" and isinstance(violation.value, dict)
        for name in array_at(violation.expected)
        if name not in violation.value
    }


def _about_values(violations: Sequence[Violation]) -> Iterable[Violation]:
    """Return the most telling violation of each value, in the order of ``_TELLING``."""
    first: dict[FieldPath, Violation] = {}
    for violation in sorted(violations, key=lambda violation: _TELLING.get(violation.keyword, len(_TELLING))):
        if violation.keyword not in _ABOUT_FIELDS:
            first.setdefault(violation.place, violation)
    return first.values()


def _order(field: FieldPath) -> tuple[tuple[bool, int, str], ...]:
    return tuple(
        (True, segment, "") if isinstance(segment, int) else (False, 0, str(segment))
        for segment in field.segments
    )
