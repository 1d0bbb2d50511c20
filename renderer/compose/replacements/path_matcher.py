"""Changing every field that a path leads to (kustomize ``kyaml/yaml/match.go`` PathMatcher)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeAlias

from renderer.compose.absent import ABSENT, Absent, Slot
from renderer.compose.bare_text import is_bare_text
from renderer.compose.replacements.field_path import (
    EVERY,
    PathError,
    as_list,
    as_mapping,
    element_name,
    list_index,
)
from renderer.model.json import Json, scalar_text
from renderer.yamlio.scalars import CORE_RULES, NotJsonError, resolve

#: The new value for what stands in a field; ``ABSENT`` where the field is being made.
Change: TypeAlias = Callable[[Slot], Json]


@dataclass(slots=True)
class PathMatcher:
    """Applies ``change`` along one path and counts the fields that it met.

    Missing ones are made if it ``creates``. ``within`` is given a text in the middle of the path, with the
    steps that are left.
    """

    change: Change
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
    from renderer.compose.selection.go_regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

    try:
        expression = compile_regexp(pattern)
    except RegexpError as error:
        raise PathError(f"{pattern} is no regular expression: {error}") from None
    return lambda text: expression.search(text) is not None


def _shown(value: Json) -> str:
    """The value as YAML has it, with quotes where a text needs them."""
    text = scalar_text(value).strip()
    return f'"{text}"' if isinstance(value, str) and not is_bare_text(text) else text
