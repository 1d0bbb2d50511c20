"""Convert violations of a schema to findings in the user's words: one for each problem."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from renderer.checks.schemas.finding import SchemaFinding, SchemaTarget
from renderer.checks.schemas.kind_schema import Violation
from renderer.checks.schemas.unknown_field import likely_sibling, misnamed_field, unknown_field
from renderer.checks.schemas.wrong_value import empty_value, missing_field, wrong_value
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, JsonObject, array_at, object_at
from renderer.model.run.work import spend

_ABOUT_FIELDS = ("additionalProperties", "required")
#: The keywords whose violations say most about a value, the most informative first.
_INFORMATIVE = {"type": 0, "pattern": 1}
_MOST = 100
#: Steps for finding a field in a schema (``model.run.work``).
_LOOKING = 16


def findings(violations: Iterable[Violation], target: SchemaTarget) -> Sequence[SchemaFinding]:
    """Return one finding for each of the first hundred fields in order, and one for all others."""
    violations = tuple(violations)
    unknown, missing = _unknown_fields(violations), _missing_fields(violations)
    wrong = {violation.place: violation for violation in _value_violations(violations)}
    fields = sorted(unknown.keys() | missing | wrong.keys(), key=_path_order)
    shown, others = fields[:_MOST], fields[_MOST:]
    misspelled: set[FieldPath] = set()
    if missing:  # an unknown field that is nearly a missing one is one problem, not two
        for field in shown:
            sibling = likely_sibling(field, target) if field in unknown else None
            if sibling:
                misspelled.add(field.parent.child(sibling))
    other_names = _misnamed_fields(unknown, missing - misspelled, target)
    misspelled |= set(other_names.values()) | _indented_too_little(unknown, wrong, target)

    refused = [each for each in fields if each in wrong and not _is_dropped(wrong[each])]

    def finding(field: FieldPath) -> SchemaFinding | None:
        if field in other_names:
            return misnamed_field(field, other_names[field], target)
        if field in unknown:
            return unknown_field(field, unknown[field], target)
        if field in wrong and wrong[field].value is None:
            return empty_value(wrong[field], target, refused=refused)
        if field in wrong:
            return wrong_value(wrong[field], target)
        return missing_field(field, target)

    found = filter(None, [finding(field) for field in shown if field not in misspelled])
    return [*found, *(SchemaFinding(field, f"{len(others)} more fields are wrong") for field in others[:1])]


def _misnamed_fields(
    unknown: Mapping[FieldPath, JsonObject], missing: AbstractSet[FieldPath], target: SchemaTarget
) -> Mapping[FieldPath, FieldPath]:
    """Return the missing field by the unknown scalar that replaces it: the only unknown field next to it."""
    found: dict[FieldPath, FieldPath] = {}
    by_mapping = _grouped_by_parent(unknown)
    for field in missing:
        siblings = by_mapping.get(field.parent, [])
        if len(siblings) != 1:
            continue
        sibling = siblings[0]
        value = unknown[sibling].get(str(sibling.segments[-1]))
        types = object_at(target.schema.tree.at(field) or EMPTY).get("type")
        accepted = types if isinstance(types, list) else [types]
        if (isinstance(value, str) and "string" in accepted) or (
            type(value) is int and "integer" in accepted
        ):
            found[sibling] = field
    return found if len(found) == len(set(found.values())) else {}


def _indented_too_little(
    unknown: Mapping[FieldPath, JsonObject], wrong: Mapping[FieldPath, Violation], target: SchemaTarget
) -> AbstractSet[FieldPath]:
    """Return the empty fields whose content is next to them: ``image`` below ``containerDisk:``."""
    by_mapping = _grouped_by_parent(unknown)
    empty = [field for field, violation in wrong.items() if violation.value is None]
    spend(sum(_LOOKING * len(by_mapping.get(field.parent, ())) for field in empty), "looking for indentation")
    return {
        field
        for field in empty
        for other in by_mapping.get(field.parent, ())
        if target.schema.tree.at(field.child(other.segments[-1])) is not None
    }


def _grouped_by_parent(fields: Iterable[FieldPath]) -> Mapping[FieldPath, list[FieldPath]]:
    """Sort fields by the mapping that they are in."""
    found: dict[FieldPath, list[FieldPath]] = {}
    for field in fields:
        found.setdefault(field.parent, []).append(field)
    return found


def _unknown_fields(violations: Iterable[Violation]) -> dict[FieldPath, JsonObject]:
    """Return the unknown fields, each with the mapping that it is in."""
    return {
        violation.field.child(name): violation.value
        for violation in violations
        if violation.keyword == "additionalProperties" and isinstance(violation.value, dict)
        for name in violation.value.keys() - object_at(violation.schema, "properties").keys()
    }


def _missing_fields(violations: Iterable[Violation]) -> set[FieldPath]:
    return {
        violation.field.child(str(name))
        for violation in violations
        if violation.keyword == "required" and isinstance(violation.value, dict)
        for name in array_at(violation.expected)
        if name not in violation.value
    }


def _value_violations(violations: Sequence[Violation]) -> Iterable[Violation]:
    """Return the most informative violation of each value, in the order of ``_INFORMATIVE``."""
    first: dict[FieldPath, Violation] = {}
    last = len(_INFORMATIVE)
    for violation in sorted(violations, key=lambda violation: _INFORMATIVE.get(violation.keyword, last)):
        if violation.keyword not in _ABOUT_FIELDS:
            first.setdefault(violation.place, violation)
    return first.values()


def _is_dropped(violation: Violation) -> bool:
    """Return True for a null that the API server drops, so that webhooks do not see it."""
    segments = violation.field.segments
    return violation.value is None and bool(segments) and isinstance(segments[-1], str)


def _path_order(field: FieldPath) -> tuple[tuple[bool, int, str], ...]:
    """Return the sort key of a field: indices are numbers, and come after keys."""
    return tuple(
        (True, segment, "") if isinstance(segment, int) else (False, 0, str(segment))
        for segment in field.segments
    )
