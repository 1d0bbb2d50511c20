"""What of a YAML text may be shown: everything but the values of Secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

MASK = "***"

_SECRET = re.compile(r"""["']?kind["']?\s*:\s*["']?Secret\b""")
_OTHER_KIND = re.compile(r"kind: (?!Secret$|\w*List$)\w+")
_TOP_LEVEL_KEY = re.compile(r"([A-Za-z]\w*):(?=\s|$)")
_KEY = re.compile(r"\s*[A-Za-z0-9._-]+:(?=\s|$)")
_SHOWN = frozenset({"apiVersion", "kind", "metadata", "type", "immutable"})
#: The annotation in which kubectl keeps the values as well.
_COPY = "last-applied-configuration"
_SEPARATOR = re.compile(r"---(\s|$)")


def redact(lines: Sequence[str]) -> list[str]:
    """``lines`` of YAML with ``***`` for every value in a Secret that is not metadata.

    The text may be anyone's, in any style: a document that may hold a Secret counts as one, and what cannot
    be told from a value counts as a value.
    """
    return [
        shown
        for document in _documents(lines)
        for shown in (_redact_secret(document) if _may_hold_secret(document) else document)
    ]


def _documents(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    starts = [0, *(index for index, line in enumerate(lines) if index and _SEPARATOR.match(line))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start:end]


def _may_hold_secret(document: Sequence[str]) -> bool:
    return any(map(_SECRET.search, document)) and not any(map(_OTHER_KIND.fullmatch, document))


def _copy_at(line: str, before: int | None) -> int | None:
    """How far the copy of the whole Secret is indented that this line is a part of; None outside of it."""
    indent = len(line) - len(line.lstrip())
    if _COPY in line:
        return indent
    return before if before is not None and indent > before else None


def _redact_secret(document: Sequence[str]) -> Iterator[str]:
    section = ""
    copied_at: int | None = None
    for line in document:
        copied_at = _copy_at(line, copied_at)
        if copied_at is not None:
            yield f"{line.partition(_COPY)[0]}{_COPY}: {MASK}" if _COPY in line else MASK
            continue
        if not line.startswith(" "):
            top_level = _TOP_LEVEL_KEY.match(line)
            section = top_level[1] if top_level else ""
        if section in _SHOWN or _SEPARATOR.fullmatch(line):
            yield line
        else:
            key = _KEY.match(line)
            yield f"{key[0]} {MASK}" if key and key[0] != line else (line if key else MASK)
