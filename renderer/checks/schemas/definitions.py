"""Move the repeated parts of a schema into its ``$defs``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping

from renderer.checks.schemas.kubernetes_formats import Schema
from renderer.model.record import Record

_NUMBER = "$part"
_SMALLEST = 48  # a reference costs about as much as a schema of this length

#: Names of parts that are used for many fields.
_SHAPES: tuple[tuple[Schema, str], ...] = (
    ({"type": "object", "additionalProperties": False}, "empty mapping"),
    ({"type": "object", "additionalProperties": {"type": "string"}}, "text map"),
    ({"type": "array", "items": {"type": "string"}}, "texts"),
)


def with_definitions(schema: Schema) -> Schema:
    """Return the same schema with every repeated part in ``$defs``, named after its field or its title."""
    parts = _Parts()
    root = parts.intern(schema, ())
    return parts.assembled(root)


class _Part(Record):
    """A schema whose subschemas are the numbers of parts."""

    schema: Schema
    name: str
    size: int


class _Parts:
    """The distinct parts of one schema, in the order of their first occurrence."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._parts: list[_Part] = []
        self._uses: Counter[int] = Counter()

    def intern(self, schema: Mapping[str, object], path: tuple[str, ...]) -> int:
        """Return the number of ``schema``, after interning its subschemas and replacing them by numbers."""
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
            self._parts.append(_Part(part, _definition_name(schema, path), size))
            self._uses.update(children)
        return self._numbers[text]

    def assembled(self, root: int) -> Schema:
        names = self._unique_names(root)
        definitions = {name: self._expanded(number, names) for number, name in names.items()}
        return {**self._expanded(root, names), "$defs": dict(sorted(definitions.items()))}

    def _unique_names(self, root: int) -> dict[int, str]:
        uses: Counter[str] = Counter()
        names: dict[int, str] = {}
        for number, part in enumerate(self._parts):
            if number != root and self._uses[number] > 1 and part.size >= _SMALLEST:
                uses[part.name] += 1
                names[number] = part.name if uses[part.name] == 1 else f"{part.name}-{uses[part.name]}"
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


def _definition_name(schema: Mapping[str, object], path: tuple[str, ...]) -> str:
    """Return the title of a schema, or the name of its shape or field, in camel case."""
    shape = next((name for shape, name in _SHAPES if shape == schema), None)
    title = str(schema.get("title") or shape or (path[-1] if path else ""))
    first, *others = title.split() or ["part"]
    return first + "".join(word.capitalize() for word in others)


def subschemas(schema: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    """Yield keyword, place below it (the name of a property, or nothing) and subschema."""
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
