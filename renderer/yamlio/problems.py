"""Diagnostics of files that cannot be read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import DocumentEndEvent, DocumentStartEvent, ScalarEvent

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.fix import Fix
from renderer.model.kube.location import Location
from renderer.yamlio.documents import Chunk, first_document, may_end_early, split_documents, text_of
from renderer.yamlio.errors import DuplicateKeyError, UnusableError, shown_key
from renderer.yamlio.events import EventSource, Position, position_of, read_events
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node
from renderer.yamlio.syntax_errors import explain_syntax_error

#: Fields that each Kubernetes object has.
_OF_EVERY_OBJECT = ("apiVersion", "kind", "metadata")
#: The most lines that the hint of a missing ``---`` names, and that its fix has: each finding has them all.
_MOST_NAMED_LINES, _MOST_FIXED_LINES = 20, 200


def unusable(error: UnusableError, path: str, first_line: int = 0) -> DiagnosticError:
    """Return the error for a text that cannot be used; its document begins on ``first_line``, from 0."""
    location = _location(path, Position(first_line + (error.line or 0), error.column))
    return Diagnostic.in_file(location, error.code, str(error), error.hint).error()


def malformed(error: YAMLError, chunk: Chunk, path: str) -> DiagnosticError:
    """Return the error for a document that the parser refuses."""
    problem = explain_syntax_error(chunk.text, error)

    def located(position: Position) -> Location:
        return _location(path, Position(chunk.first_line + position.line, position.column))

    return Diagnostic.in_file(
        located(problem.position),
        Code.YAML_SYNTAX,
        problem.message,
        problem.hint,
        related=tuple(Related(message, location=located(position)) for message, position in problem.related),
    ).error()


def duplicate_keys(error: DuplicateKeyError, chunk: Chunk, path: str) -> DiagnosticError:
    """Return the error about every repeated key, with both lines; or that the document is malformed."""
    try:
        root = parse_document(chunk.text).root
    except YAMLError as malformation:
        return malformed(malformation, chunk, path)
    if root is None:
        return unusable(error, path, chunk.first_line)
    separators = _missing_separators(root)
    nodes = [node for node in root.walk() if node is not root or not separators]
    repeated = [pair for node in nodes for pair in _duplicates(node)]
    if not separators and not repeated:
        return unusable(error, path, chunk.first_line)
    lines = tuple(chunk.first_line + second.position.line + 1 for _, second in separators)
    hint = f"write --- on a line of its own above {_in_words(lines)}"
    fix = Fix((), (), separators=lines) if len(lines) <= _MOST_FIXED_LINES else None
    return DiagnosticError(
        *(
            _missing_separator(first, second, chunk.first_line, path)._replace(hint=hint, fix=fix)
            for first, second in separators
        ),
        *(_duplicate(first, second, chunk.first_line, path) for first, second in repeated),
    )


def repeated_keys(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Return a finding for each key that is repeated in the outermost mapping of the first document."""
    try:
        chunks = split_documents(text_of(content))
        chunk = chunks[first_document(chunks)]
        root = parse_document(chunk.text).root
    except (IndexError, UnusableError, YAMLError):
        return ()
    pairs = _duplicates(root) if root else ()
    return tuple(_duplicate(first, second, chunk.first_line, path) for first, second in pairs)


def unread_text(content: bytes, path: str) -> tuple[Diagnostic, ...]:
    """Return a warning for the first document of a file that ends before its text.

    kustomize and kubectl cut a file at each line ``---``, and read one document of each part (kyaml
    ``kio/byteio_reader.go``; apimachinery ``pkg/util/yaml/decoder.go``). A line ``...`` ends it, and so does
    ``---`` after what breaks a line in YAML but not for them, such as U+2028.
    """
    if not may_end_early(content):
        return ()
    try:
        for chunk in split_documents(text_of(content)):
            rest = _rest_of(chunk.text) if may_end_early(chunk.text.encode()) else None
            if rest is not None:
                place = Position(chunk.first_line + rest.line, rest.column)
                return (
                    Diagnostic.in_file(
                        _location(path, place),
                        Code.IGNORED_DOCUMENT,
                        "the document above ends before this text, which kustomize and kubectl do not read",
                        "write --- on a line of its own above it, or remove it",
                        severity=Severity.WARNING,
                    ),
                )
    except (UnusableError, YAMLError):  # reported where the file is read
        return ()
    return ()


def _rest_of(text: str) -> Position | None:
    """Return where a second document has content; None if there is none. Raises ``YAMLError``."""

    def second(source: EventSource) -> Position | None:
        while not isinstance(source.get_event(), DocumentEndEvent):
            pass
        try:
            if not isinstance(source.get_event(), DocumentStartEvent):
                return None
            root = source.get_event()
        except MarkedYAMLError as error:
            mark = error.problem_mark
            return Position(mark.line, mark.column) if mark else None
        is_empty = isinstance(root, ScalarEvent) and not root.value and not root.style
        return None if is_empty else position_of(root)

    return read_events(text, second)


def _duplicates(mapping: Node) -> Iterator[tuple[Node, Node]]:
    seen: dict[str, Node] = {}
    for key, _ in mapping.entries():
        if key.text in seen:
            yield seen[key.text], key
        elif key.text is not None:
            seen[key.text] = key


def _missing_separators(mapping: Node) -> Sequence[tuple[Node, Node]]:
    """Return the key with which each further object in the outermost mapping begins, after its namesake.

    Objects without ``---`` between them repeat ``apiVersion`` and ``kind``.
    """
    starts: list[tuple[Node, Node]] = []
    repeated: set[str] = set()
    of_object: dict[str, Node] = {}
    for key, _ in mapping.entries():
        if key.text not in _OF_EVERY_OBJECT:
            continue
        if key.text in of_object:
            starts.append((of_object[key.text], key))
            repeated.update(of_object)
            of_object = {}
        of_object[key.text] = key
    is_next_object = bool(starts) and {"apiVersion", "kind"} <= repeated & of_object.keys()
    return starts if is_next_object else ()


def _in_words(lines: Sequence[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    if len(lines) > _MOST_NAMED_LINES:
        return f"line {lines[0]} and the {len(lines) - 1} other lines that begin an object"
    return f"lines {' and '.join(map(str, lines))}"


def _missing_separator(first: Node, second: Node, first_line: int, path: str) -> Diagnostic:
    return Diagnostic.in_file(
        _location(path, Position(first_line + second.position.line, second.position.column)),
        Code.YAML_DUPLICATE_KEY,
        f"a second object begins here: {second.text} is written twice",
        related=(
            Related(
                f"{first.text} is first written here",
                location=_location(path, Position(first_line + first.position.line, first.position.column)),
            ),
        ),
    )


def _duplicate(first: Node, second: Node, first_line: int, path: str) -> Diagnostic:
    here, there = (
        _location(path, Position(first_line + key.position.line, key.position.column))
        for key in (second, first)
    )
    key = shown_key(second.text or "")
    return Diagnostic.in_file(
        here,
        Code.YAML_DUPLICATE_KEY,
        f"the key {key} is written twice, on lines {there.line} and {here.line}",
        "remove one of the two",
        related=(Related(f"{key} is first written here", location=there),),
    )


def _location(path: str, place: Position) -> Location:
    return Location(path, place.line + 1, place.column + 1)
