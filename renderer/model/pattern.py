"""Regular expressions of modules, each compiled on first use."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return the regular expression ``text`` for a constant of a module.

    A build imports some eighty regular expressions and uses ten. Compiling one takes the time of importing a
    small module: compiling all of them took a tenth of the start-up of ``vmrender build``.
    """
    return cast("re.Pattern[AnyStr]", _Pattern(text, flags))


class _Pattern:
    """A proxy of the compiled expression, which stores each method on first use."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - any method of a regular expression
        method = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, method)
        return method
