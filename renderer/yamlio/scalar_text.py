"""Strings as go-yaml v2 writes them: the style, and the text in it (``encode.go``, ``emitterc.go``)."""

from __future__ import annotations

import re

from renderer.model.pattern import pattern
from renderer.model.text_enum import TextEnum
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.scalars import YAML11_RULES, Kind, resolve

#: Characters that go-yaml escapes: controls, tabs, NEL, byte order marks, and all beyond U+FFFD.
UNPRINTABLES = "\x00-\x09\x0b-\x1f\x7f-\x9f\ufeff\ufffe-\U0010ffff"
UNPRINTABLE = pattern(f"[{UNPRINTABLES}]")

#: Line breaks that are printed unchanged.
LINE_BREAKS = "\n\u2028\u2029"

#: Characters with which an unquoted text cannot begin.
_INDICATORS = frozenset("#,[]{}&*!|>'\"%@` ")
_BLOCK_INDICATORS = frozenset(f"{indicator}{end}" for indicator in "?:-" for end in ("", " "))
_DOCUMENT_MARKERS = frozenset(("---", "..."))
# Patterns that few texts need are written as text: ``re`` compiles them on first use.
_IN_BASE_60 = "0123456789_:.+-"
_BASE_60 = r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
_BREAK_BEFORE_SPACE = f"[{LINE_BREAKS}] "
#: First characters of texts that are not read as strings.
_MEANINGFUL = frozenset("+-0123456789.yYnNtTfFoO~")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_IN_WORDS = f"{_LETTERS}0123456789-./_"
_BEGIN_WORDS = frozenset(_LETTERS) - _MEANINGFUL
#: The longest text that is not read as a string and begins with a letter is ``false``.
_LONGEST_BOOLEAN = 5
#: A line is broken at the first single space beyond this column.
WIDTH = 80
_WIDE_BREAK_RUN = "([\u2028\u2029]+)"
_ESCAPED = f'[{UNPRINTABLES}{LINE_BREAKS}"\\\\]'
_SHORT_ESCAPES = {
    "\0": "\\0",
    "\a": "\\a",
    "\b": "\\b",
    "\t": "\\t",
    "\n": "\\n",
    "\v": "\\v",
    "\f": "\\f",
    "\r": "\\r",
    "\x1b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
    "\xa0": "\\_",
    "\u2028": "\\L",
    "\u2029": "\\P",
}
_BYTE_ORDER_MARK = "\ufeff"
#: The separators of Unicode (``Zs``) and the line feed.
_SPACES = frozenset("\n\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))


def has_unprintable(text: str) -> bool:
    """Return True if go-yaml escapes a character of ``text``."""
    # Most runs have only ASCII text, and the set of all these characters takes a millisecond to compile.
    if text.isascii():
        return not text.replace("\n", "").isprintable()
    return UNPRINTABLE.search(text) is not None


def has_invisible(text: str) -> bool:
    """Return True if nobody sees a character of ``text``, or sees others in its order: U+202E, for example.

    Spaces of any width, and the line feeds of a text of several lines, are what they look like.
    """
    if text.isascii():
        return has_unprintable(text)
    return not text.isprintable() and any(map(_is_invisible, text))


def _is_invisible(character: str) -> bool:
    return not (character.isprintable() or character in _SPACES)


def visible(text: str) -> str:
    """Return YAML in double quotes with an escape for each character that nobody sees."""
    return "".join(_escape(each) if _is_invisible(each) else each for each in text)


def has_space_before_break(text: str) -> bool:
    """Return True if a line ends with a space, and another follows."""
    return " \n" in text or " \u2028" in text or " \u2029" in text


def is_plain_word(text: str) -> bool:
    """Return True for most words and names that are read as strings. False is inconclusive."""
    begins = text[:1] in _BEGIN_WORDS or (len(text) > _LONGEST_BOOLEAN and text[0] in _LETTERS)
    return begins and not text.strip(_IN_WORDS)


class Style(TextEnum):
    """How YAML writes a scalar."""

    PLAIN = "plain"
    SINGLE_QUOTED = "single-quoted"
    DOUBLE_QUOTED = "double-quoted"
    LITERAL = "literal"


def style_of(text: str) -> Style:
    """Return the style in which go-yaml v2 writes a string that is not a key (``stringv``)."""
    if has_unprintable(text) or has_space_before_break(text):
        return Style.DOUBLE_QUOTED
    if "\n" in text:
        return Style.DOUBLE_QUOTED if text.endswith(" ") else Style.LITERAL
    if is_ambiguous(text):
        return Style.DOUBLE_QUOTED
    if "\u2028" in text or "\u2029" in text:
        return Style.DOUBLE_QUOTED if re.search(_BREAK_BEFORE_SPACE, text) else Style.SINGLE_QUOTED
    return Style.SINGLE_QUOTED if _needs_quotes(text) else Style.PLAIN


def _needs_quotes(text: str) -> bool:
    if text[0] in _INDICATORS or text[:2] in _BLOCK_INDICATORS or text[:3] in _DOCUMENT_MARKERS:
        return True
    return ": " in text or " #" in text or text[-1] in ": "


def is_ambiguous(text: str) -> bool:
    """Return True if go-yaml v2 would read ``text`` as another type than a string, or a number in base 60."""
    if text and text[0] not in _MEANINGFUL:
        return False
    try:
        kind = resolve(text, YAML11_RULES).kind
    except UnusableError:
        return True
    if kind is not Kind.STR:
        return True
    return ":" in text and not text.strip(_IN_BASE_60) and re.fullmatch(_BASE_60, text) is not None


def in_one_line(text: str, style: Style) -> str:
    """Return ``text`` in a style other than ``LITERAL``, not folded."""
    if style is Style.PLAIN:
        return text
    if style is Style.SINGLE_QUOTED:
        return "'" + text.replace("'", "''") + "'"
    return f'"{_escaped(text)}"'


def break_lines(text: str, style: Style, column: int, indent: str) -> str:
    """Return ``text`` with lines broken where they exceed ``WIDTH``.

    ``column`` is the column of the first character, ``indent`` is put before the lines that follow.
    """
    if style is Style.LITERAL:
        lines = text.splitlines(keepends=True)  # it has only breaks that are printed unchanged
        indented = "".join(line if line[0] in LINE_BREAKS else indent + line for line in lines)
        return f"|{block_hints(text)}\n{indented}"
    if style is Style.PLAIN:
        return _fold(text, column, indent)
    if style is Style.SINGLE_QUOTED:
        return _fold_single_quoted(text.replace("'", "''"), column + 1, indent)
    return _fold_double_quoted(text, column + 1, indent)


def block_hints(text: str) -> str:
    """Return the header after ``|`` or ``>``: an indentation that is not visible, and ``-`` or ``+``."""
    indentation = "2" if text[0] in " " + LINE_BREAKS else ""
    if text[-1] not in LINE_BREAKS:
        return indentation + "-"
    return indentation + ("+" if len(text) == 1 or text[-2] in LINE_BREAKS else "")


def _fold(text: str, column: int, indent: str) -> str:
    """Break a line at a single space."""
    if column + len(text) <= WIDTH:
        return text
    previous, *words = text.split(" ")
    parts = [previous]
    column += len(previous)
    for word in words:
        if column > WIDTH and previous and word:
            parts.append(f"\n{indent}{word}")
            column = len(indent) + len(word)
        else:
            parts.append(f" {word}")
            column += 1 + len(word)
        previous = word
    return "".join(parts)


def _fold_single_quoted(text: str, column: int, indent: str) -> str:
    first, *rest = re.split(_WIDE_BREAK_RUN, text)
    parts = [_fold(first, column, indent)]
    for breaks, line in zip(rest[::2], rest[1::2], strict=True):
        parts.append(breaks + (indent + _fold(line, len(indent), indent) if line else ""))
    return f"'{''.join(parts)}'"


def _fold_double_quoted(text: str, column: int, indent: str) -> str:
    """Break a line also at the first of several spaces; a backslash then keeps the next one."""
    if text.startswith(_BYTE_ORDER_MARK):
        return f'"{_escaped(text)}"'
    previous, *words = text.split(" ")
    parts = [_escape_some(previous)]
    column += len(parts[0])
    for index, word in enumerate(words):
        shown = _escape_some(word)
        if column > WIDTH and previous and (word or index < len(words) - 1):
            parts.append(f"\n{indent}{shown or chr(92)}")
            column = len(indent) + len(shown or "\\")
        else:
            parts.append(f" {shown}")
            column += 1 + len(shown)
        previous = word
    return f'"{"".join(parts)}"'


def _escaped(text: str) -> str:
    """Escape ``text``; go-yaml escapes every character if it begins with a byte order mark."""
    return "".join(map(_escape, text)) if text.startswith(_BYTE_ORDER_MARK) else _escape_some(text)


def _escape_some(text: str) -> str:
    return re.sub(_ESCAPED, lambda match: _escape(match[0]), text)


def _escape(character: str) -> str:
    short = _SHORT_ESCAPES.get(character)
    if short:
        return short
    code = ord(character)
    if code <= 0xFF:  # noqa: PLR2004 (what two hexadecimal digits hold)
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"  # noqa: PLR2004 (as above, four digits)
