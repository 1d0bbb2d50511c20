"""The patterns that Flux, Argo CD and Git match paths with, as regular expressions of RE2."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from renderer.go_regexp import Regexp, RegexpError, compile_regexp

_MOST_CHARACTERS = 4096


class GlobError(ValueError):
    """The pattern is malformed; the text says why."""


def matches_path(pattern: str, path: str) -> bool:
    """Return whether the whole ``path`` matches, as Go's ``path.Match`` says: no wildcard stands for a slash.

    Raises ``GlobError``.
    """
    return _compiled(pattern, _path_match).fullmatch(path) is not None


def matches_gobwas(pattern: str, path: str) -> bool:
    """Return whether ``path`` matches as gobwas/glob without separators says.

    ``*`` and ``?`` stand for slashes, too, ``{a,b}`` means one of the two. Raises ``GlobError``.
    """
    return _compiled(pattern, _gobwas).fullmatch(path) is not None


def matches_pathspec(pattern: str, path: str) -> bool:
    """Return whether ``git ls-files -- PATTERN`` lists the file.

    ``*`` stands for slashes, too, and a folder for all in it.
    """
    folder = pattern.rstrip("/")
    if folder in ("", ".") or path == pattern or path.startswith(f"{folder}/"):
        return True
    if not re.search(r"[*?\[\\]", pattern):
        return False
    try:
        return _compiled(pattern, _wildmatch).fullmatch(path) is not None
    except GlobError:
        return False


@lru_cache(maxsize=4096)
def _compiled(pattern: str, translate: Callable[[str], str]) -> Regexp:
    if len(pattern) > _MOST_CHARACTERS:
        raise GlobError(f"the pattern has more than {_MOST_CHARACTERS} characters")
    try:
        return compile_regexp(f"(?s){translate(pattern)}")
    except RegexpError as error:
        raise GlobError(str(error)) from None


def _path_match(pattern: str) -> str:
    """Go ``path/match.go``: ``[^a-c]`` negates, a backslash takes the next character as it is."""
    return _Translation(pattern, many="[^/]*", one="[^/]", negations="^").whole()


def _wildmatch(pattern: str) -> str:
    """Git ``wildmatch.c`` without ``WM_PATHNAME``."""
    return _Translation(pattern, many=".*", one=".", negations="!^").whole()


def _gobwas(pattern: str) -> str:
    """gobwas/glob ``syntax/lexer``."""
    return _Translation(pattern, many=".*", one=".", negations="!", alternatives=True).whole()


class _Translation:
    """Translates one pattern; ``many`` and ``one`` are what ``*`` and ``?`` come to."""

    def __init__(
        self, pattern: str, *, many: str, one: str, negations: str, alternatives: bool = False
    ) -> None:
        self._pattern = pattern
        self._many = many
        self._one = one
        self._negations = negations
        self._alternatives = alternatives
        self._at = 0
        self._open = 0

    def whole(self) -> str:
        parts: list[str] = []
        while self._at < len(self._pattern):
            part = self._part()
            if part != self._many or parts[-1:] != [part]:
                parts.append(part)
        if self._open:
            raise GlobError("a { is never closed")
        return "".join(parts)

    def _part(self) -> str:
        character = self._pattern[self._at]
        self._at += 1
        if character == "*":
            return self._many
        if character == "?":
            return self._one
        if character == "[":
            return self._class()
        if character == "\\":
            return re.escape(self._next("a backslash is the last character"))
        return self._brace(character) if self._alternatives else re.escape(character)

    def _brace(self, character: str) -> str:
        if character == "{":
            self._open += 1
            return "(?:"
        if character == "}" and self._open:
            self._open -= 1
            return ")"
        return "|" if character == "," and self._open else re.escape(character)

    def _class(self) -> str:
        negated = self._pattern[self._at : self._at + 1] in tuple(self._negations)
        self._at += negated
        members: list[str] = []
        while not (self._pattern.startswith("]", self._at) and members):
            low = self._member()
            high = low
            if self._pattern.startswith("-", self._at) and not self._pattern.startswith("-]", self._at):
                self._at += 1
                high = self._member()
            if high < low:
                raise GlobError(f"the range {low}-{high} is empty")
            members.append(f"\\x{{{ord(low):x}}}-\\x{{{ord(high):x}}}")
        self._at += 1
        return f"[{'^' if negated else ''}{''.join(members)}]"

    def _member(self) -> str:
        character = self._next("a [ is never closed")
        return self._next("a [ is never closed") if character == "\\" else character

    def _next(self, otherwise: str) -> str:
        if self._at >= len(self._pattern):
            raise GlobError(otherwise)
        self._at += 1
        return self._pattern[self._at - 1]
