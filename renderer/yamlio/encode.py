"""Write JSON trees as YAML text, byte for byte as kustomize prints them.

sigs.k8s.io/yaml JSONToYAML and go-yaml v2 ``encode.go``, ``sorter.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cmp_to_key, lru_cache
from math import isfinite
from typing import TypeAlias

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.kube.sharing import Memo
from renderer.model.pattern import pattern
from renderer.yamlio.go_numbers import format_float, json_number
from renderer.yamlio.scalar_text import (
    LINE_BREAKS,
    Style,
    break_lines,
    has_invisible,
    in_one_line,
    is_plain_word,
    style_of,
    visible,
)

_NEXT_LINES = pattern("(?<!\x20)\x20*\x85[\x20\x85]*")
_SURROGATE = pattern(r"[\ud800-\udfff]")
_REFUSED = pattern(r"[\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
#: Longer keys, in UTF-8, are written after a question mark.
_LONGEST_SIMPLE_KEY = 128
_Write: TypeAlias = Callable[[str], object]


def through_json(text: str) -> str:
    """Return ``text`` as go-yaml v2 reads it from the JSON that Go wrote.

    NEL is a line break in YAML 1.1 and folds into a space. Raises ``DiagnosticError`` for characters that the
    reader refuses (go-yaml v2 ``readerc.go``).
    """
    # Most runs have only ASCII text, and then need not compile a pattern.
    if (text.isascii() and "\x7f" not in text) or isinstance(text, _Escaped):
        return text
    refused = _REFUSED.search(text)
    if refused:
        raise _refusal(
            f"the control character U+{ord(refused[0]):04X}", "encode the text, for example as base64"
        )
    if "\x85" in text:
        return _NEXT_LINES.sub(lambda found: "\n" * (found[0].count("\x85") - 1) or " ", text)
    return text


def key_through_json(key: str) -> str:
    """Return a key like ``through_json`` does."""
    if "\x85" in key:
        raise _refusal("a key with the line break U+0085", "write it without")
    return through_json(key)


def number_through_json(value: float) -> str:
    """Return the text of a float, as an integer if it is whole. Raises ``DiagnosticError`` for infinity."""
    if not isfinite(value):
        raise _refusal(f"the number {value}", "write a finite number, or text in quotes")
    number = json_number(value)
    return format_float(number) if isinstance(number, float) else str(number)


def loss_in_output(value: str | float) -> str:
    """Return why the output cannot have a scalar as it is, in a sentence; empty if it can."""
    try:
        if isinstance(value, float):
            number_through_json(value)
        is_same = not isinstance(value, str) or through_json(value) == value
    except DiagnosticError as error:
        return error.diagnostics[0].message
    return "" if is_same else "the line break U+0085 becomes a space in YAML"


def _refusal(what: str, hint: str) -> DiagnosticError:
    return Diagnostic(Code.OUTPUT_INVALID, f"{what} cannot be written to YAML", hint=hint).error()


def natural_order(keys: Iterable[str]) -> list[str]:
    """Sort keys with numbers by value: ``a1``, ``a01``, ``a2``, ``a10`` (go-yaml v2 ``sorter.go``).

    With numbers, go-yaml's comparison can be cyclic (``v2`` < ``v10`` < ``v1beta1`` < ``v2``), and its output
    then differs from run to run; here such keys always have the same order.
    """
    ordered = sorted(keys)
    if all(key.isascii() and key.isalpha() for key in ordered):
        return ordered
    return sorted(ordered, key=cmp_to_key(_compare))


def _compare(left: str, right: str) -> int:
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return -1 if _less_at(index, left, right) else 1
    return -1 if len(left) < len(right) else 1


def _less_at(index: int, left: str, right: str) -> bool:
    """Compare at the first character that differs; letters come last."""
    a, b = left[index], right[index]
    if a.isalpha() and b.isalpha():
        return a < b
    if a.isalpha() or b.isalpha():
        return b.isalpha()
    leading = "1" if "0" in (a, b) and _follows_number(left, index) else ""
    left_digits, right_digits = _digits(left, index), _digits(right, index)
    left_number, right_number = (_int64(leading + digits) for digits in (left_digits, right_digits))
    if left_number != right_number:
        return left_number < right_number
    if len(left_digits) != len(right_digits):
        return len(left_digits) < len(right_digits)
    return a < b


def _follows_number(text: str, index: int) -> bool:
    """Return True if the digits just before ``index`` contain a digit other than 0."""
    start = index
    while start and text[start - 1].isdecimal():
        start -= 1
    return bool(text[start:index].strip("0"))


def _digits(text: str, start: int) -> str:
    end = start
    while end < len(text) and text[end].isdecimal():
        end += 1
    return text[start:end]


def _int64(digits: str) -> int:
    """Add digits as Go does: digits of other scripts by their distance from ``0``; overflow wraps."""
    number = 0
    for digit in digits:
        number = number * 10 + ord(digit) - ord("0")
    return (number + 2**63) % 2**64 - 2**63


class _Escaped(str):
    """A text that go-yaml would print differently or refuse, to be written in double quotes with escapes.

    It equals no other text: tables of written texts have that as go-yaml writes it.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Escaped) and str.__eq__(self, other)

    def __hash__(self) -> int:
        return hash((_Escaped, str(self)))


class _InOrder(dict[str, Json]):
    """A mapping whose keys are written in its own order."""

    __slots__ = ()


def encode(documents: Iterable[Json]) -> str:
    """Return the text of the documents, with ``---`` between them; mappings are dicts, sequences lists.

    Keys are sorted; quotes, comments and folds of the source are lost. Raises ``DiagnosticError`` for strings
    that kustomize cannot print.
    """
    return "---\n".join(map(_document, documents))


def encode_in_order(document: Json) -> str:
    """Return the text of a document as ``encode`` does, with its keys in the order that they have."""
    return _document(_in_order(document))


def encode_source(document: Json) -> str:
    """Return the text of a document that reads back as the same value.

    kustomize, like ``encode``, folds NEL and refuses control characters that Kubernetes accepts; here they
    are escaped, and so are characters that nobody sees, such as those that reorder a line. Raises
    ``DiagnosticError`` for keys with control characters, and for surrogates.
    """
    return _document(_with_escapes(document))


def _with_escapes(value: Json) -> Json:
    if isinstance(value, dict):
        return {
            _Escaped(key) if has_invisible(key) and not _REFUSED.search(key) else key: _with_escapes(child)
            for key, child in value.items()
        }
    if isinstance(value, list):
        return [_with_escapes(child) for child in value]
    is_escaped = isinstance(value, str) and has_invisible(value) and not _SURROGATE.search(value)
    return _Escaped(value) if is_escaped else value


def _in_order(value: Json) -> Json:
    if isinstance(value, dict):
        return _InOrder((key, _in_order(child)) for key, child in value.items())
    return [_in_order(child) for child in value] if isinstance(value, list) else value


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
    """Write the entries, the first one after ``lead``, the others after ``pad``."""
    inner = pad + "  "
    keys = tuple(mapping)
    for key, shown in _shown(keys) if isinstance(mapping, _InOrder) else _sorted(keys):
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
    """Return the text of a value without children, with its line break."""
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
    if isinstance(text, _Escaped):
        return visible(break_lines(str(text), Style.DOUBLE_QUOTED, column, indent)) + "\n"
    text = through_json(text)
    style = style_of(text)
    shown = break_lines(text, style, column, indent)
    return shown if style is Style.LITERAL and shown[-1] in LINE_BREAKS else shown + "\n"


def _short(text: str) -> str:
    """Return the text of a string without spaces and line breaks; empty if its form depends on its column."""
    if is_plain_word(text):
        return f"{text}\n"
    if " " in text or "\n" in text or "\x85" in text or "\u2028" in text or "\u2029" in text:
        return ""
    if isinstance(text, _Escaped):
        return ""
    text = through_json(text)
    return in_one_line(text, style_of(text)) + "\n"


_SHORT = Memo(_short)


@lru_cache(maxsize=4096)
def _sorted(keys: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return _shown(natural_order(keys))


def _shown(keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the keys, each with its text and colon; a key that is too long for this has no text."""
    entries: list[tuple[str, str]] = []
    for key in keys:
        text = key_through_json(key)
        has_break = any(character in text for character in "\r" + LINE_BREAKS)
        is_simple = len(text.encode()) <= _LONGEST_SIMPLE_KEY and not has_break
        if isinstance(key, _Escaped):
            shown = visible(in_one_line(key, Style.DOUBLE_QUOTED))
        else:
            shown = in_one_line(text, style_of(text))
        entries.append((key, f"{shown}:" if is_simple else ""))
    return tuple(entries)
