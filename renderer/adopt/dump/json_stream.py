"""Read the JSON that ``kubectl get -o json`` prints, item by item, in a window that slides over the file.

``yamlio.stream`` reads YAML in the same way.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from math import isfinite
from typing import BinaryIO

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location
from renderer.model.run.limits import limit_hint, limits
from renderer.model.whole_number import json_integer
from renderer.yamlio.stream import ITEMS, LARGEST_OBJECT, StreamedValue

#: The hint for a dump that ends too early.
PRINT_AGAIN_HINT = "print the objects again, and check that kubectl finishes and the disk is not full"
_WINDOW = 1 << 20
_BLANKS = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
#: The end of a text that breaks off in the middle of a value.
_CUT_OFF = re.compile(r"-?|[.eE][+-]?|t(ru?)?|f(a(ls?)?)?|n(ul?)?|u[0-9a-fA-F]{0,4}")
#: An error this close to the end of the window may be false: a number or a word may continue after it.
_LONGEST_WORD = 32


def _truncated(location: Location) -> DiagnosticError:
    """Return the error for a text that ends before its list or object does."""
    message = "the dump ends here in the middle of a list or an object"
    return Diagnostic.in_file(location, Code.DUMP_INVALID, message, PRINT_AGAIN_HINT).error()


def stream_json(stream: BinaryIO, path: str) -> Iterator[StreamedValue]:
    """Yield the items and documents of a file with one or more JSON values; ``path`` is for messages.

    Raises ``DiagnosticError``: yaml-syntax, yaml-limit, dump-invalid for a text that ends in the middle.
    """
    window = _Window(stream, path)
    while window.peek():
        line = window.line()
        if window.peek() == "[":
            yield from _items(window, {})
        elif window.peek() == "{":
            fields: dict[str, Json] = {}
            yield from _object(window, fields)
            yield StreamedValue(fields, line)
        else:
            yield StreamedValue(window.value(), line)


def _object(window: _Window, fields: dict[str, Json]) -> Iterator[StreamedValue]:
    """Read the fields of an object into ``fields``, and yield its items."""
    window.take("{")
    separator = "}" if window.peek() == "}" else ","
    while separator == ",":
        key = window.value()
        if not isinstance(key, str):
            raise window.malformed("a key is a text in double quotes")
        window.take(":")
        if key == ITEMS and window.peek() == "[":
            fields[key] = []
            yield from _items(window, fields)
        else:
            fields[key] = window.value()
        separator = window.peek()
        if separator == ",":
            window.take(",")
    window.take("}")


def _items(window: _Window, fields: dict[str, Json]) -> Iterator[StreamedValue]:
    window.take("[")
    separator = "]" if window.peek() == "]" else ","
    while separator == ",":
        window.peek()
        line = window.line()
        yield StreamedValue(window.value(), line, fields)
        separator = window.peek()
        if separator == ",":
            window.take(",")
    window.take("]")


class _Window:
    """The part of the file that is being read, from ``_place`` on; the text before it is already read."""

    def __init__(self, stream: BinaryIO, path: str) -> None:
        self._read = stream.read
        self._path = path
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")()
        self._json = json.JSONDecoder(
            parse_float=_finite_number, parse_int=json_integer, parse_constant=_refuse_constant
        )
        self._text = ""
        self._place = self._counted = 0
        self._lines = 1
        self._ended = False

    def peek(self) -> str:
        """Return the next character that is not whitespace; an empty string at the end."""
        while True:
            match = _BLANKS.match(self._text, self._place)
            self._place = match.end() if match else self._place
            if self._place < len(self._text):
                return self._text[self._place]
            if self._ended:
                return ""
            self._read_more(_WINDOW)

    def take(self, character: str) -> None:
        """Advance past a character. Raises ``DiagnosticError`` if the next character is a different one."""
        found = self.peek()
        if not found:
            raise _truncated(self._location())
        if found != character:
            raise self.malformed(f"{character} is expected here")
        self._place += 1

    def value(self) -> Json:
        """Return the next value. Raises ``DiagnosticError``."""
        if not self.peek():
            raise _truncated(self._location())
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._place)
            except json.JSONDecodeError as error:
                self._read_on_or_raise(error)
            except (ValueError, RecursionError) as error:
                problem = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
                raise self.malformed(problem) from None
            else:
                if end < len(self._text) or self._ended:  # a number may continue after the window
                    return self._accepted(value, end)
                self._read_more(_WINDOW)

    def line(self) -> int:
        """Return the line of the current position, from 1."""
        self._lines += self._text.count("\n", self._counted, self._place)
        self._counted = self._place
        return self._lines

    def malformed(self, problem: str) -> DiagnosticError:
        return Diagnostic.in_file(
            self._location(),
            Code.YAML_SYNTAX,
            f"the JSON is broken here: {problem}",
            "print the objects again, and check that kubectl finishes",
        ).error()

    def _read_on_or_raise(self, error: json.JSONDecodeError) -> None:
        """Read more if the window ends in the middle of the value. Raises ``DiagnosticError``."""
        at_end = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _LONGEST_WORD
        if at_end and not self._ended:
            self._read_more(max(_WINDOW, len(self._text) - self._place))
            return
        whole = self._text.rstrip()
        if error.msg.startswith("Unterminated string") or _CUT_OFF.fullmatch(whole, error.pos):
            self._place = len(whole)
            raise _truncated(self._location())
        self._place = error.pos
        raise self.malformed(error.msg[:1].lower() + error.msg[1:])

    def _read_more(self, size: int) -> None:
        self.line()
        rest = self._text[self._place :]
        if len(rest) > LARGEST_OBJECT:
            raise Diagnostic.in_file(
                self._location(),
                Code.YAML_LIMIT,
                f"an object is larger than {LARGEST_OBJECT} bytes",
                limit_hint("file_size"),
            ).error()
        content = self._read(size)
        self._ended = not content
        try:
            self._text = rest + self._decoder.decode(content, final=self._ended)
        except UnicodeDecodeError:
            raise self.malformed("the text is not UTF-8") from None
        self._place = self._counted = 0

    def _accepted(self, value: Json, end: int) -> Json:
        if isinstance(value, dict | list):
            if _SURROGATE.search(self._text, self._place, end):
                value = _without_lone_surrogates(value)
            if _is_deeper(value, limits().nesting):
                raise Diagnostic.in_file(
                    self._location(),
                    Code.YAML_LIMIT,
                    f"more than {limits().nesting} levels of nesting",
                    limit_hint("nesting"),
                ).error()
        self._place = end
        return value

    def _location(self) -> Location:
        return Location(self._path, self.line())


def _finite_number(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"{text} is too large for a number")
    return number


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"{name} is not a JSON number")


def _is_deeper(value: Json, most: int) -> bool:
    """Return True if collections are nested in more than ``most`` levels."""
    level: list[Json] = [value]
    for _ in range(most):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)  # type: ignore[union-attr]  # collections only
            if isinstance(child, dict | list)
        ]
        if not level:
            return False
    return True


def _without_lone_surrogates(value: Json) -> Json:
    """Replace lone surrogates with U+FFFD, as Go's decoder does (``encoding/json`` unquote)."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {str(_without_lone_surrogates(key)): _without_lone_surrogates(v) for key, v in value.items()}
    return list(map(_without_lone_surrogates, value)) if isinstance(value, list) else value
