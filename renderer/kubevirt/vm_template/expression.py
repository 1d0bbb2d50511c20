"""The generator ``expression``: a text in which ``[set]{length}`` expands to random characters.

``generator/expressionvalue.go`` of virt-template-engine. Nothing is drawn here: a reading says which texts
the expression can give.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from string import ascii_lowercase, ascii_uppercase, digits

from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.run.work import spend
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
#: A text may be long, and is searched again for each expression (``model.run.work``).
_CHARACTERS_PER_STEP = 64
#: Marks stand for what is drawn while a text is read again: for letters and digits, which may make a set with
#: the text around them, and for other characters. What a text itself has of these planes is a mark, too.
_ALPHANUMERIC_MARKS, _OTHER_MARKS = range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE)
_MARKS = pattern("[\U000f0000-\U0010ffff]")
_EXPRESSION = pattern("\\[([a-zA-Z0-9\\-\\\\\U000f0000-\U000ffffd]+)\\]\\{([a-zA-Z0-9_]+)\\}")


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
    alphanumeric, other = iter(_ALPHANUMERIC_MARKS), iter(_OTHER_MARKS)
    parts: dict[str, Part] = {}

    def mark(part: Part) -> str:
        code = next(alphanumeric if part.alphabet.isalnum() else other, None)
        if code is None:  # tens of thousands of expressions
            raise BadExpressionError(BadExpressionReason.LENGTH_TOO_LARGE)
        made = chr(code)
        parts[made] = part
        return made

    text, start = _MARKS.sub(lambda written: mark(Part(written[0])), text), 0
    while True:
        spend(1 + len(text) // _CHARACTERS_PER_STEP, "reading expressions of templates")
        found = _EXPRESSION.search(text, start)
        if found is None:
            return Expression(tuple(_parts(text, parts)))
        length = _length(found[2])
        alphabet = _alphabet("".join(parts[each].alphabet if each in parts else each for each in found[1]))
        text = text[: found.start()] + mark(Part("", alphabet, length)) + text[found.end() :]
        start = max(0, text.rfind("[", 0, found.start()))


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


def _parts(text: str, marked: Mapping[str, Part]) -> Iterator[Part]:
    """Yield the parts of a text with marks."""
    start = 0
    for found in _MARKS.finditer(text):
        if found.start() > start:
            yield Part(text[start : found.start()])
        yield marked[found[0]]
        start = found.end()
    if start < len(text):
        yield Part(text[start:])
