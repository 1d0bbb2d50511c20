"""The parts of a text with variables in it."""

from __future__ import annotations

from typing import NamedTuple, TypeAlias


class VariableExpansion(NamedTuple):
    """``${variable}``, or with an operator and its arguments: ``${variable:-default}``, ``${#variable}``.

    ``written`` is the whole expansion as it stands in the text.
    """

    variable: str
    operator: str = ""
    arguments: tuple[Node, ...] = ()
    written: str = ""


#: Text as it is, or what a variable stands for.
Node: TypeAlias = str | VariableExpansion


class SubstitutionError(Exception):
    """``message`` and ``hint`` are in the user's words, and repeat no value."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class TooLongError(SubstitutionError):
    """All values together go beyond the limit ``addedSize``."""
