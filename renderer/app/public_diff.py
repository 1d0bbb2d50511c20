"""A diff of a file of the user that shows no confidential line."""

from __future__ import annotations

from renderer.emit.unified_diff import unified_diff
from renderer.findings.public_lines import public_lines
from renderer.model.masking import MASK


def public_diff(path: str, before: bytes, after: bytes) -> str:
    """Return the diff of a file; its lines have no values of Secrets and no cloud-init data."""
    shown = unified_diff(path, _masked(before), _masked(after))
    return shown or f"--- {path}\n+++ {path}\n(what changes is on lines that hold confidential data)\n"


def _masked(content: bytes) -> bytes:
    """Return the file with each line masked that must not be shown."""
    numbers = range(1, content.count(b"\n") + 2)
    shown = public_lines(content, numbers)
    *lines, last = (shown.get(number, MASK) for number in numbers)
    return "\n".join([*lines, last if not content.endswith(b"\n") else ""]).encode()
