"""Patterns of names with ``*``, ``?`` and ``[classes]``, as shells, Go and Git read them.

Python translates such patterns to regular expressions, whose running time depends on the pattern. Here the
running time is at most the length of the pattern times the length of the text. The patterns of gobwas, which
have alternatives, are in ``golang.gobwas``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from renderer.model.record import Record


class CharacterClass(Record):
    """One character: any character in one of ``ranges``, or in none of them if ``negated``."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def has(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) is not self.negated


#: An element of a pattern: one character, or None for a star.
Element: TypeAlias = CharacterClass | None
STAR = None
ANY_CHARACTER = CharacterClass((), negated=True)
_NO_CHARACTER = CharacterClass(())
_NOT_SLASH = CharacterClass((("/", "/"),), negated=True)


def file_name_match(pattern: str, name: str) -> bool:
    """Return True if a shell's pattern matches the whole of ``name`` (Python's ``fnmatch.fnmatchcase``).

    An unclosed bracket is an ordinary character; there are no escapes.
    """
    return _match(_shell_elements(pattern), name, star=ANY_CHARACTER)


def file_path_match(pattern: str, name: str) -> bool:
    """Return True if Go's ``path.Match`` does; a malformed pattern matches nothing.

    ``*`` and ``?`` do not match slashes, and a backslash escapes the next character.
    """
    elements = go_pattern(pattern, _NOT_SLASH)
    return elements is not None and _match(elements, name, star=_NOT_SLASH)


def pathspec_match(pattern: str, path: str) -> bool:
    """Return True if ``git ls-files -- PATTERN`` lists the file.

    Git ``wildmatch.c`` without ``WM_PATHNAME``: ``*`` and ``?`` match slashes, too, and a folder matches
    everything in it.
    """
    folder = pattern.rstrip("/")
    if folder in ("", ".") or path == pattern or path.startswith(f"{folder}/"):
        return True
    if not any(character in pattern for character in "*?[\\"):
        return False
    elements = _git_pattern(pattern)
    return elements is not None and _match(elements, path, star=ANY_CHARACTER)


def _match(elements: Sequence[Element], name: str, *, star: CharacterClass) -> bool:
    """Match greedily: only the last star is ever extended, because the part before it has matched."""
    at = index = star_at = 0
    star_index = -1
    while at < len(name):
        wanted = elements[index] if index < len(elements) else _NO_CHARACTER
        if wanted is STAR:
            if star is ANY_CHARACTER and index + 1 == len(elements):
                return True
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
    return all(rest is STAR for rest in elements[index:])


@lru_cache(maxsize=64)
def _shell_elements(pattern: str) -> tuple[Element, ...]:
    elements: list[Element] = []
    at = 0
    while at < len(pattern):
        character = pattern[at]
        at += 1
        first = at + pattern.startswith("!", at)
        end = pattern.find("]", first + 1) if character == "[" else -1
        if end < 0:
            elements.append(_element(character, ANY_CHARACTER))
        else:
            elements.append(CharacterClass(_shell_ranges(pattern[first:end]), negated=first > at))
            at = end + 1
    return tuple(elements)


def _shell_ranges(text: str) -> tuple[tuple[str, str], ...]:
    ranges, at = [], 0
    while at < len(text):
        is_range = text[at + 1 : at + 2] == "-" and at + 2 < len(text)
        ranges.append((text[at], text[at + 2] if is_range else text[at]))
        at += 3 if is_range else 1
    return tuple(ranges)


@lru_cache(maxsize=512)
def go_pattern(pattern: str, any_character: CharacterClass) -> tuple[Element, ...] | None:
    """Return the elements of a pattern as Go reads it, ``any_character`` for ``?``; None if malformed."""
    return _elements(pattern, any_character, is_git=False)


@lru_cache(maxsize=64)
def _git_pattern(pattern: str) -> tuple[Element, ...] | None:
    return _elements(pattern, ANY_CHARACTER, is_git=True)


def _elements(pattern: str, any_character: CharacterClass, *, is_git: bool) -> tuple[Element, ...] | None:
    elements: list[Element] = []
    rest = iter(pattern)
    try:
        for character in rest:
            if character == "[":
                elements.append(_class(rest, is_git=is_git))
            elif character == "\\":
                literal = next(rest)
                elements.append(CharacterClass(((literal, literal),)))
            else:
                elements.append(_element(character, any_character))
    except (StopIteration, ValueError):
        return None
    return tuple(elements)


def _class(rest: Iterator[str], *, is_git: bool) -> CharacterClass:
    """Read the characters up to ``]``. Raises ``ValueError`` or ``StopIteration`` for a malformed class.

    Git accepts a ``]`` at the beginning and a ``-`` at the end as ordinary characters; in Go both are
    malformed.
    """
    ranges: list[tuple[str, str]] = []
    character = next(rest)
    negated = character == "^" or (is_git and character == "!")
    if negated:
        character = next(rest)
    while character != "]" or not ranges:
        low = high = _member(character, rest, is_git=is_git)
        character = next(rest)
        if character == "-":
            character = next(rest)
            if is_git and character == "]":
                ranges += [(low, low), ("-", "-")]
                break
            high = _member(character, rest, is_git=is_git)
            character = next(rest)
        ranges.append((low, high))
    return CharacterClass(tuple(ranges), negated=negated)


def _member(character: str, rest: Iterator[str], *, is_git: bool) -> str:
    if character in "-]" and not is_git:
        raise ValueError(character)
    return next(rest) if character == "\\" else character


def _element(character: str, any_character: CharacterClass) -> Element:
    if character == "*":
        return STAR
    return any_character if character == "?" else CharacterClass(((character, character),))
