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


class _Compiled(Protocol):
    """An expression as RE2 compiles it."""

    def fullmatch(self, text: str) -> object: ...

    def search(self, text: str) -> object: ...

    def finditer(self, text: str) -> Iterator[re.Match[str]]: ...

    @property
    def groups(self) -> int: ...

    @property
    def programsize(self) -> int: ...


#: Steps for an expression of any length (``model.run.work``).
_COMPILING = 100

#: Assumed instructions: of an expression too large for RE2; per character, of one that RE2 cannot parse.
_LARGEST_PROGRAM, _INSTRUCTIONS_PER_CHARACTER = 150_000, 20

#: Bytes that RE2 may use for one expression and its automata. An expression that needs more is refused.
_MOST_MEMORY = 2 << 20


#: RE2 handles a character, for so many instructions of the expression, in one step at most.
INSTRUCTIONS_PER_STEP = 64

#: Instructions for a whole text up to which a match costs no more than the call itself.
_FREE = 4_000

#: The threads of the NFA have a copy of all groups each: this many instructions times groups need 60 MB.
_MOST_GROUPS = 4_000_000

_MATCHING = "matching regular expressions"


class Regexp:
    """A compiled expression. To match takes time linear in the text and in ``instructions``, and costs steps.

    ``instructions`` are as many as RE2 handles for a character, at most: to copy the groups of a thread takes
    the time of an instruction for about every fourth of them.
    """

    def __init__(self, compiled: _Compiled) -> None:
        self._compiled = compiled
        self.instructions = compiled.programsize + compiled.groups**2 // 4

    def matches(self, text: str) -> bool:
        """Return True if the whole text matches."""
        self._spend(text)
        return self._compiled.fullmatch(text) is not None

    def is_in(self, text: str) -> bool:
        """Return True if a part of the text matches."""
        self._spend(text)
        return self._compiled.search(text) is not None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield the matches. Each is a search in the remaining text, whose cost the caller counts."""
        return self._compiled.finditer(text)

    def _spend(self, text: str) -> None:
        instructions = len(text) * self.instructions
        if instructions > _FREE:
            spend(instructions // INSTRUCTIONS_PER_STEP, _MATCHING)


def compile_regexp(pattern: str, *, captures: bool = False) -> Regexp:
    """Return the compiled expression, which matches as it does in Go. Raises ``RegexpError``.

    Without ``captures``, groups without a name only group: matches are the same, and have no groups. An
    expression with too many groups is refused; Go's would use as much memory for it.
    """
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_MEMORY
    options.never_capture = not captures
    spend(_COMPILING, "compiling regular expressions")
    try:
        # The stubs of re2, which a docs tool installs, have a separate type for matches.
        compiled = cast("_Compiled", re2.compile(pattern, options))
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise RegexpError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    if compiled.groups * compiled.programsize > _MOST_GROUPS:
        raise RegexpError(f"it has {compiled.groups} groups, too many for its length")
    spend(compiled.programsize // 2, "compiling regular expressions")
    return Regexp(compiled)


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
