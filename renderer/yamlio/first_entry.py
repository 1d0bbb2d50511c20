"""A mapping put before the other entries of a list in a YAML file; every other byte stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from yaml.error import YAMLError

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.location import Site
from renderer.yamlio.decode import decode_yaml11
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.outline import Outline, outline

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*")


def add_first_entry(content: bytes, path: str, field: str, entry: Mapping[str, str]) -> bytes:
    """The file with ``entry`` at the head of the list ``field`` of its root, unless it is in there.

    A list that is not there is made at the end of the file. ``path`` is for error messages. Raises
    ``DiagnosticError``: what the decoder raises, and edit-refused for a file in which it cannot be done
    without touching more.
    """
    root = decode_yaml11(content, path)
    known = root if isinstance(root, dict) else {}
    entries = known.get(field) or []
    if isinstance(entries, list) and entry in entries:
        return content
    try:
        edited = _edited(content.decode(), field, entry).encode()
        came_out = decode_yaml11(edited, path)
    except (UnusableError, YAMLError, DiagnosticError):
        raise _refusal(path, field, entry) from None
    if not isinstance(entries, list) or came_out != {**known, field: [dict(entry), *entries]}:
        raise _refusal(path, field, entry)
    return edited


def _edited(text: str, field: str, entry: Mapping[str, str]) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    found = outline(text) if text.strip() else Outline(is_flow=False, column=0, fields=(), end=0)
    named = found.named(field)
    if named is None:
        if found.is_flow or found.end < len(text.rstrip()):
            raise UnusableError("there is no end to put it at")
        before = "" if text.endswith("\n") or not text else newline
        return f"{text}{before}{field}:{newline}{_lines(entry, 0, newline)}"
    items = named.value.items
    if not items:
        raise UnusableError("the list is empty, or none")
    at = items[0].start
    if named.value.is_flow:
        return f"{text[:at]}{_in_braces(entry)}, {text[at:]}"
    line = text.rfind("\n", 0, at) + 1
    if text[line:at].strip(" ") != "-":
        raise UnusableError("the first entry does not stand on a line of its own")
    return f"{text[:line]}{_lines(entry, named.value.column, newline)}{text[line:]}"


def _lines(entry: Mapping[str, str], column: int, newline: str) -> str:
    """One line for each field, as an element of a block sequence."""
    leads = [" " * column + "- ", *[" " * column + "  "] * (len(entry) - 1)]
    pairs = zip(leads, entry.items(), strict=True)
    return "".join(f"{lead}{key}: {_scalar(value)}{newline}" for lead, (key, value) in pairs)


def _in_braces(entry: Mapping[str, str]) -> str:
    return "{" + ", ".join(f"{key}: {json.dumps(value)}" for key, value in entry.items()) + "}"


def _scalar(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value)


def _refusal(path: str, field: str, entry: Mapping[str, str]) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.EDIT_REFUSED,
            message=f"{field} is written in a way that cannot be edited safely",
            sites=(Site(path, 0, FieldPath.of(field)),),
            hint=f"add {_in_braces(entry)} to {field} yourself",
        )
    )
