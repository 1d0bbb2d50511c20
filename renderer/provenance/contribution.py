"""Which fields of an instance type or preference decide on a value: those without which it is another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.model.difference import NoValue, Value
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, without
from renderer.provenance.paths import value_at

#: The value in question, when a spec says this.
Outcome = Callable[[JsonObject], Value]


def contributing(spec: JsonObject, outcome: Outcome, target: FieldPath) -> tuple[FieldPath, ...]:
    """The fields of ``spec`` that decide on the ``outcome`` at ``target``, each as deep as it can be told.

    What holds the very value comes first. Only the deepest section where no single field decides; nothing
    where none does.
    """
    value = outcome(spec)
    decisive = tuple(path for path in _fields(spec) if outcome(without(spec, *path)) != value)
    if not decisive:
        sections = sorted(_sections(spec), key=len, reverse=True)
        section = next((path for path in sections if outcome(without(spec, *path)) != value), None)
        decisive = () if section is None else (section,)
    fields = (_deeper(spec, FieldPath(path), value, target) for path in decisive)
    return tuple(sorted(fields, key=lambda field: value_at(spec, field) != value))


def _fields(value: Json, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Everything that is no mapping, or an empty one."""
    if isinstance(value, dict) and value:
        for key, child in value.items():
            yield from _fields(child, (*at, key))
    elif at:
        yield at


def _sections(value: JsonObject, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, child in value.items():
        if isinstance(child, dict) and child:
            yield (*at, key)
            yield from _sections(child, (*at, key))


def _deeper(spec: JsonObject, field: FieldPath, value: Value, target: FieldPath) -> FieldPath:
    """The field below ``field`` that holds the value under the same name as ``target`` does, if there is one.

    What is copied as a whole, such as a list of devices, is the same below.
    """
    for start in range(1, len(target.segments)):
        deeper = field.child(*target.segments[start:])
        found = value_at(spec, deeper)
        if found is not NoValue.ABSENT and found == value:
            return deeper
    return field
