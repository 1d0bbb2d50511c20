"""Counts in words, for messages and reports."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """Return ``1 overlay`` or ``2 overlays``; ``noun`` is in the singular."""
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{count} {noun}s"
