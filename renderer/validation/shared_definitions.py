"""Repeated parts of a schema, moved to ``$defs``: a quarter of the size, and faster to compile."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from renderer.model.record import Record
from renderer.validation.kubernetes_formats import Schema

_NUMBER = "$part"
_SMALLEST = 48  # a reference costs about as much as a schema of this length

#: Names of parts that stand for many fields.
_SHAPES: tuple[tuple[Schema, str], ...] = (
    ({"type": "object", "additionalProperties": False}, "empty mapping"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "text map"),
    ({"type": "array", "items": {"type": "string"}}, "texts"),
)

_Path: TypeAlias = tuple[str, ...]


def with_definitions(schema: Schema) -> Schema:
    """The same schema with every part that it repeats in ``$defs``, named after its field or its title."""
    parts = _Parts()
    root = parts.intern(schema, ())
    return parts.assembled(root)


class _Part(Record):
    """A schema in which the subschemas are numbers of parts."""

    schema: Schema
    name: str
    size: int


class _Parts:
    """The parts of one schema, each once, in the order in which they are first met."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[_Part] = []
        self._uses: Counter[int] = Counter()

    def intern(self, schema: Mapping[str, object], path: _Path) -> int:
        """The number of ``schema``, whose subschemas are interned first and replaced by theirs."""
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
    """Keyword, place below it (the name of a property, or nothing) and subschema."""
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
