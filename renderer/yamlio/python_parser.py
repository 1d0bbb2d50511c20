"""PyYAML's own parser, adapted to go-yaml's rules: used if libyaml is missing or refuses a text."""

from __future__ import annotations

from yaml.error import Mark
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError
from yaml.tokens import ScalarToken

from renderer.model.pattern import pattern

_BLOCK_HEADER = pattern(
    r"(?P<chomping>[+-])(?P<indentation>[1-9])?|(?P<first>[1-9])(?P<last>[+-])?",
)
_BLANKS = " \t"
_BREAKS = "\r\n\x85\u2028\u2029"
_BLANKS_OR_BREAKS = _BLANKS + _BREAKS
_ENDS = "\0" + _BLANKS_OR_BREAKS


class GoScanner(Reader, Scanner):
    """PyYAML's scanner with the tabs, escapes and flow scalars of go-yaml's ``scannerc.go``.

    PyYAML's own scanner refuses tabs between tokens, and ends plain text between brackets at a colon before a
    bracket or comma.
    """

    ESCAPE_REPLACEMENTS = {  # type: ignore[misc]  # noqa: RUF012 (as PyYAML declares it, which its stubs call final)
        **{short: full for short, full in Scanner.ESCAPE_REPLACEMENTS.items() if short != "/"},
        "'": "'",
    }

    def scan_to_next_token(self) -> None:
        while True:
            blanks = _BLANKS if self.flow_level or not self.allow_simple_key else " "
            while self.peek() in blanks or (self.index == 0 and self.peek() == "\ufeff"):
                self.forward()
            if self.peek() == "#":
                while self.peek() not in "\0" + _BREAKS:
                    self.forward()
            if not self._line_break():
                return
            if not self.flow_level:
                self.allow_simple_key = True

    def scan_block_scalar_indicators(
        self,
        start_mark: Mark,  # noqa: ARG002 (PyYAML's signature)
    ) -> tuple[bool | None, int | None]:
        """Return if the line breaks at the end are kept (None: one is), and the given indentation."""
        header = _BLOCK_HEADER.match(self.prefix(2))
        if header is None:
            return None, None
        self.forward(header.end())
        chomping, indentation = header["chomping"] or header["last"], header["indentation"] or header["first"]
        return (chomping == "+" if chomping else None), (int(indentation) if indentation else None)

    def scan_block_scalar_ignored_line(self, start_mark: Mark) -> None:
        while self.peek() in _BLANKS:
            self.forward()
        super().scan_block_scalar_ignored_line(start_mark)

    def scan_block_scalar_indentation(self) -> tuple[list[str], int, Mark]:
        found: tuple[list[str], int, Mark] = super().scan_block_scalar_indentation()
        self._refuse_tab()
        return found

    def scan_block_scalar_breaks(self, indent: int) -> tuple[list[str], Mark]:
        found: tuple[list[str], Mark] = super().scan_block_scalar_breaks(indent)
        if self.column < indent:
            self._refuse_tab()
        return found

    def _refuse_tab(self) -> None:
        if self.peek() == "\t":
            place = self.get_mark()
            raise ScannerError(
                "while scanning a block scalar", place, "found a tab instead of indentation", place
            )

    def scan_flow_scalar(self, style: str) -> ScalarToken:
        start = self.get_mark()
        try:
            token = super().scan_flow_scalar(style)
        except (ValueError, OverflowError):
            token = None
        if token is None or any("\ud800" <= character <= "\udfff" for character in token.value):
            raise ScannerError(
                "while parsing a quoted scalar", start, "found an escape that is not a character", start
            )
        return token

    def scan_plain(self) -> ScalarToken:
        start = end = self.get_mark()
        indent = self.indent + 1
        parts: list[str] = []
        gap = ""
        while not self._at_document_border() and self.peek() != "#":
            length = self._plain_length()
            if length:
                parts += gap, self.prefix(length)
                self.forward(length)
                self.allow_simple_key = False
                end = self.get_mark()
            if not length or self.peek() not in _BLANKS_OR_BREAKS:
                break
            gap = self._scan_plain_gap(indent, start)
            if not self.flow_level and self.column < indent:
                break
        return ScalarToken("".join(parts), True, start, end)  # noqa: FBT003 (PyYAML's signature: plain)

    def _plain_length(self) -> int:
        """Return the number of characters up to the next blank, break or indicator."""
        length = 0
        while True:
            character = self.peek(length)
            if character in _ENDS or (character == ":" and self.peek(length + 1) in _ENDS):
                return length
            if self.flow_level and character in ",?[]{}":
                return length
            length += 1

    def _scan_plain_gap(self, indent: int, start: Mark) -> str:
        """Return blanks within a line, or line breaks, folded."""
        blanks, breaks = "", []
        while self.peek() in _BLANKS_OR_BREAKS:
            character = self.peek()
            if character in _BREAKS:
                breaks.append(self._line_break())
                self.allow_simple_key = True
            else:
                if breaks and character == "\t" and self.column < indent:
                    raise ScannerError(
                        "while scanning a plain scalar",
                        start,
                        "found a tab that violates indentation",
                        self.get_mark(),
                    )
                blanks += character
                self.forward()
        if not breaks:
            return blanks
        first, *rest = breaks
        return "".join(rest) or " " if first == "\n" else "".join(breaks)

    def _at_document_border(self) -> bool:
        return self.column == 0 and self.prefix(3) in ("---", "...") and self.peek(3) in _ENDS

    def _line_break(self) -> str:
        """Consume a line break, and return it as it is in text; empty if there is none."""
        text: str = self.scan_line_break()  # type: ignore[no-untyped-call]  # PyYAML's stubs leave it out
        return text


class PythonParser(GoScanner, Parser):
    """Yields the events of a text like ``yaml.cyaml.CParser``."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
