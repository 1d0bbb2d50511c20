"""Paths such as ``spec.containers.[name=web].image``, and the fields that they lead to.

kustomize ``kyaml/utils/pathsplitter.go``, ``kyaml/yaml/fns.go`` (PathGetter), ``kyaml/yaml/match.go`` (PathMatcher).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from renderer.compose.fields.field_specs import split_path
from renderer.compose.values import ABSENT, Absent, Slot, is_bare_text
from renderer.model.json import Json, scalar_text
from renderer.model.limits import limits
from renderer.yamlio.scalars import CORE_RULES, NotJsonError, resolve

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


#: The new value for what stands in a field; ``ABSENT`` where the field is being made.
SetSlot: TypeAlias = Callable[[Slot], Json]


@dataclass(slots=True)
class PathMatcher:
    """Applies ``change`` along one path and counts the fields that it met.

    Missing ones are made if it ``creates``. ``within`` is given a text in the middle of the path, with the
    steps that are left.
    """

    change: SetSlot
    creates: bool
    within: Callable[[Json, tuple[str, ...]], int]
    matches: int = field(default=0, init=False)

    def visit(self, value: Slot, steps: tuple[str, ...]) -> Json:
        """``value`` with the fields changed. Raises ``PathError``."""
        if not steps:
            self.matches += 1
            return self.change(value)
        step, rest = steps[0], steps[1:]
        index = list_index(step)
        if index is not None and index >= 0:
            return self._at_index(as_list(value, step), index, rest)
        named = element_name(step)
        if named is not None:
            return self._at_named(as_list(value, step), named, rest)
        if step == EVERY:
            return [self.visit(element, rest) for element in as_list(value, step)]
        return self._at_field(value, step, rest)

    def _at_field(self, value: Slot, step: str, rest: tuple[str, ...]) -> Json:
        mapping = as_mapping(value, step)
        if not step:
            raise PathError("a field in it has no name")
        if step not in mapping and not self.creates:
            return None if isinstance(value, Absent) else value
        if value is None:  # kustomize makes the field beside the null, where it is never seen again
            self.matches += self.creates
            return None
        child: Slot = mapping.get(step, ABSENT)
        if rest and child is not ABSENT and not isinstance(child, dict | list):
            self.matches += self.within(child, rest)
            return mapping
        return {**mapping, step: self.visit(child, rest)}

    def _at_index(self, elements: list[Json], index: int, rest: tuple[str, ...]) -> Json:
        if index == len(elements) and self.creates:
            return [*elements, self.visit(ABSENT, rest)]
        if index >= len(elements):
            raise PathError(f"there is no element {index}, only {len(elements)} of them")
        return [*elements[:index], self.visit(elements[index], rest), *elements[index + 1 :]]

    def _at_named(self, elements: list[Json], named: tuple[str, str], rest: tuple[str, ...]) -> Json:
        name, pattern = named
        matches = _matcher(pattern)
        before = self.matches
        changed = [self._named_element(element, name, matches, rest) for element in elements]
        if self.matches > before or not self.creates:
            return changed
        if not matches(pattern):
            raise PathError(f"[{name}={pattern}] does not match what it says itself")
        if not name:
            return [*elements, self.visit(ABSENT, ())]
        return [*elements, self.visit({name: untagged(pattern)}, rest)]

    def _named_element(
        self, element: Json, name: str, matches: Callable[[str], bool], rest: tuple[str, ...]
    ) -> Json:
        if not name:
            return self.visit(element, ()) if matches(_shown(element)) else element
        if isinstance(element, dict) and name in element and matches(_shown(element[name])):
            return self.visit(element, rest)
        return element


def untagged(text: str) -> Json:
    """The value of a text that nothing says the type of, so that it is an integer if it looks like one.

    Raises ``PathError`` for numbers that JSON does not have.
    """
    try:
        return resolve(text, CORE_RULES).value if text else ""
    except NotJsonError as error:
        raise PathError(str(error)) from None


def _matcher(pattern: str) -> Callable[[str], bool]:
    from renderer.compose.go_regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

    try:
        expression = compile_regexp(pattern)
    except RegexpError as error:
        raise PathError(f"{pattern} is no regular expression: {error}") from None
    return lambda text: expression.search(text) is not None


def _shown(value: Json) -> str:
    """The value as YAML has it, with quotes where a text needs them."""
    text = scalar_text(value).strip()
    return f'"{text}"' if isinstance(value, str) and not is_bare_text(text) else text
