"""Paths such as ``spec.containers.[name=web].image``, and the fields that they lead to.

kustomize ``kyaml/utils/pathsplitter.go``, ``kyaml/yaml/fns.go`` PathGetter, ``match.go`` PathMatcher.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from renderer.kustomize.fields.field_specs import split_path
from renderer.kustomize.values import ABSENT, Absent, Slot, is_bare_text
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import Json, scalar_text
from renderer.model.pattern import pattern
from renderer.model.run.limits import limits
from renderer.model.run.work import spend
from renderer.model.whole_number import whole_number
from renderer.yamlio.scalars import CORE_RULES, NotJsonError, resolve

_INDEX = pattern(r"[+-]?[0-9]{1,18}")
_LAST = "-"
EVERY = "*"
#: Returns the new value of the field at a path; the old one is ``ABSENT`` if the field is being created.
SetSlot: TypeAlias = Callable[[Slot, tuple[Segment, ...]], Json]
_FOLLOWING = "following the paths of replacements"
#: Steps for an element on a path, and the fields that are copied in one step (``model.run.work``).
_STEPS_PER_ELEMENT, _COPIED_PER_STEP = 4, 16


class PathError(Exception):
    """The path cannot be followed in the resource; the message says why."""


def split_field_path(path: str) -> tuple[str, ...]:
    """Return the steps of a dotted path. Brackets protect dots, and are kept if they name a list element.

    Raises ``PathError`` for a path with more steps than the allowed depth of objects.
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
    """Return field and value of ``[field=value]``; an empty field for ``[=value]``. Raises ``PathError``."""
    if not (step.startswith("[") and step.endswith("]")):
        return None
    field, equals, value = step.removesuffix("]").removeprefix("[").partition("=")
    if not equals:
        raise PathError(f"{step} should be [field=value]")
    return field, value


def list_index(step: str) -> int | None:
    """Return the number in ``step``, which may be negative; None if it is not a number."""
    return whole_number(step) if _INDEX.fullmatch(step) else None


def lookup_place(value: Json, steps: tuple[str, ...]) -> tuple[Slot, tuple[Segment, ...]]:
    """Return the value at the end of the path, and its place; of equal elements, the first one.

    kyaml's ``PathGetter`` does the same. Raises ``PathError`` for a step that does not fit the value that it
    is applied to.
    """
    found: Slot = value
    place: list[Segment] = []
    for step in filter(None, map(str.strip, steps)):
        segment = _child_segment(found, step)
        if segment is None:
            return ABSENT, tuple(place)
        place.append(segment)
        found = found[segment]  # type: ignore[index] # the segment is in it
    return found, tuple(place)


def _child_segment(value: Slot, step: str) -> str | int | None:
    """Return the key or index of the child that ``step`` leads to; None if it does not exist."""
    index = list_index(step)
    if index is not None and index < 0:
        raise PathError(f"the index {index} is negative")
    if index is not None or step == _LAST:
        elements = as_list(value, step)
        position = len(elements) - 1 if index is None else index
        return position if 0 <= position < len(elements) else None
    if step == EVERY:
        raise PathError(f"{EVERY} cannot select one of several values")
    named = element_name(step)
    if named is not None:
        elements = as_list(value, step)
        return next((i for i, element in enumerate(elements) if _is_named(element, *named)), None)
    return step if step in as_mapping(value, step) else None


def _is_named(element: Json, field: str, value: str) -> bool:
    if not field:
        return scalar_text(element) == value
    return isinstance(element, dict) and field in element and scalar_text(element[field]) == value


def as_list(value: Slot, step: str) -> list[Json]:
    """Return ``value`` as the list that ``step`` requires; empty for null."""
    if value is None or value is ABSENT:
        return []
    if not isinstance(value, list):
        raise PathError(f"{step} requires a list, and this is {_describe(value)}")
    return value


def as_mapping(value: Slot, step: str) -> dict[str, Json]:
    """Return ``value`` as the mapping that ``step`` requires; empty for null."""
    if value is None or value is ABSENT:
        return {}
    if not isinstance(value, dict):
        raise PathError(f"{step} requires a mapping, and this is {_describe(value)}")
    return value


def _describe(value: Slot) -> str:
    if isinstance(value, dict):
        return "a mapping"
    return "a list" if isinstance(value, list) else "a scalar"


class PathMatcher:
    """The change of every field that a path leads to; ``matches`` counts them.

    If it ``creates``, missing fields are created. ``within`` is called for a scalar in the middle of the
    path, with its place and the remaining steps; it returns the number of fields inside the scalar. These
    fields are not changed. Both ``matches_within`` and ``matches`` count them.
    """

    def __init__(
        self,
        change: SetSlot,
        within: Callable[[Json, tuple[Segment, ...], tuple[str, ...]], int],
        *,
        creates: bool,
    ) -> None:
        self.change = change
        self.creates = creates
        self.within = within
        self.matches = 0
        self.matches_within = 0

    def visit(self, value: Slot, steps: tuple[str, ...], at: tuple[Segment, ...] = ()) -> Json:
        """Return ``value``, which is ``at`` a place, with the fields changed. Raises ``PathError``."""
        if not steps:
            self.matches += 1
            return self.change(value, at)
        step, rest = steps[0], steps[1:]
        index = list_index(step)
        if index is not None and index >= 0:
            return self._at_index(as_list(value, step), index, rest, at)
        named = element_name(step)
        if named is not None:
            return self._at_named(as_list(value, step), named, rest, at)
        if step == EVERY:
            elements = as_list(value, step)
            spend(_STEPS_PER_ELEMENT * len(elements), _FOLLOWING)
            return [self.visit(element, rest, (*at, i)) for i, element in enumerate(elements)]
        return self._at_field(value, step, rest, at)

    def _at_field(self, value: Slot, step: str, rest: tuple[str, ...], at: tuple[Segment, ...]) -> Json:
        mapping = as_mapping(value, step)
        if not step:
            raise PathError("a step of it is empty")
        if step not in mapping and not self.creates:
            return None if isinstance(value, Absent) else value
        if value is None:  # kustomize creates the field next to the null, where it is lost
            self.matches += self.creates
            return None
        child: Slot = mapping.get(step, ABSENT)
        if rest and child is not ABSENT and not isinstance(child, dict | list):
            count = self.within(child, (*at, step), rest)
            self.matches += count
            self.matches_within += count
            return mapping
        spend(_STEPS_PER_ELEMENT + len(mapping) // _COPIED_PER_STEP, _FOLLOWING)
        return {**mapping, step: self.visit(child, rest, (*at, step))}

    def _at_index(
        self, elements: list[Json], index: int, rest: tuple[str, ...], at: tuple[Segment, ...]
    ) -> Json:
        at = (*at, index)
        if index == len(elements) and self.creates:
            return [*elements, self.visit(ABSENT, rest, at)]
        if index >= len(elements):
            raise PathError(f"there is no element {index}: the list has {len(elements)}")
        return [*elements[:index], self.visit(elements[index], rest, at), *elements[index + 1 :]]

    def _at_named(
        self, elements: list[Json], named: tuple[str, str], rest: tuple[str, ...], at: tuple[Segment, ...]
    ) -> Json:
        name, pattern = named
        matches = _compile_pattern(pattern)
        before = self.matches
        spend(_STEPS_PER_ELEMENT * len(elements), _FOLLOWING)
        changed = [
            self._named_element(element, name, matches, rest, (*at, index))
            for index, element in enumerate(elements)
        ]
        if self.matches > before or not self.creates:
            return changed
        if not matches(pattern):
            raise PathError(f"the pattern of [{name}={pattern}] does not match itself")
        if not name:
            return [*elements, self.visit(ABSENT, (), (*at, len(elements)))]
        return [*elements, self.visit({name: resolve_untyped(pattern)}, rest, (*at, len(elements)))]

    def _named_element(
        self,
        element: Json,
        name: str,
        matches: Callable[[str], bool],
        rest: tuple[str, ...],
        at: tuple[Segment, ...],
    ) -> Json:
        if not name:
            return self.visit(element, (), at) if matches(_yaml_text(element)) else element
        if isinstance(element, dict) and name in element and matches(_yaml_text(element[name])):
            return self.visit(element, rest, at)
        return element


def resolve_untyped(text: str) -> Json:
    """Return the value of an untyped text: null if it is empty, an integer if it looks like one.

    Raises ``PathError`` for numbers that JSON does not have.
    """
    try:
        return resolve(text, CORE_RULES).value
    except NotJsonError as error:
        raise PathError(str(error)) from None


def _compile_pattern(pattern: str) -> Callable[[str], bool]:
    from renderer.golang.regexp import RegexpError, compile_regexp  # noqa: PLC0415 - most builds need none

    try:
        return compile_regexp(pattern).is_in
    except RegexpError as error:
        raise PathError(f"{pattern} is not a regular expression: {error}") from None


def _yaml_text(value: Json) -> str:
    """Return the value as written in YAML, with quotes if a text needs them."""
    text = scalar_text(value).strip()
    return f'"{text}"' if isinstance(value, str) and not is_bare_text(text) else text
