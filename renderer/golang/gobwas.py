"""The patterns of gobwas/glob without separators, with which Argo CD includes and excludes files.

They have alternatives, so they are translated to regular expressions of RE2; ``golang.glob`` handles all
other patterns.
"""

from __future__ import annotations

import re
from functools import lru_cache

from renderer.golang.regexp import Regexp, RegexpError, compile_regexp

_MAX_CHARACTERS = 4096
_ANY_TEXT = ".*"


class GlobError(ValueError):
    """The pattern is malformed; the message says why."""


def gobwas_match(pattern: str, path: str) -> bool:
    """Return True if the whole ``path`` matches (gobwas/glob ``syntax/lexer``).

    ``*`` and ``?`` match slashes, too; ``{a,b}`` matches either of the two. Raises ``GlobError``.
    """
    return _compiled(pattern).matches(path)


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> Regexp:
    if len(pattern) > _MAX_CHARACTERS:
        raise GlobError(f"the pattern has more than {_MAX_CHARACTERS} characters")
    try:
        return compile_regexp(f"(?s){_Translation(pattern).regular_expression()}")
    except RegexpError as error:
        raise GlobError(str(error)) from None


class _Translation:
    """Translates one pattern to a regular expression of RE2."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._open = 0

    def regular_expression(self) -> str:
        parts: list[str] = []
        while self._at < len(self._pattern):
            part = self._part()
            if part != _ANY_TEXT or parts[-1:] != [part]:
                parts.append(part)
        if self._open:
            raise GlobError("a { is never closed")
        return "".join(parts)

    def _part(self) -> str:
        character = self._pattern[self._at]
        self._at += 1
        if character == "*":
            return _ANY_TEXT
        if character == "?":
            return "."
        if character == "[":
            return self._class()
        if character == "\\":
            return re.escape(self._next("a backslash is the last character"))
        return self._brace(character)

    def _brace(self, character: str) -> str:
        if character == "{":
            self._open += 1
            return "(?:"
        if character == "}" and self._open:
            self._open -= 1
            return ")"
        return "|" if character == "," and self._open else re.escape(character)

    def _class(self) -> str:
        negated = self._pattern.startswith("!", self._at)
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

    def _next(self, error: str) -> str:
        if self._at >= len(self._pattern):
            raise GlobError(error)
        self._at += 1
        return self._pattern[self._at - 1]
