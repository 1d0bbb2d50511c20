"""Schemas that come with the repository: nobody knows who wrote them, so their work is bounded beforehand."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.json import Json, JsonObject
from renderer.model.record import Record

#: Subschemas that one object may be held against: far more than a CustomResourceDefinition has.
MOST_STEPS = 200_000
#: Levels of nesting, those behind references counted: what follows them calls itself for each.
MOST_LEVELS = 200

_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LOCAL = "#"
#: Keywords whose value is no schema and holds none.
_DATA = frozenset({"const", "default", "enum", "example", "examples"})
#: Keywords with schemas that judge the same value, each of which is told when it fails.
_CHOICES = frozenset({"allOf", "anyOf", "dependencies", "dependentSchemas", "oneOf", "patternProperties"})
#: Keywords with names, each of which is told when it is missing.
_NAMES = frozenset({"dependencies", "dependentRequired", "required"})


class UnboundedError(Exception):
    """A schema that cannot be used; the message says why, in the user's words."""


class Extent(Record):
    """How large a schema is, what is behind its references counted every time.

    ``choices`` are those of its ``steps`` that may fail for one value, and the names that may be missing.
    """

    steps: int = 0
    levels: int = 0
    choices: int = 0


def check_bounded(schema: JsonObject) -> Extent:
    """Raises ``UnboundedError`` for what leads out of the file, for recursion, and for too much work.

    The work for one object is at most the number of subschemas, those behind a ``$ref`` counted every time:
    few lines can make it grow without end.
    """
    return _Extents(schema).of(schema)


class _Extents:
    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._known: dict[int, Extent] = {}
        self._open: set[int] = set()

    def of(self, value: Json) -> Extent:
        """That of ``value`` and all that is in it."""
        if not isinstance(value, dict | list):
            return Extent()
        if id(value) in self._known:
            return self._known[id(value)]
        if id(value) in self._open:
            raise UnboundedError("it refers to itself")
        if len(self._open) > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._open.add(id(value))
        steps, levels, choices = 1, 1, 0
        for key, child in self._children(value):
            within = self.of(child)
            steps += within.steps
            levels = max(levels, within.levels + 1)
            choices += within.steps if key in _CHOICES else within.choices
            choices += _names(child) if key in _NAMES else 0
        self._open.remove(id(value))
        if steps > MOST_STEPS:
            raise UnboundedError(f"it comes to more than {MOST_STEPS} parts")
        if levels > MOST_LEVELS:
            raise UnboundedError(f"it has more than {MOST_LEVELS} levels")
        self._known[id(value)] = Extent(steps, levels, choices)
        return self._known[id(value)]

    def _children(self, value: Json) -> Iterator[tuple[str, Json]]:
        if isinstance(value, list):
            yield from (("", child) for child in value)
        elif isinstance(value, dict):
            for key, child in value.items():
                if key in _REFERENCES and isinstance(child, str):
                    yield key, self._target(child)
                elif key not in _DATA:
                    yield key, child

    def _target(self, reference: str) -> Json:
        """What a reference within the file leads to."""
        if not reference.startswith(_LOCAL):
            raise UnboundedError(f"its $ref {reference} leads to another file")
        value: Json = self._root
        for part in reference.removeprefix(_LOCAL).split("/")[1:]:
            name = part.replace("~1", "/").replace("~0", "~")
            if isinstance(value, dict) and name in value:
                value = value[name]
            elif isinstance(value, list) and name.isdecimal() and int(name) < len(value):
                value = value[int(name)]
            else:
                raise UnboundedError(f"its $ref {reference} leads nowhere")
        return value


def _names(value: Json) -> int:
    """How many names there are in a list, or in all lists of a mapping."""
    lists = value.values() if isinstance(value, dict) else (value,)
    return sum(len(each) for each in lists if isinstance(each, list))
