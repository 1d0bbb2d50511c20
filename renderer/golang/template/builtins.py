"""The builtin functions of text/template (``funcs.go``)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote_plus

from renderer.golang.template.cost import charge, charge_text
from renderer.golang.template.errors import GoTemplateError
from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.printf import sprintf
from renderer.golang.template.values import (
    ABSENT,
    TextMap,
    are_equal,
    format_value,
    is_less,
    is_nil,
    is_true,
    type_name,
)

_HTML = str.maketrans({'"': "&#34;", "'": "&#39;", "&": "&amp;", "<": "&lt;", ">": "&gt;", "\0": "\ufffd"})
_JS = str.maketrans(
    {
        **{chr(code): f"\\u{code:04X}" for code in (*range(0x20), *map(ord, "<>&="))},
        "\\": "\\\\",
        "'": "\\'",
        '"': '\\"',
    }
)


def _first_where(arguments: tuple[Callable[[], object], ...], *, wanted: bool) -> object:
    if not arguments:
        raise GoTemplateError("wrong number of args for and/or: want at least 1 got 0")
    value: object = None
    for argument in arguments:
        value = argument()
        if is_true(value) is wanted:
            return value
    return value


def _equal(one: object, *others: object) -> bool:
    if not others:
        raise GoTemplateError("missing argument for comparison")
    return any(are_equal(one, other) for other in others)


def _length(value: object) -> int:
    if isinstance(value, str):
        return len(value.encode(errors="replace"))
    if isinstance(value, dict | list | range):
        return len(value)
    raise GoTemplateError(f"len of type {type_name(value)}")


def _index(value: object, *keys: object) -> object:
    for key in keys:
        if is_nil(value):
            raise GoTemplateError("index of untyped nil")
        if isinstance(value, dict):
            if not isinstance(key, str):
                raise GoTemplateError(f"value has type {type_name(key)}; should be string")
            value = value.get(key, "" if isinstance(value, TextMap) else ABSENT)
        elif isinstance(value, list | range | str):
            if isinstance(key, bool) or not isinstance(key, int):
                raise GoTemplateError(f"cannot index slice/array with type {type_name(key)}")
            elements = value.encode(errors="replace") if isinstance(value, str) else value
            if not 0 <= key < len(elements):
                raise GoTemplateError(f"index out of range: {key}")
            value = elements[key]
        else:
            raise GoTemplateError(f"can't index item of type {type_name(value)}")
    return value


def _print(*values: object) -> str:
    """Return the values as ``fmt.Sprint`` does: a space between two values if neither is a text."""
    parts: list[str] = []
    for index, value in enumerate(values):
        if index and not isinstance(value, str) and not isinstance(values[index - 1], str):
            parts.append(" ")
        parts.append(format_value(value, nested=True))
        charge_text(len(parts[-1]))
    return "".join(parts)


def _print_escapable(*values: object) -> str:
    """Return the values as ``html``, ``js`` and ``urlquery`` print them, which have a text for nil."""
    return _print(*("<no value>" if is_nil(value) else value for value in values))


def _println(*values: object) -> str:
    parts: list[str] = []
    for value in values:
        parts.append(format_value(value, nested=True))
        charge_text(len(parts[-1]))
    return " ".join(parts) + "\n"


def _translated(text: str, table: Mapping[int, str]) -> str:
    charge(len(text))
    return text.translate(table)


def _js_escaped(*values: object) -> str:
    text = _translated(_print_escapable(*values), _JS)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else f"\\u{ord(each):04X}" for each in text)


def _query_escaped(*values: object) -> str:
    text = _print_escapable(*values)
    charge(len(text))
    return quote_plus(text, errors="replace")


BUILTINS: Mapping[str, GoFunction] = {
    "and": GoFunction(lambda *arguments: _first_where(arguments, wanted=False), lazy=True),
    "or": GoFunction(lambda *arguments: _first_where(arguments, wanted=True), lazy=True),
    "not": GoFunction(lambda value: not is_true(value), "a"),
    "eq": GoFunction(_equal, "a", "a"),
    "ne": GoFunction(lambda one, other: not are_equal(one, other), "aa"),
    "lt": GoFunction(is_less, "aa"),
    "le": GoFunction(lambda one, other: is_less(one, other) or are_equal(one, other), "aa"),
    "gt": GoFunction(lambda one, other: not is_less(one, other) and not are_equal(one, other), "aa"),
    "ge": GoFunction(lambda one, other: not is_less(one, other), "aa"),
    "len": GoFunction(_length, "a"),
    "index": GoFunction(_index, "a", "a"),
    "print": GoFunction(_print, "", "a"),
    "printf": GoFunction(sprintf, "s", "a"),
    "println": GoFunction(_println, "", "a"),
    "html": GoFunction(lambda *values: _translated(_print_escapable(*values), _HTML), "", "a"),
    "js": GoFunction(_js_escaped, "", "a"),
    "urlquery": GoFunction(_query_escaped, "", "a"),
}
