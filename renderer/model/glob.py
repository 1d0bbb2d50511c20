"""Patterns of names with ``*``, ``?`` and ``[classes]``, matched without going back over the text.

Python translates such patterns to regular expressions, whose running time a pattern can choose. Here it is at
most the length of the pattern times that of the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from renderer.model.record import Record


class _Characters(Record):
    """One character: any that is in one of ``ranges``, or in none of them if ``negated``."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def has(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) is not self.negated


_STAR = None
_NONE = _Characters(())
_ANY = _Characters((), negated=True)
_BUT_SLASH = _Characters((("/", "/"),), negated=True)


def file_name_match(pattern: str, name: str) -> bool:
    """Return True if a shell's pattern matches the whole of ``name`` (Python's ``fnmatch.fnmatchcase``).

    A bracket that nothing closes is a character like others; there are no escapes.
    """
    return _match(_shell_elements(pattern), name, star=_ANY)


def file_path_match(pattern: str, name: str) -> bool:
    """Return True if Go's ``filepath.Match`` does; a malformed pattern matches nothing.

    ``*`` and ``?`` stop at slashes, and a backslash takes the next character as it is.
    """
    elements = _go_elements(pattern)
    return elements is not None and _match(elements, name, star=_BUT_SLASH)


def _match(elements: Sequence[_Characters | None], name: str, *, star: _Characters) -> bool:
    """Match greedily: only the last star ever takes more, as what is before it has matched."""
    at = index = star_at = 0
    star_index = -1
    while at < len(name):
        wanted = elements[index] if index < len(elements) else _NONE
        if wanted is _STAR:
            star_index, star_at = index, at
            index += 1
        elif wanted.has(name[at]):
            at += 1
            index += 1
        elif star_index >= 0 and star.has(name[star_at]):
            star_at += 1
            at, index = star_at, star_index + 1
        else:
            return False
    return all(rest is _STAR for rest in elements[index:])


@lru_cache(maxsize=64)
def _shell_elements(pattern: str) -> tuple[_Characters | None, ...]:
    elements: list[_Characters | None] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        first = at + pattern.startswith("!", at)
        end = pattern.find("]", first + 1) if character == "[" else -1
        if end < 0:
            elements.append(_element(character, _ANY))
        else:
            elements.append(_Characters(_shell_ranges(pattern[first:end]), negated=first > at))
            at = end + 1
    return tuple(elements)


def _shell_ranges(text: str) -> tuple[tuple[str, str], ...]:
    ranges, at = [], 0
    while at < len(text):
        is_range = text[at + 1 : at + 2] == "-" and at + 2 < len(text)
        ranges.append((text[at], text[at + 2] if is_range else text[at]))
        at += 3 if is_range else 1
    return tuple(ranges)


@lru_cache(maxsize=64)
def _go_elements(pattern: str) -> tuple[_Characters | None, ...] | None:
    elements: list[_Characters | None] = []
    rest = iter(pattern)
    try:
        for character in rest:
            if character == "[":
                elements.append(_go_class(rest))
            elif character == "\\":
                literal = next(rest)
                elements.append(_Characters(((literal, literal),)))
            else:
                elements.append(_element(character, _BUT_SLASH))
    except (StopIteration, ValueError):
        return None
    return tuple(elements)


def _go_class(rest: Iterator[str]) -> _Characters:
    """Read the characters up to ``]``. Raises ``ValueError`` or ``StopIteration`` for a malformed class."""
    ranges: list[tuple[str, str]] = []
    character = next(rest)
    negated = character == "^"
    if negated:
        character = next(rest)
    while character != "]" or not ranges:
        low = high = _go_member(character, rest)
        character = next(rest)
        if character == "-":
            high = _go_member(next(rest), rest)
            character = next(rest)
        ranges.append((low, high))
    return _Characters(tuple(ranges), negated=negated)


def _go_member(character: str, rest: Iterator[str]) -> str:
    if character in "-]":
        raise ValueError(character)
    return next(rest) if character == "\\" else character


def _element(character: str, any_character: _Characters) -> _Characters | None:
    if character == "*":
        return _STAR
    return any_character if character == "?" else _Characters(((character, character),))
