"""What differs between two JSON trees, field by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.json import Json, JsonObject
from renderer.model.quantity import Quantity

#: Fields of instance types and preferences that hold quantities, below ``spec``.
_QUANTITIES = frozenset(
    FieldPath.of("spec", *path)
    for path in (
        ("memory", "guest"),
        ("memory", "maxGuest"),
        ("memory", "hugepages", "pageSize"),
        ("requirements", "memory", "guest"),
    )
)
_NAMES = ("name", "deviceName")


class Absent:
    """Stands for a value where there is no field; null is another value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = Absent()


class FieldChange(NamedTuple):
    """``before`` or ``after`` is ``ABSENT`` where the field is only on one side."""

    field: FieldPath
    before: Json | Absent
    after: Json | Absent


def field_changes(before: Json, after: Json, field: FieldPath = ROOT) -> Iterator[FieldChange]:
    """The deepest fields that differ, as they stand in the documents.

    Mappings are compared by key, lists whose elements have names by those, others by index. Quantities are
    compared by what they amount to: 1Gi is 1024Mi.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _keyed(_by_key(before), _by_key(after), field)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _keyed(_by_element(before), _by_element(after), field)
    elif not _is_equal(before, after, field):
        yield FieldChange(field, before, after)


def _keyed(
    before: Mapping[Segment, Json], after: Mapping[Segment, Json], field: FieldPath
) -> Iterator[FieldChange]:
    for key in dict.fromkeys((*before, *after)):
        place = field.child(key)
        if key not in after:
            yield FieldChange(place, before[key], ABSENT)
        elif key not in before:
            yield FieldChange(place, ABSENT, after[key])
        else:
            yield from field_changes(before[key], after[key], place)


def _by_key(mapping: JsonObject) -> dict[Segment, Json]:
    return {key: mapping[key] for key in sorted(mapping)}


def _by_element(elements: Sequence[Json]) -> dict[Segment, Json]:
    named: dict[Segment, Json] = {}
    for element in elements:
        name = _element_name(element)
        if name is None or name in named:
            return dict(enumerate(elements))
        named[name] = element
    return named


def _element_name(element: Json) -> ElementName | None:
    if not isinstance(element, dict):
        return None
    found = ((key, element.get(key)) for key in _NAMES)
    return next((ElementName(key, value) for key, value in found if isinstance(value, str)), None)


def _is_equal(before: Json, after: Json, field: FieldPath) -> bool:
    if field in _QUANTITIES:
        try:
            return Quantity.of(before).compare(Quantity.of(after)) == 0
        except DiagnosticError:
            pass
    return type(before) is type(after) and before == after
