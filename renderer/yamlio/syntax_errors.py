"""Explain why a text is not YAML: the mistake, its position, and a fix.

The parser stops at the point where a text cannot continue, which is often far from the mistake. The
explanation starts from there, and from the structures that were open at that point.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from itertools import pairwise

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import CollectionEndEvent, CollectionStartEvent, Event, ScalarEvent, SequenceStartEvent
from yaml.reader import Reader

from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.yamlio.events import (
    CLOSING_BRACKETS,
    EventSource,
    ParserMark,
    Position,
    has_other_breaks,
    position_of,
    read_events,
)
from renderer.yamlio.nodes import after_properties

_CONFLICT = pattern(r"(?:<{7}|>{7}|\|{7})(?: |$)|={7}$")
_KEY_AND_VALUE = pattern(r"\s*(?:- +)*+[^\s#'\"\[{].*?:\s+[^\s#]|\s*- +\S")
_ENTRY = pattern(r"\s*- +")
_MISSING_SPACE = pattern(r"\s*(?:- +)*[\w./-]+:[^\s:/]")
_VALUE = pattern(r"\s*(?:- +)*(?:[^\s:][^:]*:\s+)?")
_TEMPLATE = pattern(r"(?:^|[:,\[-]\s+)(\{[{%])")
_INDICATED = ("an alias", "an anchor", "a tag", "a directive")
_QUOTE_NAMES = {"'": "single", '"': "double"}
#: The number of characters of a text that is read again with a repair.
_MOST_REPAIRED = 200_000
#: The end of a readable text.
_READABLE = Position(10**9, 0)
_SAME_COLUMN = "begin lines that belong together in the same column"
_IN_QUOTES = "put the text in quotes"
_WHOLE_IN_QUOTES = "put the whole value in quotes"


class SyntaxProblem(Record):
    """A mistake; ``related`` are the positions of other lines involved."""

    message: str
    position: Position
    hint: str
    related: tuple[tuple[str, Position], ...] = ()


def explain_syntax_error(text: str, error: YAMLError) -> SyntaxProblem:
    """Return the mistake in ``text``, for which a reader raised ``error``."""
    if not isinstance(error, MarkedYAMLError) or not error.problem:
        return _unprintable(text)
    mark = error.problem_mark or error.context_mark
    if has_other_breaks(text):
        return SyntaxProblem(
            f"this is not YAML: {error.problem}", _position(mark), "end lines with a line feed"
        )
    lines = text.split("\n")
    explanation = _Explanation(lines, error, _position(mark))
    return (
        _conflict(lines)
        or explanation.of_tab()
        or explanation.of_template()
        or explanation.of_quote()
        or explanation.of_brackets()
        or explanation.of_indicator()
        or explanation.of_colon()
        or explanation.of_indentation()
        or SyntaxProblem(f"this is not YAML: {error.problem}", explanation.at, "put text in quotes")
    )


def _unprintable(text: str) -> SyntaxProblem:
    found = re.search(Reader.NON_PRINTABLE, text)
    if not found:
        return SyntaxProblem("this is not YAML", Position(0, 0), "save the file as UTF-8 text")
    start = found.start()
    position = Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1)
    message = f"the control character U+{ord(found[0]):04X} is not allowed in YAML"
    return SyntaxProblem(message, position, "remove it, or write it as an escape in double quotes")


def _conflict(lines: list[str]) -> SyntaxProblem | None:
    marked = [number for number, line in enumerate(lines) if _CONFLICT.match(line.rstrip("\r"))]
    if not any(lines[number][0] in "<>" for number in marked):
        return None
    return SyntaxProblem(
        "a merge conflict of Git is not resolved",
        Position(marked[0], 0),
        "keep one of the two sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>",
        (("the conflict ends here", Position(marked[-1], 0)),) if len(marked) > 1 else (),
    )


class _Block(Record):
    """A collection that was open where the parser stopped."""

    start: Position
    is_sequence: bool
    is_flow: bool


class _Structure:
    """The collections that are open before a position, and the last scalar before it."""

    def __init__(self, lines: list[str], stop: Position) -> None:
        self.open: list[_Block] = []
        self.last: ScalarEvent | None = None
        self._stop = stop
        with suppress(YAMLError):
            read_events("\n".join(lines), self._read)

    def _read(self, source: EventSource) -> None:
        self.open, self.last = [], None
        while (event := source.get_event()) is not None:
            self._note(event)

    def _note(self, event: Event) -> None:
        if isinstance(event, CollectionStartEvent):
            is_sequence = isinstance(event, SequenceStartEvent)
            self.open.append(_Block(position_of(event), is_sequence, bool(event.flow_style)))
        elif isinstance(event, CollectionEndEvent) and self.open:
            # A block ends where the next line begins: if that line is wrong, it was still open before.
            if position_of(event) < self._stop:
                self.open.pop()
        elif isinstance(event, ScalarEvent) and position_of(event) < self._stop:
            self.last = event


class _Explanation:
    """The explanations of one error; each is None if it does not apply."""

    def __init__(self, lines: list[str], error: MarkedYAMLError, at: Position) -> None:
        begin = _position(error.context_mark) if error.context_mark else at
        # The position of the error is after the last line if a text ends too early.
        self.at, self._begin = (
            Position(min(place.line, len(lines) - 1), place.column) for place in (at, begin)
        )
        self._lines = lines
        self._problem = error.problem or ""
        self._context = error.context or ""
        self._line = lines[self.at.line]
        self._character = self._line[at.column : at.column + 1]
        self._structure = _Structure(lines, self.at)

    def of_tab(self) -> SyntaxProblem | None:
        """Explain a tab in the indentation of the line, or of the one before."""
        for number in (self.at.line, self._previous(self.at.line)):
            indent = _indent(self._lines[number])
            if "\t" in indent and self._is_outside_of_text(number):
                position = Position(number, indent.index("\t"))
                return SyntaxProblem("the line is indented with a tab", position, "indent with spaces only")
        if self._character == "\t":
            return SyntaxProblem("a tab where YAML allows only spaces", self.at, "write spaces")
        return None

    def of_template(self) -> SyntaxProblem | None:
        found = _TEMPLATE.search(self._line)
        if not found or found.start(1) > self.at.column:
            return None
        message = f"a value that begins with {found[1]} is read as a mapping"
        return SyntaxProblem(message, Position(self.at.line, found.start(1)), _WHOLE_IN_QUOTES)

    def of_quote(self) -> SyntaxProblem | None:
        """Explain a quote that is never closed, one that is closed too early, or a wrong escape."""
        if "quoted scalar" in self._context:
            if "escape" in self._problem:
                return self._wrong_escape()
            return self._open_quote(self._begin)
        last = self._structure.last
        if last is None or last.style not in _QUOTE_NAMES or not last.style:
            return None
        end = _position(last.end_mark)
        if end.line != self.at.line or self._line[end.column : self.at.column].strip():
            return None
        begin = position_of(last)
        if begin.line != end.line:
            return self._open_quote(begin)
        name = _QUOTE_NAMES[last.style]
        written = "''" if last.style == "'" else '\\"'
        message = f"text continues after the closing {name} quote"
        return SyntaxProblem(message, self.at, f"write {written} for a quote inside of {name} quotes")

    def _open_quote(self, begin: Position) -> SyntaxProblem:
        quote = self._lines[begin.line][begin.column : begin.column + 1]
        message = f"this {_QUOTE_NAMES.get(quote, '')} quote is not closed"
        return SyntaxProblem(
            message, begin, f"write {quote} at the end of the text as well, or drop this one"
        )

    def _wrong_escape(self) -> SyntaxProblem:
        column = self._line.find("\\", max(self.at.column - 1, 0))
        escape = self._line[column : column + 2]
        hint = "use single quotes, in which a backslash is an ordinary character, or write \\\\"
        return SyntaxProblem(
            f"invalid escape {escape} in double quotes", Position(self.at.line, column), hint
        )

    def of_brackets(self) -> SyntaxProblem | None:
        """Explain a bracket that is not closed or not opened, or entries without a comma between them."""
        if self._character and self._character in "]}" and "block" in self._context:
            hint = f"remove it, or {_IN_QUOTES}"
            return SyntaxProblem(f"no bracket is open that {self._character} could close", self.at, hint)
        starts = [block.start for block in self._structure.open if block.is_flow]
        places = [
            Position(start.line, after_properties(self._lines[start.line], start.column)) for start in starts
        ]
        opened = [at for at in places if self._lines[at.line][at.column : at.column + 1] in CLOSING_BRACKETS]
        if "parsing a flow" not in self._context or not opened:
            return None
        begin = opened[-1]
        bracket = self._lines[begin.line][begin.column]
        closing = CLOSING_BRACKETS.get(bracket, "]")
        before = self.at.line if begin.line == self.at.line else self._previous(self.at.line)
        close, comma = self._repaired(before, closing), self._repaired(before, ",")
        if before != self.at.line and comma > close:
            end = Position(before, len(_without_comment(self._lines[before])))
            return SyntaxProblem("a comma is missing after this entry", end, "write , between two entries")
        if begin.line == self.at.line and close != _READABLE:
            message = f"this is not expected between {bracket} and {closing}"
            return SyntaxProblem(message, self.at, f"separate entries by commas, and {_IN_QUOTES}")
        hint = f"close it with {closing}; text that begins with {bracket} belongs in quotes"
        return SyntaxProblem(f"this {bracket} is not closed", begin, hint)

    def of_indicator(self) -> SyntaxProblem | None:
        """Explain a value that begins with a character that has a special meaning."""
        kind = next((kind for kind in _INDICATED if self._context.endswith(kind)), None)
        character = self._lines[self._begin.line][self._begin.column : self._begin.column + 1]
        if "document start" in self._problem and self._lines[0].startswith("%"):
            kind, character, self._begin = "a directive", "%", Position(0, 0)
        if kind:
            message = f"text that begins with {character} is read as {kind}"
            return SyntaxProblem(message, self._begin, _IN_QUOTES)
        if "block scalar" in self._context and self._begin.line == self.at.line:
            message = f"only -, + or a digit may follow {character}"
            return SyntaxProblem(message, self.at, "begin the text on the next line")
        if "cannot start any token" in self._problem:
            message = f"a value cannot begin with {self._character}"
            return SyntaxProblem(message, self.at, _IN_QUOTES)
        if "sequence entries are not allowed" in self._problem:
            return SyntaxProblem(
                "a list cannot begin on the line of its key",
                self.at,
                "start the list on the line after its key",
            )
        return None

    def of_colon(self) -> SyntaxProblem | None:
        """Explain a value that contains a colon, a key without one, or a line below a value."""
        if "expected ':'" in self._problem:
            return self._no_key(self._begin.line)
        if "mapping values" not in self._problem:
            return None
        value = _VALUE.match(self._line)
        start = value.end() if value else 0
        if start < self.at.column and self._line[:start].rstrip().endswith(":"):
            message = "the value contains a colon and a space"
            return SyntaxProblem(message, Position(self.at.line, start), _WHOLE_IN_QUOTES)
        above = self._previous(self.at.line)
        column = len(_indent(self._line))
        line = self._lines[above]
        entry = _ENTRY.match(line)
        is_text_entry = entry is not None and entry.end() == column and ": " not in line
        if not _KEY_AND_VALUE.match(line) or _lacks_space_after_dash(line) or is_text_entry:
            return self._no_key(above)
        first = Position(above, len(_indent(self._lines[above])))
        columns = (len(_indent(self._lines[number])) for number in range(above - 1, -1, -1))
        parent = next((each for each in columns if each < first.column), 0)
        if self._is_unusual(first.column, parent, column):
            return self._unusual_indentation(first)
        return SyntaxProblem(
            "the line is indented deeper than the one above, which has a value already",
            Position(self.at.line, column),
            "begin both lines in the same column, or remove the value above",
            (("the line above", first),),
        )

    def _is_unusual(self, column: int, parent: int, other: int) -> bool:
        """Return True if the usual indentation leads from ``parent`` to ``other``, but not to ``column``."""
        columns = [len(_indent(line)) for line in self._lines if line.strip()]
        steps = Counter(after - before for before, after in pairwise(columns) if after > before)
        step = steps.most_common(1)[0][0] if steps else 1
        return bool((column - parent) % step) and not (other - parent) % step

    def _unusual_indentation(self, start: Position) -> SyntaxProblem:
        message = "the indentation of this line does not match that of the lines below"
        return SyntaxProblem(message, start, _SAME_COLUMN, (("this line has another one", self.at),))

    def _no_key(self, number: int) -> SyntaxProblem:
        line = self._lines[number]
        position = Position(number, len(_indent(line)))
        if _lacks_space_after_dash(line):
            return SyntaxProblem("a space is missing after the dash", position, "write - and a space")
        if _MISSING_SPACE.match(line):
            return SyntaxProblem("a space is missing after the colon", position, "write key: value")
        message = "this line has no colon after a key, and is not an entry of a list"
        return SyntaxProblem(message, position, "write key: value, or indent text that goes on deeper")

    def of_indentation(self) -> SyntaxProblem | None:
        """Explain a line in a column in which no line above begins, or a line of the wrong kind."""
        if "document start" in self._problem:
            message = "the line is indented less than the first line of the document"
            return SyntaxProblem(message, self.at, "begin all fields of an object in the same column")
        if self._line[: self.at.column].strip():  # not at the start of its line
            if "block" not in self._context:
                return None
            return SyntaxProblem("unexpected text after a value", self.at, _WHOLE_IN_QUOTES)
        blocks = {block.start.column: block for block in self._structure.open if not block.is_flow}
        same = blocks.get(self.at.column)
        if same is None:
            return self._unmatched_indentation([blocks[column].start for column in sorted(blocks)])
        if same.is_sequence:
            message = "a field among the entries of a list"
            hint = "write - before it, or indent it as the fields of the entry above"
        elif self._character == "-":
            message = "an entry of a list among the fields of a mapping"
            hint = "indent it below the key of its list"
        else:
            return None
        return SyntaxProblem(message, self.at, hint, ((self._begin_text(same.start), same.start),))

    def _unmatched_indentation(self, starts: list[Position]) -> SyntaxProblem:
        """Blame the line, or the line above that began one of the open blocks in an unusual column."""
        left = [start for start in starts if start.column < self.at.column]
        right = [start for start in starts if start.column > self.at.column]
        near = (*left[-1:], *right[:1])
        for start in near:
            parents = [parent.column for parent in left if parent.column < start.column]
            if self._is_unusual(start.column, max(parents, default=0), self.at.column):
                return self._unusual_indentation(start)
        message = "the indentation of this line matches none of the lines above"
        related = tuple((self._begin_text(start), start) for start in near)
        return SyntaxProblem(message, self.at, _SAME_COLUMN, related)

    def _begin_text(self, start: Position) -> str:
        is_list = self._lines[start.line][start.column :].startswith("-")
        return "a list begins here" if is_list else "a mapping begins here"

    def _is_outside_of_text(self, number: int) -> bool:
        """Return True if the line is not part of a block of text, in which tabs are allowed."""
        last = self._structure.last
        if last is None or last.style not in ("|", ">"):
            return True
        return not position_of(last).line < number < _position(last.end_mark).line

    def _previous(self, number: int) -> int:
        """Return the last line above that is neither blank nor a comment; the line itself if none."""
        above = range(number - 1, -1, -1)
        return next(
            (n for n in above if self._lines[n].strip() and self._lines[n].lstrip()[0] != "#"), number
        )

    def _repaired(self, number: int, character: str) -> Position:
        """Return how much of the text can be read with ``character`` at the end of a line."""
        if sum(map(len, self._lines)) > _MOST_REPAIRED:
            return self.at
        repaired = self._lines.copy()
        repaired[number] = _without_comment(repaired[number]) + character
        try:
            read_events("\n".join(repaired), _read_all)
        except MarkedYAMLError as error:
            return _position(error.problem_mark or error.context_mark)
        except YAMLError:
            return self.at
        return _READABLE


def _read_all(source: EventSource) -> None:
    while source.get_event() is not None:
        pass


def _position(mark: ParserMark | None) -> Position:
    return Position(mark.line, mark.column) if mark else Position(0, 0)


def _lacks_space_after_dash(line: str) -> bool:
    """Return True if the line begins with a dash without a space after it."""
    return bool(re.match(r"\s*-[^\s-]", line))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def _without_comment(line: str) -> str:
    return re.split(r"\s#", line.rstrip("\r"), maxsplit=1)[0].rstrip()
