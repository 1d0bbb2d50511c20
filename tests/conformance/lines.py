"""The lines of a file of vectors, compressed or not."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

#: The vectors that the project has, one file for each suite.
VECTORS = Path(__file__).parents[1] / "vectors"


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of ``*.jsonl``, ``*.jsonl.gz`` or ``*.jsonl.xz``."""
    with _opened(path) as lines:
        for line in lines:
            yield line.rstrip("\n")


def _opened(path: Path) -> TextIO:
    match path.suffix:
        case ".xz":
            return lzma.open(path, "rt", encoding="utf-8")
        case ".gz":
            return gzip.open(path, "rt", encoding="utf-8")
        case _:
            return path.open(encoding="utf-8")
