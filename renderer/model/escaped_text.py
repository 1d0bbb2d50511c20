r"""Text without the escapes that formats write, and where each part of it was.

One rule for what JSON, YAML, Python, Go, XML, addresses and Flux write in place of a character, so that a
value is found in each of them, also in one inside another.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from renderer.model.pattern import pattern

#: JSON in JSON in a text of YAML.
_DEEPEST = 3
#: Most texts have none of these.
_MAY_BE_ESCAPED = pattern(r"[\\%&\n\r\t]|''|\$\$|\s\s")
_ESCAPE = pattern(
    r"""\\u(?P<high>[dD][89abAB][0-9a-fA-F]{2}) \\u(?P<low>[dD][c-fC-F][0-9a-fA-F]{2})
      | \\(?:x(?P<two>[0-9a-fA-F]{2}) | u(?P<four>[0-9a-fA-F]{4}) | U(?P<eight>[0-9a-fA-F]{8}))
      | (?P<truncated>\\[xuU]?[0-9a-fA-F]{0,7}(?=\ ?…))
      | (?P<continued>\\\r?\n[ \t]*)
      | \\(?P<letter>.)
      | (?P<bytes>(?:%[0-9a-fA-F]{2})+)
      | &(?:\#(?P<decimal>[0-9]{1,7}) | \#[xX](?P<hex>[0-9a-fA-F]{1,6}) | (?P<entity>amp|lt|gt|quot|apos));
      | (?P<doubled>''|\$\$)
      | (?P<blanks>\s{2,}|[\n\r\t])""",
    re.VERBOSE,
)
_LAST_CHARACTER = 0x10FFFF
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "0": "\0",
    "a": "\a",
    "v": "\v",
    "e": "\x1b",
}
_ENTITIES = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Unescaped(NamedTuple):
    """A text without one level of escapes.

    It consists of parts that are unchanged, at even indexes, and of parts that were escaped, at odd ones.
    ``starts`` are their first positions, and ``places`` these positions in the text with the escapes.
    """

    text: str
    starts: list[int]
    places: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the start and end of a part in the text with its escapes, none of which is cut."""
        first, last = bisect_right(self.starts, start) - 1, bisect_left(self.starts, end) - 1
        return (
            self.places[first] + (0 if first % 2 else start - self.starts[first]),
            self.places[last + 1] if last % 2 else self.places[last] + end - self.starts[last],
        )


def unescaped(text: str) -> Iterator[Unescaped]:
    """Yield the text without its escapes, and that text without its own; nothing if there are none.

    Line breaks and indentation are one blank, as YAML folds long texts. Takes time linear in the text.
    """
    for _ in range(_DEEPEST):
        if not _MAY_BE_ESCAPED.search(text):
            return
        parts: list[str] = []
        starts, places = [0], [0]
        position = 0
        for escape in _ESCAPE.finditer(text):
            literal, meant = text[places[-1] : escape.start()], _meant(escape)
            parts += (literal, meant)
            starts += (position + len(literal), position + len(literal) + len(meant))
            places += escape.span()
            position = starts[-1]
        if not parts:
            return
        text = "".join((*parts, text[places[-1] :]))
        yield Unescaped(text, starts, places)


def _meant(escape: re.Match[str]) -> str:
    """Return the characters that an escape stands for."""
    kind, found = escape.lastgroup, escape[escape.lastgroup or 0]
    match kind:
        case "low":
            return chr(0x10000 + ((int(escape["high"], 16) & 0x3FF) << 10) + (int(found, 16) & 0x3FF))
        case "two" | "four" | "eight" | "hex" | "decimal":
            code = int(found, 10 if kind == "decimal" else 16)
            return chr(code) if code <= _LAST_CHARACTER else found
        case "letter":
            return _LETTERS.get(found, found)
        case "bytes":
            return bytes.fromhex(found.replace("%", "")).decode("utf-8", "replace")
        case "entity":
            return _ENTITIES[found]
        case "doubled":
            return found[0]
        case "blanks":
            return " "
        case _:  # the end of a line that is continued, an escape that is truncated
            return ""
