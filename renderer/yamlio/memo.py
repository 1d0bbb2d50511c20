"""A bounded cache of values that belong to short texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Memo(dict[str, T]):
    """A cache: ``memo[text]`` is ``function(text)``, computed when it is first asked for.

    It is a dict, because a lookup that hits must cost nothing else. Long texts are not kept, and a full cache
    is emptied.
    """

    CAPACITY = 20_000
    LONGEST = 100

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, text: str) -> T:
        value = self._function(text)
        if len(text) <= self.LONGEST:
            if len(self) >= self.CAPACITY:
                self.clear()
            self[text] = value
        return value
