"""Makes two JSON trees comparable: what is equal is left out, and list elements stand by their names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.quantity import Quantity

#: The fields that name the elements of a list in Kubernetes objects; the first that names them all counts.
_NAMES = (
    ("name",),
    ("metadata", "name"),
    ("deviceName",),
    ("mountPath",),
    ("containerPort",),
    ("port",),
    ("uid",),
)

#: Fields whose value is a quantity. ``cpu.guest`` of an instance type is a number, which is one as well.
_QUANTITIES = frozenset(
    {
        "capacity",  # of an emptyDisk
        "divisor",
        "guest",
        "maxGuest",
        "memoryRequest",
        "pageSize",
        "reservedOverhead",
        "sizeLimit",
    }
)
#: Fields whose mapping holds quantities by resource name.
_QUANTITY_MAPS = frozenset(
    {
        "capacity",
        "default",  # these of a LimitRange
        "defaultRequest",
        "hard",
        "limits",
        "max",
        "maxLimitRequestRatio",
        "min",
        "overhead",
        "requests",
    }
)


#: A JSON tree in which lists of named elements are mappings by ``ElementName``.
Aligned: TypeAlias = "Json | Mapping[Segment, Aligned]"


class Reordered(NamedTuple):
    """A list whose elements come in another order: their names on both sides."""

    field: FieldPath
    before: tuple[str, ...]
    after: tuple[str, ...]


class Alignment:
    """Collects the lists that are reordered while it aligns."""

    def __init__(self) -> None:
        self.reordered: list[Reordered] = []

    def align(self, before: Json, after: Json, field: FieldPath = ROOT) -> tuple[Aligned, Aligned]:
        """What differs of the two: equal trees become two empty mappings, null is as good as nothing."""
        if isinstance(before, dict) and isinstance(after, dict):
            return self._align_items(_present(before), _present(after), field)
        if isinstance(before, list) and isinstance(after, list):
            names = _element_names(before, after)
            if names is not None:
                return self._align_elements(*names, field)
        return before, after

    def _align_elements(
        self, before: Mapping[Segment, Json], after: Mapping[Segment, Json], field: FieldPath
    ) -> tuple[Aligned, Aligned]:
        common = [key for key in before if key in after], [key for key in after if key in before]
        if common[0] != common[1]:
            self.reordered.append(Reordered(field, *(tuple(map(_name, keys)) for keys in common)))
        return self._align_items(before, after, field)

    def _align_items(
        self, before: Mapping[Segment, Json], after: Mapping[Segment, Json], field: FieldPath
    ) -> tuple[Aligned, Aligned]:
        old: dict[Segment, Aligned] = {}
        new: dict[Segment, Aligned] = {}
        _add_missing(before, after, old, new)
        _add_missing(after, before, new, old)
        parent = field.segments[-1] if field.segments else ""
        for key in before.keys() & after.keys():
            one, other = before[key], after[key]
            if is_equal(one, other) or is_same_amount(one, other, key, parent):
                continue
            aligned = self.align(one, other, field.child(key))
            if aligned != ({}, {}):
                old[key], new[key] = aligned
        return old, new


def _add_missing(
    side: Mapping[Segment, Json],
    other: Mapping[Segment, Json],
    aligned: dict[Segment, Aligned],
    aligned_other: dict[Segment, Aligned],
) -> None:
    """Adds what only one side has; a list of named elements is as if it were there, and empty."""
    for key in side.keys() - other.keys():
        value = side[key]
        elements = _element_names(value, ()) if isinstance(value, list) and value else None
        aligned[key] = value if elements is None else elements[0]
        if elements is not None:
            aligned_other[key] = {}


def is_same(before: JsonObject, after: JsonObject) -> bool:
    """As ``is_equal``, and fast for large objects that are most often equal."""
    if before != after:
        return False
    return json.dumps(before) == json.dumps(after) or is_equal(before, after)  # for Python, 1 is true


def is_equal(before: Json, after: Json) -> bool:
    """Equal as JSON: 1 is 1.0, but not true."""
    if isinstance(before, dict) and isinstance(after, dict):
        return before.keys() == after.keys() and all(is_equal(before[key], after[key]) for key in before)
    if isinstance(before, list) and isinstance(after, list):
        return len(before) == len(after) and all(map(is_equal, before, after))
    return before == after and isinstance(before, bool) is isinstance(after, bool)


def _present(mapping: Mapping[str, Json]) -> Mapping[Segment, Json]:
    return {key: value for key, value in mapping.items() if value is not None}


def _element_names(
    before: Sequence[Json], after: Sequence[Json]
) -> tuple[Mapping[Segment, Json], Mapping[Segment, Json]] | None:
    """Both lists by the names of their elements; None when these have none, or not one each."""
    for way in _NAMES:
        old, new = _by_name(before, way), _by_name(after, way)
        if old is not None and new is not None:
            return old, new
    return None


def _by_name(elements: Sequence[Json], way: tuple[str, ...]) -> Mapping[Segment, Json] | None:
    named: dict[Segment, Json] = {}
    for element in elements:
        name = object_at(element, *way[:-1]).get(way[-1])
        if isinstance(name, bool) or not isinstance(name, str | int):
            return None
        named[ElementName(".".join(way), str(name))] = element
    return named if len(named) == len(elements) else None


def _name(key: Segment) -> str:
    return key.value if isinstance(key, ElementName) else str(key)


def is_same_amount(before: Json, after: Json, field: Segment, parent: Segment) -> bool:
    """Tell whether values of ``field`` in ``parent`` are equal quantities: ``1Gi`` and ``1024Mi``."""
    if field not in _QUANTITIES and parent not in _QUANTITY_MAPS:
        return False
    if before is None or after is None:
        return False
    try:
        return Quantity.of(before).compare(Quantity.of(after)) == 0
    except DiagnosticError:
        return False
