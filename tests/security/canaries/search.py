"""The search for canaries in outputs and files."""

from __future__ import annotations

import gzip
import lzma
import re
import zlib
from base64 import b64encode
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from tests.security.canaries.forms import NUMBERS, STEM


def _encodings(stem: str) -> Iterator[str]:
    """Yield what base64 makes of a stem at each of the three places where it may begin."""
    for shift in range(3):
        text = b64encode(b"x" * shift + stem.encode()).decode().rstrip("=")
        start = -(-shift * 8 // 6)
        end = (shift + len(stem)) * 8 // 6
        yield re.escape(text[start:end])


def _spellings(number: int) -> Iterator[str]:
    mantissa = f"{number / 10 ** (len(str(number)) - 1)}"
    yield from (f"{number}", f"{number:_}", f"{number:,}", f"{number:x}", f"{number:o}", mantissa)
    yield from (f"{number * factor:,}" for factor in (1000**2, 1000**3, 1024**2, 1024**3))  # its bytes


_FOUND = re.compile(
    "|".join(
        (
            f"(?i:{STEM})",
            *_encodings(STEM),
            *(re.escape(text) for number in NUMBERS.values() for text in _spellings(number)),
        )
    )
)


_SIGNS = re.compile(r"[\W_]+")
#: What is left of canaries without signs between their letters and digits.
_BARE = re.compile("|".join((STEM, *map(str, NUMBERS.values()))))


def canaries(text: str) -> list[str]:
    """Return the lines with a canary, in any form, in letters of any case and with signs between them."""
    return [line for line in text.splitlines() if has_canary(line)]


def has_canary(text: str) -> bool:
    return _FOUND.search(text) is not None or _BARE.search(_SIGNS.sub("", text).lower()) is not None


def content_of(file: Path) -> str:
    """Return the name of a file and all its bytes, each as a character; compressed content also as text."""
    content = file.read_bytes()
    texts = [file.name, content.decode("latin-1")]
    for unpacked in (gzip.decompress, zlib.decompress, lzma.decompress):
        with suppress(OSError, EOFError, zlib.error, lzma.LZMAError):
            texts.append(unpacked(content).decode("latin-1"))
    return "\n".join(texts)
