"""The builtin functions of text/template (``funcs.go``)."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote_plus

from renderer.golang.template.evaluate import GoFunction
from renderer.golang.template.values import (
    ABSENT,
    GoTemplateError,
    TextMap,
    are_equal,
    format_value,
    is_less,
    is_nil,
    is_true,
    type_name,
)

_VERB = re.compile(r"%(?P<flags>[-+ #0]*)(?P<width>[0-9]*)(?:\.(?P<precision>[0-9]*))?(?P<verb>.)", re.DOTALL)
_MAX_WIDTH = 1000


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
        return len(value.encode())
    if isinstance(value, dict | list):
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
        elif isinstance(value, list | str):
            if isinstance(key, bool) or not isinstance(key, int):
                raise GoTemplateError(f"cannot index slice/array with type {type_name(key)}")
            elements = value.encode() if isinstance(value, str) else value
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
    return "".join(parts)


def _println(*values: object) -> str:
    return " ".join(format_value(value, nested=True) for value in values) + "\n"


def go_format(text: str, *values: object) -> str:
    """Format as ``fmt.Sprintf`` does, with the verbs that are useful in manifests."""
    remaining = list(values)

    def format_verb(match: re.Match[str]) -> str:
        if match["verb"] == "%":
            return "%"
        if not remaining:
            return f"%!{match['verb']}(MISSING)"
        return _format_argument(match, remaining.pop(0))

    result = _VERB.sub(format_verb, text)
    if remaining:
        extra = ", ".join(f"{type_name(each)}={format_value(each, nested=True)}" for each in remaining)
        result += f"%!(EXTRA {extra})"
    return result


def _format_argument(match: re.Match[str], value: object) -> str:
    flags, verb = match["flags"], match["verb"]
    width = int(match["width"] or 0)
    precision = int(match["precision"] or 0) if match["precision"] is not None else None
    if max(width, precision or 0) > _MAX_WIDTH:
        raise GoTemplateError(f"a format asks for more than {_MAX_WIDTH} characters")
    text = _verb_text(verb, value, flags, precision)
    if text is None:
        return f"%!{verb}({type_name(value)}={format_value(value, nested=True)})"
    if "-" in flags:
        return text.ljust(width)
    return text.zfill(width) if "0" in flags and verb in "dfeg" else text.rjust(width)


def _verb_text(verb: str, value: object, flags: str, precision: int | None) -> str | None:
    """Return the value as the verb writes it; None if the verb does not support its type."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    sign = "+" if "+" in flags else ""
    match verb:
        case "v":
            return format_value(value, nested=True)
        case "s" if isinstance(value, str):
            return value if precision is None else value[:precision]
        case "s" if isinstance(value, list | dict):
            return format_value(value, nested=True)
        case "q" if isinstance(value, str):
            return quoted(value)
        case "t" if isinstance(value, bool):
            return format_value(value)
        case "d" | "x" | "X" | "o" | "b" if isinstance(value, int) and is_number:
            return f"{value:{sign}{verb}}"
        case "x" if isinstance(value, str):
            return value.encode().hex()
        case "f" | "F" | "e" | "g" if isinstance(value, float):
            return f"{value:{sign}.{6 if precision is None else precision}{verb}}"
        case "T":
            return type_name(value)
        case "c" if isinstance(value, int) and is_number:
            return chr(value)
    return None


def quoted(text: str) -> str:
    """Return the text in quotes, as ``strconv.Quote`` does."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return (
        '"'
        + "".join(escapes.get(each, each if each.isprintable() else _hex_escape(each)) for each in text)
        + '"'
    )


def _hex_escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"  # noqa: PLR2004 - the end of ASCII


def _slice(value: object, *bounds: object) -> object:
    if not isinstance(value, str | list):
        raise GoTemplateError(f"can't slice item of type {type_name(value)}")
    numbers = [each for each in bounds if isinstance(each, int) and not isinstance(each, bool)]
    if len(numbers) < len(bounds) or any(not 0 <= each <= len(value) for each in numbers):
        raise GoTemplateError("slice bounds are not indices of the value")
    start, stop = [*numbers, *[0, len(value)][len(numbers) :]][:2]
    if start > stop:
        raise GoTemplateError(f"invalid slice index: {start} > {stop}")
    return value[start:stop]


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
    "printf": GoFunction(go_format, "s", "a"),
    "println": GoFunction(_println, "", "a"),
    "html": GoFunction(lambda *values: html.escape(_print(*values)), "", "a"),
    "js": GoFunction(lambda *values: quoted(_print(*values))[1:-1], "", "a"),
    "urlquery": GoFunction(lambda *values: quote_plus(_print(*values)), "", "a"),
}
