"""Match the beginnings of a text with a shell pattern (``fluxcd/pkg`` ``envsubst/path/match.go``).

``*`` stands for any text, ``?`` for any character, ``[a-c]`` and ``[^a-c]`` for some characters, and a
backslash takes the next character as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.model.work import spend

#: Characters of a text times those of a pattern: what is more would take long.
_MOST_WORK = 300_000


class _One(NamedTuple):
    """One character that is in any of the ``ranges``, or outside of all."""

    ranges: tuple[tuple[str, str], ...] = ()
    negated: bool = True

    def takes(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


_ANY = _One()
_STAR = None


class _MalformedError(Exception):
    pass


class PatternTooLongError(Exception):
    """The pattern and the text are so long that a match would take too much work."""


def matching_beginnings(text: str, pattern: str) -> Iterator[int]:
    """Yield the lengths of the beginnings of ``text`` that match, shortest first, without the empty one.

    A malformed pattern matches nothing. Raises ``PatternTooLongError``.
    """
    if len(text) * len(pattern) > _MOST_WORK:
        raise PatternTooLongError
    spend(len(text) * len(pattern), "matching patterns of variables")
    try:
        elements = tuple(_elements(pattern))
    except _MalformedError:
        return
    states = _reached(elements, {0})
    for length, character in enumerate(text, start=1):
        states = _reached(elements, _after(elements, states, character))
        if len(elements) in states:
            yield length


def _reached(elements: tuple[_One | None, ...], states: set[int]) -> set[int]:
    """The states and those behind stars, which also match the empty text."""
    reached = set(states)
    for state in sorted(states):
        at = state
        while at < len(elements) and elements[at] is _STAR:
            at += 1
            reached.add(at)
    return reached


def _after(elements: tuple[_One | None, ...], states: set[int], character: str) -> set[int]:
    after: set[int] = set()
    for state in states:
        element = elements[state] if state < len(elements) else _One((), negated=False)
        if element is _STAR:
            after.add(state)
        elif element.takes(character):
            after.add(state + 1)
    return after


def _elements(pattern: str) -> Iterator[_One | None]:
    rest = iter(pattern)
    previous = ""
    for character in rest:
        repeated, previous = character == previous == "*", character
        if repeated:
            continue
        if character == "*":
            yield _STAR
        elif character == "?":
            yield _ANY
        elif character == "[":
            yield _class(rest)
        else:
            literal = _next(rest) if character == "\\" else character
            yield _One(((literal, literal),), negated=False)


def _class(rest: Iterator[str]) -> _One:
    """The characters between ``[`` and ``]``."""
    ranges: list[tuple[str, str]] = []
    character = _next(rest)
    negated = character == "^"
    if negated:
        character = _next(rest)
    while character != "]" or not ranges:
        low = high = _member(character, rest)
        character = _next(rest)
        if character == "-":
            high = _member(_next(rest), rest)
            character = _next(rest)
        ranges.append((low, high))
    return _One(tuple(ranges), negated)


def _member(character: str, rest: Iterator[str]) -> str:
    if character in "-]":
        raise _MalformedError
    return _next(rest) if character == "\\" else character


def _next(rest: Iterator[str]) -> str:
    character = next(rest, None)
    if character is None:
        raise _MalformedError
    return character
