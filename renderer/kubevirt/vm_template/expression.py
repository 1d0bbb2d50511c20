"""The generator ``expression``: a text in which ``[set]{length}`` stands for random characters.

``generator/expressionvalue.go`` of virt-template-engine. Nothing is drawn here: a reading says which texts
the expression can give.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain
from string import ascii_lowercase, ascii_uppercase, digits

from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.text_enum import TextEnum
from renderer.model.whole_number import whole_number

#: The order in which a range such as ``a-9`` goes.
_ORDER = ascii_lowercase + ascii_uppercase + digits
_CLASSES = {
    "\\w": f"{_ORDER}_",
    "\\d": digits,
    "\\a": _ORDER,  # upstream's text says letters
    "\\A": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
}
_PART_OF_SET = pattern(r"\\w|\\d|\\a|\\A|.-.|[a-zA-Z0-9]+")
_MOST = 255
_LARGEST_INT = 2**63 - 1
#: Stand for drawn characters while a text is read again. They are in no set by themselves.
_PRIVATE_USE = range(0xF0000, 0xFFFFD)


class BadExpressionReason(TextEnum):
    """Why an expression gives no value."""

    LENGTH_NOT_A_NUMBER = "lengthIsNoNumber"
    LENGTH_TOO_LARGE = "lengthTooLarge"
    LENGTH_OUT_OF_RANGE = "lengthOutside1to255"
    REVERSED_RANGE = "reversedRange"
    RANGE_START = "rangeStartIsNotAlphanumeric"
    RANGE_END = "rangeEndIsNotAlphanumeric"
    NO_CHARACTER = "noCharacterInRange"


class BadExpressionError(Exception):
    """The generator fails."""

    def __init__(self, reason: BadExpressionReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Part(Record):
    """A part of the texts that an expression gives: as written, or ``length`` characters of an alphabet."""

    literal: str
    alphabet: str = ""
    length: int = 0


class Expression(Record):
    """What ``from`` of a parameter can give."""

    parts: tuple[Part, ...]

    @property
    def is_random(self) -> bool:
        """True if something is drawn, be it from one character."""
        return any(part.alphabet for part in self.parts)

    @property
    def is_constant(self) -> bool:
        """True if there is one text only."""
        return all(len(part.alphabet) <= 1 for part in self.parts)

    @property
    def regex(self) -> str:
        """A regular expression for the texts."""
        parts = (
            f"[{re.escape(part.alphabet)}]{{{part.length}}}" if part.alphabet else re.escape(part.literal)
            for part in self.parts
        )
        return f"^{''.join(parts)}\\Z"

    @property
    def example(self) -> str:
        """One of the texts: the same each time, and not one that begins with a zero if there are others."""
        return "".join(part.alphabet[-1:] * part.length or part.literal for part in self.parts)


def read_expression(text: str) -> Expression:
    """Return what an expression gives. Raises ``BadExpressionError``.

    What was drawn is read again with the text around it: ``[[a-z]{3}]{2}`` gives two letters.
    """
    unused = (chr(code) for code in _PRIVATE_USE if chr(code) not in text)
    drawn: dict[str, Part] = {}
    while True:
        found = _first_expression(text, drawn)
        if found is None:
            return Expression(tuple(_parts(text, drawn)))
        length = _length(found[2])
        alphabet = _alphabet("".join(drawn[each].alphabet if each in drawn else each for each in found[1]))
        mark = next(unused)
        drawn[mark] = Part("", alphabet, length)
        text = text[: found.start()] + mark + text[found.end() :]


def _first_expression(text: str, drawn: dict[str, Part]) -> re.Match[str] | None:
    again = "".join(mark for mark, part in drawn.items() if part.alphabet.isalnum())
    return re.search(rf"\[([a-zA-Z0-9\-\\{again}]+)\]\{{([a-zA-Z0-9_]+)\}}", text)


def _length(written: str) -> int:
    if not written.isdecimal():
        raise BadExpressionError(BadExpressionReason.LENGTH_NOT_A_NUMBER)
    length = whole_number(written)
    if length > _LARGEST_INT:
        raise BadExpressionError(BadExpressionReason.LENGTH_TOO_LARGE)
    if not 1 <= length <= _MOST:
        raise BadExpressionError(BadExpressionReason.LENGTH_OUT_OF_RANGE)
    return length


def _alphabet(written: str) -> str:
    """Return the characters of a set, sorted."""
    parts = _PART_OF_SET.findall(written)
    if not parts:
        raise BadExpressionError(BadExpressionReason.NO_CHARACTER)
    return "".join(sorted(set(chain.from_iterable(map(_characters, parts)))))


def _characters(part: str) -> Sequence[str]:
    if part in _CLASSES:
        return _CLASSES[part]
    if part[1:2] != "-":
        return part
    first, last = _ORDER.find(part[0]), _ORDER.find(part[2])
    if first < 0:
        raise BadExpressionError(BadExpressionReason.RANGE_START)
    if last < 0:
        raise BadExpressionError(BadExpressionReason.RANGE_END)
    if first > last:
        raise BadExpressionError(BadExpressionReason.REVERSED_RANGE)
    return _ORDER[first : last + 1]


def _parts(text: str, drawn: dict[str, Part]) -> list[Part]:
    """Return the parts of a text in which marks stand for what is drawn."""
    if not drawn:
        return [Part(text)] if text else []
    written = re.split(f"([{''.join(drawn)}])", text)
    return [drawn.get(each) or Part(each) for each in written if each]
