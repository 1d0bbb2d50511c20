"""The reasons why a text cannot be used, before the path of its file is known."""

from __future__ import annotations

from typing import Self

from renderer.model.codes import Code
from renderer.model.masking import MASK
from renderer.model.pattern import pattern
from renderer.model.run.limits import limit_hint

#: The name of a field, of a file, or of a label with its domain.
_NAME = pattern(r"(?:[\w.-]{1,253}/)?[\w.-]{1,63}|<<")


class UnusableError(ValueError):
    """kustomize cannot use the text.

    ``line`` and ``column`` count from 0; the line is None until it is known.
    """

    code = Code.YAML_SYNTAX

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint
        self.line: int | None = None
        self.column = 0

    def at(self, line: int, column: int) -> Self:
        """Return the error with its position, unless it has one."""
        if self.line is None:
            self.line, self.column = line, column
        return self


class LimitError(UnusableError):
    """The text exceeds a limit, which is a field of ``model.run.limits.Limits``."""

    code = Code.YAML_LIMIT

    def __init__(self, limit: str, message: str) -> None:
        super().__init__(message, limit_hint(limit))


class DuplicateKeyError(UnusableError):
    """A mapping has the same key twice; the position is that of the second one."""

    code = Code.YAML_DUPLICATE_KEY

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {shown_key(key)} is written twice", hint="remove one of the two")


def shown_key(key: str) -> str:
    """Return a key as messages name it: masked if it is not a name, but perhaps a line with a credential."""
    return key if _NAME.fullmatch(key) else MASK
