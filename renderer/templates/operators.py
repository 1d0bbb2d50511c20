"""The operators of templates; what would be too large is refused before it is made."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Final

from renderer.templates.errors import TemplateError
from renderer.templates.limits import MAX_BITS, check_items, check_text
from renderer.templates.printf import printf
from renderer.templates.words import called

_JOIN = "join text with ~, and make numbers of text with | int"
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


def operate(sign: str, left: object, right: object) -> object:
    """``left sign right``. Raises ``TemplateError``."""
    if isinstance(left, int | float) and isinstance(right, int | float):
        return _arithmetic(sign, left, right)
    if sign == "%" and isinstance(left, str):
        return printf(left, right)
    if sign == "*":
        return _repeated(left, right)
    if sign == "+":
        return _joined(left, right)
    raise _mismatch(sign, left, right)


def _arithmetic(sign: str, left: float, right: float) -> object:
    if sign == "**" and abs(right) > MAX_BITS:
        raise TemplateError(f"exponents end at {MAX_BITS}")
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


def _joined(left: object, right: object) -> object:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return [*left, *right]
    raise _mismatch("+", left, right)


def _mismatch(sign: str, left: object, right: object) -> TemplateError:
    hint = _JOIN if isinstance(left, str) or isinstance(right, str) else None
    return TemplateError(f"{sign} does not go with {called(left)} and {called(right)}", hint)
