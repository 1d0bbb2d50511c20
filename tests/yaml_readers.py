"""The three readers of documents, for tests that compare them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import pytest

from renderer.yamlio import decode, events
from renderer.yamlio.line_reader import RefusedError
from renderer.yamlio.python_parser import PythonParser

#: Line by line where possible, by libyaml's events, and by the events of the Python parser.
READERS = ("lines", "libyaml", "python")


def read_by(reader: str, patch: pytest.MonkeyPatch) -> None:
    """Have documents read by one of ``READERS``."""
    if reader != "lines":
        patch.setattr(decode, "read_lines", _refuse)
    if reader == "python":
        patch.setattr(events, "BACKEND", PythonParser)


@contextmanager
def reading_by(reader: str) -> Iterator[None]:
    """Have documents read by one of ``READERS`` for a while."""
    with pytest.MonkeyPatch.context() as patch:
        read_by(reader, patch)
        yield


def _refuse(*_: object) -> NoReturn:
    raise RefusedError
