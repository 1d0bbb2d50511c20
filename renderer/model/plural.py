"""Counts in words, for messages and reports."""

from __future__ import annotations

from collections.abc import Sequence

#: The names from the input that a hint lists.
MOST_NAMES = 20


def plural(count: int, noun: str) -> str:
    """Return ``1 overlay`` or ``2 overlays``; ``noun`` is in the singular."""
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{count} {noun}s"


def listed(texts: Sequence[str], most: int = MOST_NAMES, separator: str = ", ") -> str:
    """Return at most ``most`` texts, and the number of the others."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{separator.join(texts[:most])}{more}"


def enumerated(texts: Sequence[str], word: str) -> str:
    """Return ``a``, ``a or b``, or ``a, b or c``, with ``word`` before the last text."""
    return f" {word} ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def abridged(texts: Sequence[str], most: int) -> str:
    """Return at most ``most`` texts, and an ellipsis for any others."""
    return ", ".join(texts[:most]) + (", …" if len(texts) > most else "")
