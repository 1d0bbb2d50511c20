"""The bytes of a file as text."""

from __future__ import annotations

from renderer.model.limits import limits
from renderer.yamlio.errors import LimitError, UnusableError


def text_of(content: bytes) -> str:
    """Raises ``UnusableError`` for what is not UTF-8, and for what is too much."""
    if len(content) > limits().file_size:
        raise LimitError("file_size", f"the file is larger than {limits().file_size} bytes").at(0, 0)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start]
        column = error.start - before.rfind(b"\n") - 1
        raise UnusableError("the file is not UTF-8 text", "save it as UTF-8").at(
            before.count(b"\n"), column
        ) from None
