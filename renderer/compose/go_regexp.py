"""Go's regular expressions, by the engine that defines their meaning and their running time (RE2).

Python's own engine reads some expressions otherwise, and lets a pull request choose one that never ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

import re2


class RegexpError(ValueError):
    """The text is no regular expression in Go; the message says why."""


class Match(Protocol):
    def groups(self) -> tuple[str | None, ...]: ...


class Regexp(Protocol):
    """A compiled expression; matching takes time linear in the text."""

    def fullmatch(self, text: str) -> Match | None: ...

    def finditer(self, text: str) -> Iterator[re.Match[str]]: ...

    def search(self, text: str) -> Match | None: ...


def compile_regexp(pattern: str) -> Regexp:
    """Return the compiled expression, which matches as it does in Go. Raises ``RegexpError``."""
    options = re2.Options()
    options.log_errors = False
    try:
        expression: Regexp = re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else ""
        raise RegexpError(reason.decode() if isinstance(reason, bytes) else str(reason)) from None
    return expression
