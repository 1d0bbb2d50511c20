"""Patterns of names with ``*``, ``?`` and ``[classes]``, as shells, Go and Git read them.

Python translates such patterns to regular expressions, whose running time depends on the pattern. Here a
pattern is cut at its stars, and each part is searched for once, after the part before it. The patterns of
gobwas, which have alternatives, are in ``golang.gobwas``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby
from typing import TypeAlias

from renderer.model.record import Record


class CharacterClass(Record):
    """One character: any character in one of ``ranges``, or in none of them if ``negated``."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool = False

    def has(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) is not self.negated

    @property
    def literal(self) -> str | None:
        """The only character that it matches; None if there are others."""
        if self.negated or len(self.ranges) != 1:
            return None
        low, high = self.ranges[0]
        return low if low == high else None

    @property
    def expression(self) -> str:
        """The regular expression for one such character."""
        ranges = "".join(f"{re.escape(low)}-{re.escape(high)}" for low, high in self.ranges if low <= high)
        if not ranges:
            return "." if self.negated else "(?!)"
        return f"[^{ranges}]" if self.negated else f"[{ranges}]"


#: An element of a pattern: one character, or None for a star.
Element: TypeAlias = CharacterClass | None
STAR = None
ANY_CHARACTER = CharacterClass((), negated=True)
_NOT_SLASH = CharacterClass((("/", "/"),), negated=True)


_INNERMOST_BRACES = re.compile(r"\{([^{}]*)\}")
#: What is special in Go's and Git's patterns.
_SPECIAL = re.compile(r"[*?\[\\]")


def file_name_match(pattern: str, name: str) -> bool:
    """Return True if a shell's pattern matches the whole of ``name`` (Python's ``fnmatch.fnmatchcase``).

    An unclosed bracket is an ordinary character; there are no escapes.
    """
    return shell_glob(pattern).matches(name)


def file_path_match(pattern: str, name: str) -> bool:
    """Return True if Go's ``path.Match`` does; a malformed pattern matches nothing.

    ``*`` and ``?`` do not match slashes, and a backslash escapes the next character.
    """
    glob = path_glob(pattern)
    return glob is not None and glob.matches(name)


def pathspec_match(pattern: str, path: str) -> bool:
    """Return True if ``git ls-files -- PATTERN`` lists the file.

    Git ``wildmatch.c`` without ``WM_PATHNAME``: ``*`` and ``?`` match slashes, too, and a folder matches
    everything in it.
    """
    folder = pattern.rstrip("/")
    if folder in ("", ".") or path == pattern or path.startswith(f"{folder}/"):
        return True
    glob = pathspec_glob(pattern) if _SPECIAL.search(pattern) else None
    return glob is not None and glob.matches(path)


#: The most alternatives that the braces of a pattern may make, and the most braces.
MOST_ALTERNATIVES = 100


def doublestar_match(pattern: str, path: str) -> bool:
    """Return True if bmatcuk/doublestar matches the whole path; a malformed pattern matches nothing.

    Neither does one of which ``alternatives`` returns none, which has too many.

    ``**`` as a whole name matches any number of folders, braces have alternatives, and the rest is as in
    ``file_path_match``.
    """
    names = path.split("/")
    return any(_matches_names(tuple(each.split("/")), names) for each in alternatives(pattern))


@lru_cache(maxsize=512)
def alternatives(pattern: str) -> tuple[str, ...]:
    """Return the pattern once for each choice of alternatives in braces; none if there are too many."""
    if pattern.count("{") > MOST_ALTERNATIVES:
        return ()
    found, waiting = list[str](), [pattern]
    while waiting:
        text = waiting.pop()
        braces = _INNERMOST_BRACES.search(text)
        if braces is None:
            found.append(text)
        else:
            start, end = braces.span()
            waiting += [text[:start] + choice + text[end:] for choice in braces[1].split(",")]
        if len(found) + len(waiting) > MOST_ALTERNATIVES:
            return ()
    return tuple(found)


def _matches_names(pattern: Sequence[str], names: Sequence[str]) -> bool:
    """Match name by name; ``ends`` are the numbers of names that the pattern so far can have matched."""
    ends = {0}
    for part in pattern:
        if part == "**":
            ends = set(range(min(ends, default=len(names) + 1), len(names) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(names) and file_path_match(part, names[end])}
    return len(names) in ends


def literal_start(pattern: str) -> str:
    """Return the characters with which all texts begin that Go's or Git's ``pattern`` matches."""
    special = _SPECIAL.search(pattern)
    return pattern[: special.start()] if special else pattern


class Glob:
    """A pattern that is ready to match texts: its parts, and what a star between them may match.

    ``width`` is the number of the characters that classes match: searching for a part with classes may take
    the product of its length and the text's.
    """

    def __init__(self, elements: Sequence[Element], star: CharacterClass) -> None:
        runs = groupby(elements, lambda each: each is STAR)
        parts = [[each for each in run if each is not None] for is_star, run in runs if not is_star]
        starts_free = bool(elements) and elements[0] is STAR
        ends_free = bool(elements) and elements[-1] is STAR
        self._first = _Part(()) if starts_free or not parts else _Part(parts.pop(0))
        self._last = _Part(()) if ends_free or not parts else _Part(parts.pop())
        self._between = tuple(map(_Part, parts))
        self._has_star = starts_free or ends_free or STAR in elements
        self._star_stops_at = "" if star is ANY_CHARACTER else "/"
        self.width = sum(part.width for part in (self._first, self._last, *self._between))

    def matches(self, text: str) -> bool:
        """Return True if the pattern matches the whole text."""
        at, end = self._first.length, len(text) - self._last.length
        if not self._first.is_at(text, 0):
            return False
        if not self._has_star:
            return at == len(text)
        if at > end or not self._last.is_at(text, end):
            return False
        for part in self._between:  # the first place is the best: more is left for the rest
            found = part.find(text, at, end)
            if found < 0 or not self._may_skip(text, at, found):
                return False
            at = found + part.length
        return self._may_skip(text, at, end)

    def _may_skip(self, text: str, start: int, end: int) -> bool:
        """Return True if a star may match this part of the text."""
        return not self._star_stops_at or text.find(self._star_stops_at, start, end) < 0


class _Part:
    """The elements between two stars, which match texts of one length."""

    def __init__(self, elements: Sequence[CharacterClass]) -> None:
        self.length = len(elements)
        literals = [each.literal for each in elements]
        self._text = None if None in literals else "".join(filter(None, literals))
        self._expression = None if self._text is not None else _expression(elements)
        self.width = 0 if self._text is not None else self.length

    def is_at(self, text: str, start: int) -> bool:
        if self._expression is None:
            return text.startswith(self._text or "", start)
        return self._expression.match(text, start) is not None

    def find(self, text: str, start: int, end: int) -> int:
        """Return the first place between ``start`` and ``end``; -1 if there is none."""
        if self._expression is None:
            return text.find(self._text or "", start, end)
        found = self._expression.search(text, start, end)
        return found.start() if found else -1


def _expression(elements: Sequence[CharacterClass]) -> re.Pattern[str]:
    return re.compile("".join(each.expression for each in elements), re.DOTALL)


@lru_cache(maxsize=512)
def shell_glob(pattern: str) -> Glob:
    """Return what ``file_name_match`` looks for."""
    return Glob(_shell_elements(pattern), ANY_CHARACTER)


@lru_cache(maxsize=512)
def path_glob(pattern: str) -> Glob | None:
    """Return what ``file_path_match`` looks for; None if the pattern is malformed."""
    elements = go_pattern(pattern, _NOT_SLASH)
    return None if elements is None else Glob(elements, _NOT_SLASH)


@lru_cache(maxsize=512)
def pathspec_glob(pattern: str) -> Glob | None:
    """Return what Git looks for; None if the pattern is malformed."""
    elements = _elements(pattern, ANY_CHARACTER, is_git=True)
    return None if elements is None else Glob(elements, ANY_CHARACTER)


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
