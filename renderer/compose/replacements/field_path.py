"""Paths such as ``spec.containers.[name=web].image`` (kustomize ``kyaml/utils/pathsplitter.go``)."""

from __future__ import annotations

import re

from renderer.compose.absent import ABSENT, Slot
from renderer.compose.fields.field_specs import split_path
from renderer.model.json import Json, scalar_text
from renderer.model.limits import limits

_INDEX = re.compile(r"[+-]?[0-9]{1,18}")
_LAST = "-"
EVERY = "*"


class PathError(Exception):
    """The path cannot be followed in the resource; says why."""


def split_field_path(path: str) -> tuple[str, ...]:
    """The steps of a dotted path. Brackets keep dots together, and stay when they name a list element.

    Raises ``PathError`` for more of them than objects have levels.
    """
    if path.count(".") > limits().nesting:
        raise PathError(f"the path has more than {limits().nesting} steps")
    steps: list[str] = []
    parts = iter(split_path(path, "."))
    for part in parts:
        if not part.startswith("[") or part.endswith("]"):
            steps.append(part)
            continue
        bracketed = [part]
        for rest in parts:
            bracketed.append(rest)
            if rest.endswith("]"):
                break
        joined = ".".join(bracketed)
        steps.append(joined if "=" in joined else joined.strip("[]"))
    return tuple(steps)


def element_name(step: str) -> tuple[str, str] | None:
    """Field and value of ``[field=value]``; an empty field for ``[=value]``. Raises ``PathError``."""
    if not (step.startswith("[") and step.endswith("]")):
        return None
    field, equals, value = step.removesuffix("]").removeprefix("[").partition("=")
    if not equals:
        raise PathError(f"{step} should be [field=value]")
    return field, value


def list_index(step: str) -> int | None:
    """The number that ``step`` is, below 0 too; None when it is none."""
    return int(step) if _INDEX.fullmatch(step) else None


def lookup(value: Json, steps: tuple[str, ...]) -> Slot:
    """What stands at the end of the path, the first of equal elements (``kyaml/yaml/fns.go`` PathGetter).

    Raises ``PathError`` where a step does not fit what it meets.
    """
    found: Slot = value
    for step in filter(None, map(str.strip, steps)):
        found = _step(found, step)
        if found is ABSENT:
            return ABSENT
    return found


def _step(value: Slot, step: str) -> Slot:
    index = list_index(step)
    if index is not None and index < 0:
        raise PathError(f"the index {index} is negative")
    if index is not None or step == _LAST:
        elements = as_list(value, step)
        position = len(elements) - 1 if index is None else index
        return elements[position] if 0 <= position < len(elements) else ABSENT
    if step == EVERY:
        raise PathError(f"{EVERY} cannot say which of several values is meant")
    named = element_name(step)
    if named is not None:
        return next((element for element in as_list(value, step) if _is_named(element, *named)), ABSENT)
    return as_mapping(value, step).get(step, ABSENT)


def _is_named(element: Json, field: str, value: str) -> bool:
    if not field:
        return scalar_text(element) == value
    return isinstance(element, dict) and field in element and scalar_text(element[field]) == value


def as_list(value: Slot, step: str) -> list[Json]:
    """``value``, which ``step`` takes for a list; empty for null."""
    if value is None or value is ABSENT:
        return []
    if not isinstance(value, list):
        raise PathError(f"{step} is for lists, and this is {_described(value)}")
    return value


def as_mapping(value: Slot, step: str) -> dict[str, Json]:
    """``value``, which ``step`` takes for a mapping; empty for null."""
    if value is None or value is ABSENT:
        return {}
    if not isinstance(value, dict):
        raise PathError(f"{step} is looked for in {_described(value)}")
    return value


def _described(value: Slot) -> str:
    return (
        "a mapping" if isinstance(value, dict) else "a list" if isinstance(value, list) else "a single value"
    )
