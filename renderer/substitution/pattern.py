"""Match the beginnings of a text with a shell pattern (``fluxcd/pkg`` ``envsubst/path/match.go``).

``*`` stands for any text, ``?`` for any character, ``[a-c]`` and ``[^a-c]`` for some characters, and a
backslash takes the next character as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.model.glob import ANY_CHARACTER, STAR, Element, go_pattern
from renderer.model.work import spend

#: Characters of a text times those of a pattern: what is more would take long.
_MOST_WORK = 300_000


class PatternTooLongError(Exception):
    """The pattern and the text are so long that a match would take too much work."""


def matching_beginnings(text: str, pattern: str) -> Iterator[int]:
    """Yield the lengths of the beginnings of ``text`` that match, shortest first, without the empty one.

    A malformed pattern matches nothing. Raises ``PatternTooLongError``.
    """
    if len(text) * len(pattern) > _MOST_WORK:
        raise PatternTooLongError
    spend(len(text) * len(pattern), "matching patterns of variables")
    elements = go_pattern(pattern, ANY_CHARACTER)
    if elements is None:
        return
    states = _reached(elements, {0})
    for length, character in enumerate(text, start=1):
        states = _reached(elements, _after(elements, states, character))
        if len(elements) in states:
            yield length


def _reached(elements: tuple[Element, ...], states: set[int]) -> set[int]:
    """The states and those behind stars, which also match the empty text."""
    reached = set(states)
    for state in sorted(states):
        at = state
        while at < len(elements) and elements[at] is STAR:
            at += 1
            reached.add(at)
    return reached


def _after(elements: tuple[Element, ...], states: set[int], character: str) -> set[int]:
    after: set[int] = set()
    for state in states:
        if state == len(elements):
            continue
        element = elements[state]
        if element is STAR:
            after.add(state)
        elif element.has(character):
            after.add(state + 1)
    return after
