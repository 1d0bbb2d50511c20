"""Redact YAML text: hide the values of Secrets and the start data of machines.

Start data is cloud-init or Ignition data, answer files of Windows and the keys of launch security.

In a text that vmrender wrote, Secrets are recognisable. In an edited text, they may not be: a document that
used to be a Secret may still hold its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from renderer.kubevirt.facts.confidential import (
    ANSWER_FILES,
    COPIES,
    IGNITION,
    LAST_APPLIED,
    LAUNCH_SECURITY,
    PUBLIC_FIELDS_OF_SECRETS,
    REFERENCES,
    SECTIONS,
    START_DATA,
)
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.encryption import SOPS
from renderer.model.masking import MASK

#: After a quoted key, the value may follow without a space.
_COLON = r"""(?:["']\s*:|\s*:(?=\s|$))"""
_SECRET = re.compile(r"""["']?kind["']?\s*:\s*["']?Secret\b""")
_OTHER_KIND = re.compile(r"kind: (?!Secret$|\w*List$)\w+")
#: The fields that hold the values of a Secret. A ConfigMap has them too, but names its kind.
_VALUES = re.compile(r"""(stringD|\bd)ata["']?\s*:""")
_ENCRYPTED = re.compile(rf"""["']?{SOPS}{_COLON}""")
_SECRET_FILE = re.compile(r"(^|/)secret(list)?[._/]")
_NAME = re.compile(r"  name: (.*)")
_KIND = re.compile(r"kind: (\w+)")
_TOP_LEVEL_KEY = re.compile(r"([A-Za-z]\w*):(?=\s|$)")
_KEY = re.compile(r"\s*[A-Za-z0-9._-]+:(?=\s|$)")
#: The annotation in which kubectl also stores the values.
_COPY = LAST_APPLIED.rpartition("/")[2]
_SEPARATOR = re.compile(r"---(\s|$)")
_START_DATA_KEYS = (*START_DATA, *LAUNCH_SECURITY, IGNITION.rpartition("/")[2], _COPY, *COPIES)
_START_DATA = re.compile(rf"\b(?:{'|'.join(map(re.escape, _START_DATA_KEYS))}){_COLON}", re.IGNORECASE)
_SECTION = re.compile(rf"\b(?:{'|'.join(SECTIONS)}){_COLON}")
_KEY_OF_SECTION = re.compile(r"\s*(?:- )*(?P<key>[A-Za-z0-9._-]+):(?=\s|$)")
_PUBLIC_IN_SECTIONS = REFERENCES | {"name"}
#: An alias: its value is elsewhere, and cannot be recognised there.
_ALIAS = re.compile(r"\s*\*")
_CONFIG_MAP = re.compile(r"""["']?kind["']?\s*:\s*["']?ConfigMap(List)?\b""")
_ANSWER_FILE = re.compile(rf"\b(?:{'|'.join(map(re.escape, ANSWER_FILES))}){_COLON}", re.IGNORECASE)


def redact(lines: Sequence[str]) -> list[str]:
    """Return ``lines`` of YAML with ``***`` in place of start data and every value in a Secret.

    The text may have any author and style: a document that may hold a Secret counts as one, and anything that
    may be a value counts as a value.
    """
    return [
        line for document in _documents(lines) for line in _redacted(document, _may_hold_secret(document))
    ]


def redact_before(path: str, before: Sequence[str], after: Sequence[str]) -> list[str]:
    """Redact the lines of a file that is to become ``after`` and may have been edited since.

    If a Secret of ``after`` is missing in ``before``, any document there that ``after`` lacks may be it, or
    one with the same name and values. A file whose name says that it was a Secret counts as one.
    """
    documents = tuple(_documents(before))
    if _SECRET_FILE.search(path):
        return [line for document in documents for line in _redacted(document, is_secret=True)]
    kept = {_identity(document) for document in documents}
    other = {_identity(document): _may_hold_secret(document) for document in _documents(after)}
    missing = {identity[1] for identity, is_secret in other.items() if is_secret and identity not in kept}

    def may_be_missing(document: Sequence[str]) -> bool:
        identity = _identity(document)
        return identity not in other or (identity[1] in missing and any(map(_VALUES.search, document)))

    return [
        line
        for document in documents
        for line in _redacted(
            document, _may_hold_secret(document) or (bool(missing) and may_be_missing(document))
        )
    ]


def redact_rewritten(lines: Sequence[str], after: Sequence[str], redacted: Sequence[str]) -> list[str]:
    """Mask further confidential values in ``lines``; ``redacted`` is the result so far.

    In a style that vmrender does not write, lines cannot be assigned to values. But the data is the same in
    each style: a line stays only if it is public after the documents are rewritten in vmrender's style or, if
    the text is not valid YAML, if it is a public line of ``after``, which vmrender wrote.
    """
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - only for what has changed
    from renderer.yamlio.encode import encode  # noqa: PLC0415 - as above

    try:
        written: Sequence[str] = encode(decode_documents("\n".join(lines).encode(), "")).split("\n")
    except DiagnosticError:
        written = after
    pairs = tuple(zip(written, redact(written), strict=True))
    hidden = {line for line, left in pairs if line != left}
    if not hidden:
        return list(redacted)
    public = {line for line, _ in pairs} - hidden
    return [
        left if left != line or line in public else MASK for line, left in zip(lines, redacted, strict=True)
    ]


def _redacted(document: Sequence[str], is_secret: bool) -> Sequence[str]:  # noqa: FBT001 - a predicate's result
    return tuple(_redact_secret(document) if is_secret else _redact_start_data(document))


def _identity(document: Sequence[str]) -> tuple[str, str]:
    """Return kind and name in vmrender's style; other styles are not recognised."""
    kind = next((match[1] for line in document if (match := _KIND.fullmatch(line))), "")
    name = next((match[1] for line in document if (match := _NAME.fullmatch(line))), "")
    return kind, name


def _documents(lines: Sequence[str]) -> Iterator[Sequence[str]]:
    starts = [0, *(index for index, line in enumerate(lines) if index and _SEPARATOR.match(line))]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start:end]


def _may_hold_secret(document: Sequence[str]) -> bool:
    """Return True if the document may be a Secret, or may hold the values of one, or ciphertext."""
    if any(map(_ENCRYPTED.match, document)):
        return True
    holds_answer_file = any(map(_CONFIG_MAP.search, document)) and any(map(_ANSWER_FILE.search, document))
    if holds_answer_file or any(map(_is_aliased, document)):
        return True
    if any(map(_OTHER_KIND.fullmatch, document)):
        return False
    return any(_SECRET.search(line) or _VALUES.search(line) for line in document)


def _is_aliased(line: str) -> bool:
    key = _START_DATA.search(line)
    return key is not None and _ALIAS.match(line, key.end()) is not None


def _copy_indent(line: str, before: int | None) -> int | None:
    """Return the indentation of the copied Secret that this line is part of; None outside of a copy."""
    indent = len(line) - len(line.lstrip())
    if _COPY in line:
        return indent
    return before if before is not None and indent > before else None


def _redact_secret(document: Sequence[str]) -> Iterator[str]:
    section = ""
    copied_at: int | None = None
    for line in document:
        copied_at = _copy_indent(line, copied_at)
        if copied_at is not None:
            yield f"{line.partition(_COPY)[0]}{_COPY}: {MASK}" if _COPY in line else MASK
            continue
        if not line.startswith(" "):
            top_level = _TOP_LEVEL_KEY.match(line)
            section = top_level[1] if top_level else ""
        if section in PUBLIC_FIELDS_OF_SECRETS or _SEPARATOR.fullmatch(line):
            yield line
        else:
            key = _KEY.match(line)
            yield f"{key[0]} {MASK}" if key and key[0] != line else (line if key else MASK)


def _redact_start_data(document: Sequence[str]) -> Iterator[str]:
    hidden_below: int | None = None
    section_at: int | None = None
    open_quote = ""
    for line in document:
        indent = len(line) - len(line.lstrip())
        if open_quote:
            open_quote = "" if open_quote in line else open_quote
            yield MASK
            continue
        if hidden_below is not None and (not line or indent > hidden_below):
            yield line and MASK
            continue
        key = _START_DATA.search(line)
        hidden_below = indent if key else None
        open_quote = _open_quote(line[key.end() :]) if key else ""
        if section_at is not None and not _is_below(line, indent, section_at):
            section_at = None
        if key:
            yield f"{line[: key.end()]} {MASK}"
        elif section_at is not None or _SECTION.search(line):
            yield _without_value(line)
            section_at = indent if section_at is None else section_at
        else:
            yield line


def _is_below(line: str, indent: int, section_at: int) -> bool:
    return not line or indent > section_at or (indent == section_at and line.lstrip().startswith("- "))


def _without_value(line: str) -> str:
    """Return a line of a section with ``***`` for its value, unless that is the name of another object."""
    key = _KEY_OF_SECTION.match(line)
    if key is None:
        return line and MASK
    is_public = key["key"] in _PUBLIC_IN_SECTIONS or key.end() == len(line)
    return line if is_public else f"{key[0]} {MASK}"


def _open_quote(value: str) -> str:
    """Return the quote that ``value`` begins with, if it ends on a later line."""
    quote = value.strip()[:1]
    return quote if quote in {"'", '"'} and value.count(quote) == 1 else ""
