"""Diagnostics of files that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from yaml.error import MarkedYAMLError, YAMLError
from yaml.reader import Reader

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.location import Location
from renderer.yamlio.documents import Chunk
from renderer.yamlio.errors import DuplicateKeyError, UnusableError
from renderer.yamlio.events import Position
from renderer.yamlio.nodes import Node, parse_nodes

_HINTS = {
    "mapping values are not allowed": "put text that holds a colon and a space in quotes",
    "unknown escape": "use single quotes, in which a backslash is just that",
    "cannot start any token": "put text that begins with this character in quotes",
}


def unusable(error: UnusableError, path: str, first_line: int = 0) -> DiagnosticError:
    """What the text cannot mean; ``first_line`` is that of the document in the file, from 0."""
    place = Position(first_line + (error.line or 0), error.column)
    return _problem(error.code, str(error), _location(path, place), error.hint)


def malformed(error: YAMLError, chunk: Chunk, path: str) -> DiagnosticError:
    """What the parser found wrong."""
    if isinstance(error, MarkedYAMLError) and error.problem:
        mark = error.problem_mark or error.context_mark
        place = Position(mark.line, mark.column) if mark else Position(0, 0)
        message = _sentence(error, chunk.first_line)
    else:
        place, message = _unprintable(chunk.text)
    location = _location(path, Position(chunk.first_line + place.line, place.column))
    return _problem(Code.YAML_SYNTAX, message, location, _hint(message, chunk.text, place))


def _sentence(error: MarkedYAMLError, first_line: int) -> str:
    """The problem and, if it began further up, where."""
    if not error.context:
        return error.problem or "the text is not YAML"
    start, end = error.context_mark, error.problem_mark
    begins = (
        f" that begins on line {first_line + start.line + 1}"
        if start and end and start.line < end.line
        else ""
    )
    return f"{error.problem}, {error.context}{begins}"


def _hint(message: str, text: str, place: Position) -> str | None:
    lines = text.split("\n", place.line + 1)
    if lines[min(place.line, len(lines) - 1)][place.column : place.column + 1] == "\t":
        return "indent with spaces; YAML takes no tabs there"
    return next((hint for sign, hint in _HINTS.items() if sign in message), None)


def _unprintable(text: str) -> tuple[Position, str]:
    found = re.search(Reader.NON_PRINTABLE, text)
    if not found:
        return Position(0, 0), "the text is not YAML"
    start = found.start()
    place = Position(text.count("\n", 0, start), start - text.rfind("\n", 0, start) - 1)
    return place, f"the control character U+{ord(found[0]):04X} is not allowed in YAML"


def duplicate_keys(error: DuplicateKeyError, chunk: Chunk, path: str) -> DiagnosticError:
    """Every key of the document that is written twice, with the lines of both; or that it is malformed."""
    try:
        root = parse_nodes(chunk.text)
    except YAMLError as malformation:
        return malformed(malformation, chunk, path)
    pairs = [pair for node in root.walk() for pair in _duplicates(node)] if root else []
    if not pairs:
        return unusable(error, path, chunk.first_line)
    return DiagnosticError(*(_duplicate(first, second, chunk.first_line, path) for first, second in pairs))


def _duplicates(mapping: Node) -> Iterator[tuple[Node, Node]]:
    seen: dict[str, Node] = {}
    for key, _ in mapping.entries():
        if key.text in seen:
            yield seen[key.text], key
        elif key.text is not None:
            seen[key.text] = key


def _duplicate(first: Node, second: Node, first_line: int, path: str) -> Diagnostic:
    here, there = (
        _location(path, Position(first_line + key.place.line, key.place.column)) for key in (second, first)
    )
    return Diagnostic(
        code=Code.YAML_DUPLICATE_KEY,
        message=f"the key {second.text} is written twice, on lines {there.line} and {here.line}",
        location=here,
        hint="remove one of the two",
        related=(Related(f"{first.text} is first written here", location=there),),
    )


def _location(path: str, place: Position) -> Location:
    return Location(path, place.line + 1, place.column + 1)


def _problem(code: Code, message: str, location: Location, hint: str | None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=code, message=message, location=location, hint=hint))
