"""The lines of a file of vectors, compressed or not."""

from __future__ import annotations

import lzma
from collections.abc import Iterator
from pathlib import Path

#: The vectors that the project has, one file for each suite.
VECTORS = Path(__file__).parents[1] / "vectors"


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of ``*.jsonl`` or ``*.jsonl.xz``."""
    opened = lzma.open if path.suffix == ".xz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield line.rstrip("\n")
