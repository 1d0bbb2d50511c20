"""Go's regular expressions, by the engine that defines their meaning and their running time (RE2).

Python's own engine reads some expressions differently, and a pull request could choose one that never ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol, cast

import re2

from renderer.model.run.work import spend


class RegexpError(ValueError):
    """The text is not a regular expression in Go; the message says why."""


class Match(Protocol):
    """The match of a compiled expression."""

    def groups(self) -> tuple[str | None, ...]: ...


class Regexp(Protocol):
    """A compiled expression; matching takes time linear in the text."""

    def fullmatch(self, text: str) -> Match | None: ...

    def finditer(self, text: str) -> Iterator[re.Match[str]]: ...

    def search(self, text: str) -> Match | None: ...

    @property
    def programsize(self) -> int: ...


#: Steps for an expression of any length (``model.run.work``).
_COMPILING = 100

#: Assumed instructions: of an expression too large for RE2; per character, of one that RE2 cannot parse.
_LARGEST_PROGRAM, _INSTRUCTIONS_PER_CHARACTER = 150_000, 20

#: Bytes that RE2 may use for one expression and its automata. An expression that needs more is refused.
_MOST_MEMORY = 2 << 20


def compile_regexp(pattern: str) -> Regexp:
    """Return the compiled expression, which matches as it does in Go. Raises ``RegexpError``."""
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    spend(_COMPILING, "compiling regular expressions")
    try:
        # The stubs of re2, which a docs tool installs, have a separate type for matches.
        expression = cast("Regexp", re2.compile(pattern, options))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise RegexpError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    spend(expression.programsize // 2, "compiling regular expressions")
    return expression


def program_size(pattern: str) -> int:
    """Return about how many instructions a pattern compiles to, in RE2 or a similar engine."""
    options = re2.Options()
    options.log_errors = False
    try:
        size: int = re2.compile(pattern, options).programsize
    except re2.error as error:
        is_too_large = any(word in str(error) for word in ("repetition size", "too large"))
        return _LARGEST_PROGRAM if is_too_large else len(pattern) * _INSTRUCTIONS_PER_CHARACTER
    return size
