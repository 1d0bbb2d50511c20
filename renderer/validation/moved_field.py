"""Where a field belongs that stands in the wrong place: ``spec.volumes`` of a VirtualMachine, say."""

from __future__ import annotations

from collections.abc import Sequence

from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, Json, JsonObject, array_at
from renderer.validation.schema_tree import ELEMENT, KEY, Place, SchemaTree, place_of

_NEAR = 2  # steps from the mapping that holds the field to the one that should
_RARE = 3
_MOST = 3


def right_places(
    field: FieldPath, siblings: JsonObject, tree: SchemaTree, *, anywhere: bool
) -> Sequence[str]:
    """The nearest places for ``field``, which stands among ``siblings``, as people write them.

    ``anywhere``: the only place with the name may be far away.
    """
    place, value = place_of(field), siblings[str(field.segments[-1])]
    named_so = [there for there in tree.places(place[-1]) if KEY not in there and _holds(there, value, tree)]
    only = named_so if anywhere and len(named_so) == 1 else []
    near = only or [there for there in named_so if _is_near(place, there, len(named_so))]
    # Below a mapping that is there already: disk.bus for the bus beside disk.
    candidates = [there for there in near if there[: len(place)] in _below(place, siblings)] or near
    closest = min((_distance(place, there) for there in candidates), default=0)
    found = [there for there in candidates if _distance(place, there) == closest][:_MOST]
    return [_written(there, field, relative=len(found) > 1) for there in found]


def _is_near(place: Place, there: Place, count: int) -> bool:
    """Whether ``there`` may be meant, ``count`` places having the name: the more, the nearer it has to be."""
    is_on_the_way = _shared(place[:-1], there[:-1]) in (len(place) - 1, len(there) - 1)
    return _distance(place, there) <= _NEAR and (is_on_the_way or count <= _RARE)


def _below(place: Place, siblings: JsonObject) -> set[Place]:
    return {(*place[:-1], name) for name in siblings}


def _holds(there: Place, value: Json, tree: SchemaTree) -> bool:
    """Whether a value of that kind, a mapping, a list or neither, can stand ``there``."""
    segments = (0 if name == ELEMENT else name for name in there)
    schema = tree.at(FieldPath(tuple(segments))) or EMPTY
    types = set(array_at(schema, "type") or (schema.get("type"),))
    if isinstance(value, dict):
        return "object" in types
    return "array" in types if isinstance(value, list) else value is None or bool(types - {"object", "array"})


def _distance(place: Place, there: Place) -> int:
    """Steps up and down from the mapping of ``place`` to the mapping of ``there``."""
    return len(place) + len(there) - 2 - 2 * _shared(place[:-1], there[:-1])


def _shared(place: Place, there: Place) -> int:
    pairs = enumerate(zip(place, there, strict=False))
    return next((index for index, (one, other) in pairs if one != other), min(len(place), len(there)))


def _written(there: Place, field: FieldPath, *, relative: bool) -> str:
    """The path, with the indices of ``field`` where the way is the same; ``relative``: without that part."""
    shared = _shared(place_of(field.parent), there[:-1])
    text = (
        "" if relative and shared == len(field.parent.segments) else str(FieldPath(field.segments[:shared]))
    )
    for name in there[shared:]:
        text += name if name == ELEMENT else f".{name}" if text else name
    return text
