"""Schemas that come with the repository: nobody knows who wrote them, so their work is bounded beforehand."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.json import Json, JsonObject

#: Subschemas that one object may be held against: far more than a CustomResourceDefinition has.
MOST_STEPS = 200_000

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LOCAL = "#"
#: Keywords whose value is no schema and holds none.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})


class UnboundedError(Exception):
    """A schema that cannot be used; the message says why, in the user's words."""


def check_bounded(schema: JsonObject) -> None:
    """Raises ``UnboundedError`` for what leads out of the file, for recursion, and for too much work.

    The work for one object is at most the number of subschemas, those behind a ``$ref`` counted every time:
    few lines can make it grow without end.
    """
    _Steps(schema).of(schema)


class _Steps:
    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._known: dict[int, int] = {}
        self._open: set[int] = set()

    def of(self, value: Json) -> int:
        """How many subschemas there are in ``value``."""
        if not isinstance(value, dict | list):
            return 0
        if id(value) in self._known:
            return self._known[id(value)]
        if id(value) in self._open:
            raise UnboundedError("it refers to itself")
        self._open.add(id(value))
        steps = 1 + sum(self.of(child) for child in self._children(value))
        self._open.remove(id(value))
        if steps > MOST_STEPS:
            raise UnboundedError(f"it comes to more than {MOST_STEPS} parts")
        self._known[id(value)] = steps
        return steps

    def _children(self, value: Json) -> Iterator[Json]:
        if isinstance(value, list):
            yield from value
        elif isinstance(value, dict):
            for key, child in value.items():
                if key in _REFERENCES and isinstance(child, str):
                    yield self._target(child)
                elif key not in _DATA:
                    yield child

    def _target(self, reference: str) -> Json:
        """What a reference within the file leads to."""
        if not reference.startswith(_LOCAL):
            raise UnboundedError(f"its $ref {reference} leads to another file")
        value: Json = self._root
        for part in filter(None, reference.removeprefix(_LOCAL).split("/")):
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                raise UnboundedError(f"its $ref {reference} leads nowhere")
        return value
