"""What operators make of a value (``fluxcd/pkg`` ``envsubst/funcs.go`` and ``template.go`` lookupFunc).

``?`` and ``+`` do what ``-`` does, as in Flux. Offsets and lengths count bytes of UTF-8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from renderer.substitution.expression import SubstitutionError
from renderer.substitution.pattern import matching_beginnings

#: A value, which is empty when it is not set, and the arguments.
_Operator: TypeAlias = Callable[[str, Sequence[str]], str]

#: The operators that say what is to stand for a variable that is not set.
DEFAULT_OPERATORS = frozenset({"=", ":=", ":-", ":?", ":+"})

_INTEGER = re.compile(r"[+-]?[0-9]{1,18}")


def apply(operator: str, value: str, arguments: Sequence[str]) -> str:
    """What ``operator`` makes of ``value``. Raises ``SubstitutionError``."""
    if operator == "#" and not arguments:
        return str(len(_bytes(value)))
    return _OPERATORS.get(operator, _default)(value, arguments)


def _default(value: str, arguments: Sequence[str]) -> str:
    return value or "".join(arguments)


def _upper(value: str, _arguments: Sequence[str]) -> str:
    return "".join(map(_upper_character, value))


def _upper_first(value: str, _arguments: Sequence[str]) -> str:
    return _upper(value[:1], ()) + value[1:]


def _lower(value: str, _arguments: Sequence[str]) -> str:
    return "".join(map(_lower_character, value))


def _lower_first(value: str, _arguments: Sequence[str]) -> str:
    return _lower(value[:1], ()) + value[1:]


def _upper_character(character: str) -> str:
    """As Go does it, one character stays one."""
    upper = character.upper()
    return upper if len(upper) == 1 else character


def _lower_character(character: str) -> str:
    lower = character.lower()
    return lower if len(lower) == 1 else character


def _substring(value: str, arguments: Sequence[str]) -> str:
    """The value itself for an offset or length that is no number, as in bash."""
    numbers = [int(argument) for argument in arguments if _INTEGER.fullmatch(argument)]
    if len(numbers) < len(arguments):
        return value
    text = _bytes(value)
    start = numbers[0] if numbers[0] >= 0 else max(0, len(text) + numbers[0])
    end = start + numbers[1] if len(numbers) > 1 else len(text)
    if end < min(start, len(text)):
        raise SubstitutionError("the length of a substring is negative")
    return text[start:end].decode(errors="surrogateescape")


def _replace_first(value: str, arguments: Sequence[str]) -> str:
    pattern, replacement = (*arguments, "")[:2]
    return value.replace(pattern, replacement, 1)


def _replace_all(value: str, arguments: Sequence[str]) -> str:
    pattern, replacement = (*arguments, "")[:2]
    return value.replace(pattern, replacement)


def _replace_prefix(value: str, arguments: Sequence[str]) -> str:
    """Nothing happens without a replacement."""
    if len(arguments) < 2 or not value.startswith(arguments[0]):  # noqa: PLR2004 - pattern and replacement
        return value
    return value.replace(arguments[0], arguments[1], 1)


def _replace_suffix(value: str, arguments: Sequence[str]) -> str:
    """As above."""
    if len(arguments) < 2 or not value.endswith(arguments[0]):  # noqa: PLR2004 - as above
        return value
    return value.removesuffix(arguments[0]) + arguments[1]


def _trim_shortest_prefix(value: str, arguments: Sequence[str]) -> str:
    return value[next(matching_beginnings(value, arguments[0]), 0) :]


def _trim_longest_prefix(value: str, arguments: Sequence[str]) -> str:
    return value[max(matching_beginnings(value, arguments[0]), default=0) :]


def _trim_shortest_suffix(value: str, arguments: Sequence[str]) -> str:
    return _trim_shortest_prefix(value[::-1], [arguments[0][::-1]])[::-1]


def _trim_longest_suffix(value: str, arguments: Sequence[str]) -> str:
    return _trim_longest_prefix(value[::-1], [arguments[0][::-1]])[::-1]


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogateescape")


_OPERATORS: Mapping[str, _Operator] = {
    ",": _lower_first,
    ",,": _lower,
    "^": _upper_first,
    "^^": _upper,
    "#": _trim_shortest_prefix,
    "##": _trim_longest_prefix,
    "%": _trim_shortest_suffix,
    "%%": _trim_longest_suffix,
    ":": _substring,
    "/": _replace_first,
    "//": _replace_all,
    "/#": _replace_prefix,
    "/%": _replace_suffix,
}
