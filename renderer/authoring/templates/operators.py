"""The operators of templates; a result that would be too large is rejected before it is created."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from renderer.authoring.templates.errors import TemplateError
from renderer.authoring.templates.limits import MAX_BITS, check_items, check_text
from renderer.authoring.templates.values import as_text, describe
from renderer.model.whole_number import whole_number

_DIRECTIVE = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<form>[-+ #0]*(?P<width>[0-9]*)(?:\.(?P<precision>[0-9]*))?)(?P<type>.?)",
    re.DOTALL,
)
_MAX_WIDTH = 1000
_NUMBER_TYPES = frozenset("diuxXoeEfFgG")
_JOIN_HINT = "join text with ~, and make numbers of text with | int"
_ARITHMETIC: Final[Mapping[str, Callable[[float, float], float]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
}

OPERATORS = frozenset(_ARITHMETIC)


def printf(text: str, values: object) -> str:
    """Return ``text`` with its directives replaced by values: one, a list, or a mapping for ``%(name)s``.

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
    if kind not in _NUMBER_TYPES and kind != "s":
        raise TemplateError(
            f"{directive[0]!r} is not a format", "the formats are %s, %d, %x, %o, %e, %f and %g; %% is a %"
        )
    if any(
        whole_number(number or "0") > _MAX_WIDTH for number in (directive["width"], directive["precision"])
    ):
        raise TemplateError(f"a format asks for more than {_MAX_WIDTH} characters")
    value = _value(directive["key"], values, remaining)
    if kind == "s":
        return f"%{form}s" % (as_text(value),)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TemplateError(f"%{kind} needs a number, not {describe(value)}", "make one with | int")
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


def operate(sign: str, left: object, right: object) -> object:
    """Return the result of ``left sign right``. Raises ``TemplateError``."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _arithmetic(sign, left, right)
    if sign == "%" and isinstance(left, str):
        return printf(left, right)
    if sign == "*":
        return _repeated(left, right)
    if sign == "+" and isinstance(left, str) and isinstance(right, str):
        return left + right
    if sign == "+" and isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return [*left, *right]
    raise _mismatch(sign, left, right)


def _arithmetic(sign: str, left: float, right: float) -> object:
    if sign == "**" and abs(right) > MAX_BITS:
        raise TemplateError(f"an exponent is larger than {MAX_BITS}")
    try:
        result = _ARITHMETIC[sign](left, right)
    except ZeroDivisionError:
        raise TemplateError("a number is divided by zero") from None
    except OverflowError:
        raise TemplateError(f"the result of {sign} is too large") from None
    if isinstance(result, complex):
        raise TemplateError("a negative number has no such power")
    return result


def _repeated(left: object, right: object) -> object:
    times, value = (left, right) if isinstance(left, int) else (right, left)
    if isinstance(value, str) and isinstance(times, int):
        check_text(len(value) * times)
        return value * times
    if isinstance(value, list | tuple) and isinstance(times, int):
        check_items(len(value) * times)
        return [*value] * times
    raise _mismatch("*", left, right)


def _mismatch(sign: str, left: object, right: object) -> TemplateError:
    hint = _JOIN_HINT if isinstance(left, str) or isinstance(right, str) else None
    return TemplateError(f"{sign} cannot combine {describe(left)} and {describe(right)}", hint)
