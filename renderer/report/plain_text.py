"""Text of the input as part of a report: without control characters, and shortened."""

from __future__ import annotations

LONGEST = 1_000
_ELLIPSIS = "…"


def printable(text: str, longest: int = LONGEST) -> str:
    """Return the text in one line, escaped: input may not move a cursor or begin a line."""
    cut = shortened(text, longest)
    return cut if cut.isprintable() else "".join(map(_escape, cut))


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return the text, without its middle if it is too long: the cause is often at the end."""
    if len(text) <= longest:
        return text
    head = longest * 2 // 3
    return f"{text[:head]} {_ELLIPSIS} {text[len(text) - (longest - head) :]}"


def _escape(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()
