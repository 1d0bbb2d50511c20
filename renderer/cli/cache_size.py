"""Sizes of the cache, for people."""

from __future__ import annotations

from renderer.cache.store import CacheSize

_MEBIBYTE = 1 << 20


def entries_text(size: CacheSize) -> str:
    """``12 entries, 1.4 MiB``."""
    return f"{size.entries} entr{'y' if size.entries == 1 else 'ies'}, {mebibytes(size.bytes)}"


def mebibytes(size: int) -> str:
    """``size`` is in bytes."""
    return f"{size / _MEBIBYTE:.1f} MiB"
