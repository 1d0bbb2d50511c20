"""``'%02d' % number``: the conversions of printf that make sense in a manifest, of bounded width."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from renderer.templates.errors import TemplateError
from renderer.templates.limits import check_text
from renderer.templates.words import called, written

_DIRECTIVE = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<form>[-+ #0]*(?P<width>[0-9]*)(?:\.(?P<precision>[0-9]*))?)(?P<type>.?)",
    re.DOTALL,
)
_MAX_WIDTH = 1000
_NUMBERS = frozenset("diuxXoeEfFgG")


def printf(text: str, values: object) -> str:
    """``text`` with its directives replaced by values: one, a list of them, or a mapping for ``%(name)s``.

    Raises ``TemplateError``.
    """
    positional = values if isinstance(values, list | tuple) else [values]
    remaining = iter(positional)
    parts: list[str] = []
    end = length = 0
    for directive in _DIRECTIVE.finditer(text):
        parts += text[end : directive.start()], _replaced(directive, values, remaining)
        length += len(parts[-2]) + len(parts[-1])
        check_text(length)
        end = directive.end()
    if not isinstance(values, dict) and next(remaining, parts) is not parts:
        raise TemplateError("there are more values than the format has places for")
    return "".join((*parts, text[end:]))


def _replaced(directive: re.Match[str], values: object, remaining: Iterator[object]) -> str:
    kind, form = directive["type"], directive["form"]
    if kind == "%":
        return "%"
    if kind not in _NUMBERS and kind != "s":
        shown = directive[0]
        raise TemplateError(
            f"{shown!r} is no format", "the formats are %s, %d, %x, %o, %e, %f and %g; %% is a %"
        )
    if any(int(number or 0) > _MAX_WIDTH for number in (directive["width"], directive["precision"])):
        raise TemplateError(f"a format asks for more than {_MAX_WIDTH} characters")
    value = _value(directive["key"], values, remaining)
    if kind == "s":
        return f"%{form}s" % (written(value),)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TemplateError(f"%{kind} needs a number, not {called(value)}", "make one with | int")
    try:
        return f"%{form}{kind}" % (value,)
    except (TypeError, ValueError, OverflowError):
        raise TemplateError(f"%{kind} cannot write {value}") from None


def _value(key: str | None, values: object, remaining: Iterator[object]) -> object:
    if key is not None:
        if isinstance(values, dict) and key in values:
            return values[key]
        raise TemplateError(f"there is no value {key} for the format")
    missing: Sequence[object] = ()
    value = next(remaining, missing)
    if value is missing:
        raise TemplateError("there are fewer values than the format has places for")
    return value
