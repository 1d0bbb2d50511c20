"""The error of a use case that was asked for something it cannot do."""

from __future__ import annotations


class UsageError(Exception):
    """A request that contradicts itself or names something that is not there; its text says what to ask for.

    ``option`` is the option of the command line whose value is wrong, such as ``--plan``; empty for none.
    """

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option
