"""Questions to a schema about its fields: what may stand at a path, and where a field of some name is."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import EMPTY, JsonObject, object_at, text_at

#: The names of the fields on the way to one; ``[]`` stands for any element of a list, ``{}`` for any key.
Place: TypeAlias = tuple[str, ...]

ELEMENT = "[]"
KEY = "{}"


class SchemaTree:
    """A schema with its ``$ref`` followed. Read-only; what is found is remembered."""

    def __init__(self, document: JsonObject) -> None:
        self._document = document

    def at(self, field: FieldPath) -> JsonObject | None:
        """The schema of ``field``, None when there is no such field."""
        *_, last = self.along(field)
        return last

    def along(self, field: FieldPath) -> Iterator[JsonObject | None]:
        """The schemas on the way to ``field``, its own the last; None from where there is none."""
        schema: JsonObject | None = self._document
        yield schema
        for segment in field.segments:
            schema = None if schema is None else self._child(schema, segment)
            yield schema

    def places(self, name: str) -> tuple[Place, ...]:
        """Where in the schema there is a field called ``name``, what lies below ``status`` left out."""
        return self._places_by_name.get(name, ())

    @property
    def all_places(self) -> Iterator[Place]:
        """Where there is any field, what lies below ``status`` left out."""
        return (place for places in self._places_by_name.values() for place in places)

    def _child(self, schema: JsonObject, segment: Segment) -> JsonObject | None:
        children = dict(self._children(schema))
        return (
            children.get(ELEMENT)
            if isinstance(segment, int)
            else children.get(str(segment), children.get(KEY))
        )

    @cached_property
    def _places_by_name(self) -> dict[str, tuple[Place, ...]]:
        found: dict[str, tuple[Place, ...]] = {}
        for place in self._walk(self._document, ()):
            found[place[-1]] = (*found.get(place[-1], ()), place)
        return found

    def _walk(self, schema: JsonObject, place: Place) -> Iterator[Place]:
        for name, child in self._children(schema):
            below = (*place, name)
            if below == ("status",):
                continue
            yield below
            yield from self._walk(child, below)

    def _children(self, schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
        for name, child in object_at(schema, "properties").items():
            yield name, self._resolved(child if isinstance(child, dict) else EMPTY)
        for keyword, place in (("items", ELEMENT), ("additionalProperties", KEY)):
            child = schema.get(keyword)
            if isinstance(child, dict):
                yield place, self._resolved(child)

    def _resolved(self, schema: JsonObject) -> JsonObject:
        name = text_at(schema, "$ref").removeprefix("#/$defs/")
        return object_at(self._document, "$defs", name) if name else schema


def place_of(field: FieldPath) -> Place:
    """Where ``field`` is, whatever the element of the lists on the way."""
    return tuple(ELEMENT if isinstance(segment, int) else str(segment) for segment in field.segments)
