"""JSON trees to YAML text, byte for byte as kustomize prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TypeAlias

from renderer.model.json import Json
from renderer.yamlio.json_text import key_through_json, number_through_json, through_json
from renderer.yamlio.key_order import natural_order
from renderer.yamlio.memo import Memo
from renderer.yamlio.scalar_style import LINE_BREAKS, Style, style_of
from renderer.yamlio.scalar_text import folded, in_one_line

#: Longer keys, in UTF-8, are written after a question mark.
_LONGEST_SIMPLE_KEY = 128

_Write: TypeAlias = Callable[[str], object]


def encode(documents: Iterable[Json]) -> str:
    """The text of the documents, with ``---`` between them; mappings are dicts, sequences lists.

    Keys are sorted; quotes, comments and folds of the source are lost. sigs.k8s.io/yaml JSONToYAML and
    go-yaml v2 ``encode.go``. Raises ``DiagnosticError`` for strings that kustomize cannot print.
    """
    return "---\n".join(map(_document, documents))


def _document(root: Json) -> str:
    parts: list[str] = []
    if isinstance(root, dict) and root:
        _write_mapping(parts.append, root, "", "")
    elif isinstance(root, list) and root:
        _write_sequence(parts.append, root, "", "")
    else:
        parts.append(_scalar(root, 0, "  "))
    return "".join(parts)


def _write_mapping(write: _Write, mapping: Mapping[str, Json], lead: str, pad: str) -> None:
    """Writes the entries, the first one after ``lead``, the others after ``pad``."""
    inner = pad + "  "
    for key, shown in _entries(tuple(mapping)):
        value = mapping[key]
        if not shown:
            _write_long_entry(write, key, value, lead, pad)
        elif isinstance(value, str):
            write(f"{lead}{shown} {_SHORT[value] or _string(value, len(lead) + len(shown) + 1, inner)}")
        elif isinstance(value, dict) and value:
            write(f"{lead}{shown}\n")
            _write_mapping(write, value, inner, inner)
        elif isinstance(value, list) and value:
            write(f"{lead}{shown}\n")
            _write_sequence(write, value, pad, pad)
        else:
            write(f"{lead}{shown} {_scalar(value, 0, inner)}")
        lead = pad


def _write_sequence(write: _Write, sequence: Sequence[Json], lead: str, pad: str) -> None:
    inner = pad + "  "
    for value in sequence:
        if isinstance(value, dict) and value:
            _write_mapping(write, value, f"{lead}- ", inner)
        elif isinstance(value, str):
            write(f"{lead}- {_SHORT[value] or _string(value, len(lead) + 2, inner)}")
        elif isinstance(value, list) and value:
            _write_sequence(write, value, f"{lead}- ", inner)
        else:
            write(f"{lead}- {_scalar(value, 0, inner)}")
        lead = pad


def _write_long_entry(write: _Write, key: str, value: Json, lead: str, pad: str) -> None:
    inner = pad + "  "
    write(f"{lead}? {_string(key, len(lead) + 2, inner)}")
    if isinstance(value, dict) and value:
        _write_mapping(write, value, f"{pad}: ", inner)
    elif isinstance(value, list) and value:
        _write_sequence(write, value, f"{pad}: ", inner)
    else:
        write(f"{pad}: {_scalar(value, len(inner), inner)}")


def _scalar(value: Json, column: int, indent: str) -> str:
    """A value that holds no others, and the end of its line."""
    if isinstance(value, str):
        return _string(value, column, indent)
    if isinstance(value, bool):
        return "true\n" if value else "false\n"
    if value is None:
        return "null\n"
    if isinstance(value, float):
        return f"{number_through_json(value)}\n"
    return "{}\n" if value == {} else "[]\n" if value == [] else f"{value}\n"


def _string(text: str, column: int, indent: str) -> str:
    text = through_json(text)
    style = style_of(text)
    shown = folded(text, style, column, indent)
    return shown if style is Style.LITERAL and shown[-1] in LINE_BREAKS else shown + "\n"


def _short(text: str) -> str:
    """How a string is written that has no spaces and line breaks; empty if its form depends on its place."""
    if " " in text or "\n" in text or "\x85" in text or "\u2028" in text or "\u2029" in text:
        return ""
    text = through_json(text)
    return in_one_line(text, style_of(text)) + "\n"


_SHORT = Memo(_short)


@lru_cache(maxsize=4096)
def _entries(keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The keys in order, each with its text and colon; no text for a key that is too long for that."""
    return tuple((key, _key(key)) for key in natural_order(keys))


def _key(key: str) -> str:
    text = key_through_json(key)
    if len(text.encode()) > _LONGEST_SIMPLE_KEY or any(character in text for character in "\r" + LINE_BREAKS):
        return ""
    return in_one_line(text, style_of(text)) + ":"
