"""Numbers and texts as Go's ``strconv`` reads and writes them."""

from __future__ import annotations

import math
import re
import sys

from renderer.golang.template.errors import GoTemplateError

MIN_INT, MAX_INT = -(1 << 63), (1 << 63) - 1
#: More digits than any 64-bit integer has in any base, leading zeros aside.
_MOST_DIGITS = 64
_INTEGER_OF_ANY_BASE = re.compile(
    r"[+-]?(?:0[xX](?P<hex>_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[bB](?P<binary>_?[01]+(?:_[01]+)*)"
    r"|0[oO]?(?P<octal>_?[0-7]+(?:_[0-7]+)*)|(?P<decimal>0|[1-9][0-9]*(?:_[0-9]+)*))"
)
_BASES = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_DIGITS = {8: re.compile("[+-]?([0-7]+)"), 10: re.compile("[+-]?([0-9]+)")}
_DECIMALS = "[0-9]+(?:_[0-9]+)*"
_FLOAT = re.compile(
    rf"[+-]?(?:inf|infinity|(?:{_DECIMALS}(?:\.(?:{_DECIMALS})?)?|\.{_DECIMALS})(?:e[+-]?{_DECIMALS})?)|nan",
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"\\(?:x(?P<byte>[0-9a-fA-F]{2})|(?P<octal>[0-7]{3})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<letter>.?))",
    re.DOTALL,
)
_LETTERS = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
}
_ESCAPED = {character: f"\\{letter}" for letter, character in _LETTERS.items() if letter != "'"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_MAX_BYTE, _END_OF_ASCII, _MAX_SHORT = 0xFF, 0x80, 0xFFFF


class NumError(ValueError):
    """The text is not a number of 64 bits; ``nearest`` is the nearest one, 0 for other text."""

    def __init__(self, nearest: int = 0) -> None:
        super().__init__("invalid number")
        self.nearest = nearest


def parse_int(text: str, base: int) -> int:
    """Return the integer (``ParseInt``); base 0 reads the prefix of the text. Raises ``NumError``."""
    match = _INTEGER_OF_ANY_BASE.fullmatch(text) if base == 0 else _DIGITS[base].fullmatch(text)
    if match is None:
        raise NumError
    kind = match.lastgroup or ""
    digits = match[kind or 1].replace("_", "").lstrip("0") or "0"
    number = int(digits, _BASES.get(kind, base)) if len(digits) <= _MOST_DIGITS else 1 << 64
    if text.startswith("-"):
        number = -number
    if not MIN_INT <= number <= MAX_INT:
        raise NumError(MIN_INT if number < 0 else MAX_INT)
    return number


def parse_float(text: str) -> float:
    """Return the number (``ParseFloat``). Raises ``NumError``, also for one that is too large."""
    if not _FLOAT.fullmatch(text):
        raise NumError
    number = float(text)
    if math.isinf(number) and "n" not in text.lower():
        raise NumError
    return number


def wrap_int(number: int) -> int:
    """Return the number wrapped around to 64 bits."""
    return (number - MIN_INT) % (1 << 64) + MIN_INT


def float_to_int(number: float) -> int:
    """Return the number without its fraction (``int64(f)`` on amd64, which has one result for all others)."""
    return int(number) if MIN_INT <= number <= MAX_INT and number != 2.0**63 else MIN_INT


def rune(code: int) -> str:
    """Return the character with this code point, or the replacement character (``string(rune(i))``)."""
    return well_formed(chr(code)) if 0 <= code <= sys.maxunicode else _REPLACEMENT


def well_formed(text: str) -> str:
    """Return the text with replacement characters for lone surrogates, which texts of Go cannot have."""
    return text if text.isascii() else _SURROGATE.sub(_REPLACEMENT, text)


def unquote(text: str) -> str:
    """Return the value of a text in double quotes, or of a character (``Unquote``).

    Raises ``GoTemplateError``.
    """
    content = text[1:-1]
    if "\\" not in content:
        return content
    quote = text[0]
    parts = bytearray()
    end = 0
    for match in _ESCAPE.finditer(content):
        parts += content[end : match.start()].encode(errors="replace") + _unescaped(match, quote)
        end = match.end()
    parts += content[end:].encode(errors="replace")
    try:
        return parts.decode()
    except UnicodeDecodeError:
        raise GoTemplateError("a text with bytes that are not UTF-8 is not supported") from None


def _unescaped(match: re.Match[str], quote: str) -> bytes:
    if match["letter"] is not None:
        if match["letter"] not in _LETTERS or match["letter"] in "\"'".replace(quote, ""):
            raise GoTemplateError(f"unknown escape sequence {match[0]}")
        return _LETTERS[match["letter"]].encode()
    if match["byte"] or match["octal"]:
        code = int(match["byte"], 16) if match["byte"] else int(match["octal"], 8)
        if code > _MAX_BYTE:
            raise GoTemplateError(f"invalid escape sequence {match[0]}")
        return rune(code).encode() if quote == "'" else bytes([code])
    code = int(match["short"] or match["long"], 16)
    if code > sys.maxunicode or _SURROGATE.match(chr(code)):
        raise GoTemplateError(f"invalid escape sequence {match[0]}")
    return chr(code).encode()


def quote(text: str) -> str:
    """Return the text in quotes (``Quote``)."""
    return f'"{"".join(map(_escaped, text))}"'


def quote_rune(character: str) -> str:
    """Return the character in single quotes (``QuoteRune``)."""
    if character in "'\"":
        return "'\\''" if character == "'" else "'\"'"
    return f"'{_escaped(character)}'"


def _escaped(character: str) -> str:
    if character in _ESCAPED:
        return _ESCAPED[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < _END_OF_ASCII:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= _MAX_SHORT else f"\\U{code:08x}"
