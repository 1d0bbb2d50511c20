"""The error of a use case for an invalid request."""

from __future__ import annotations


class UsageError(Exception):
    """A request that contradicts itself or names something that does not exist; its text says how to fix it.

    ``option`` is the command-line option with the invalid value, such as ``--plan``; may be empty.
    """

    def __init__(self, message: str, option: str = "") -> None:
        super().__init__(message)
        self.option = option
