"""How a string may be written: plain, in quotes or as a block."""

from __future__ import annotations

import re
from enum import Enum, auto

from renderer.yamlio.errors import UnusableError
from renderer.yamlio.scalars import YAML11_RULES, Kind, resolve

#: What go-yaml does not print as it is: controls, tabs, NEL, byte order marks, and all beyond U+FFFD.
UNPRINTABLES = "\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe-\U0010ffff"
UNPRINTABLE = re.compile(f"[{UNPRINTABLES}]")

#: Line breaks that are printed as they are.
LINE_BREAKS = "\n\u2028\u2029"

SPACE_BEFORE_BREAK = re.compile(f" [{LINE_BREAKS}]")
_NOT_PLAIN = re.compile(
    r"""[#,\[\]{}&*!|>'"%@`\ ]|[?:-](?:\ |$)|---|\.\.\.|.*(?::(?:\ |$)|\ \#|\ $)""", re.DOTALL | re.VERBOSE
)
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")
_BREAK_BEFORE_SPACE = re.compile(f"[{LINE_BREAKS}] ")
_BREAK = re.compile(f"[{LINE_BREAKS}]")

#: First characters of the texts that mean something else than themselves.
_MEANINGFUL = frozenset("+-0123456789.yYnNtTfFoO~")


class Style(Enum):
    PLAIN = auto()
    SINGLE_QUOTED = auto()
    DOUBLE_QUOTED = auto()
    LITERAL = auto()


def style_of(text: str) -> Style:
    """The style that go-yaml v2 gives a string outside of a key (``encode.go`` stringv, ``emitterc.go``)."""
    unprintable = UNPRINTABLE.search(text) is not None
    breaks = _BREAK.search(text) is not None
    if unprintable or (breaks and SPACE_BEFORE_BREAK.search(text)):
        return Style.DOUBLE_QUOTED
    if "\n" in text:
        return Style.DOUBLE_QUOTED if text.endswith(" ") else Style.LITERAL
    if is_ambiguous(text):
        return Style.DOUBLE_QUOTED
    if breaks:
        return Style.DOUBLE_QUOTED if _BREAK_BEFORE_SPACE.search(text) else Style.SINGLE_QUOTED
    return Style.SINGLE_QUOTED if _NOT_PLAIN.match(text) else Style.PLAIN


def is_ambiguous(text: str) -> bool:
    """Would ``text`` be read as something else than a string, by go-yaml v2 or in base 60?"""
    if text and text[0] not in _MEANINGFUL:
        return False
    try:
        return resolve(text, YAML11_RULES).kind is not Kind.STR or _BASE_60.fullmatch(text) is not None
    except UnusableError:
        return True
