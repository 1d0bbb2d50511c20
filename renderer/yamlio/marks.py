"""Find the line and column of a field, and the field that is written on a line."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment, parse_pointer
from renderer.model.kube.json import Json
from renderer.model.kube.list_elements import element_path
from renderer.model.pattern import pattern
from renderer.model.run.work import may_find_lines, spend
from renderer.yamlio.decode import decode_documents
from renderer.yamlio.dialects import MERGE_KEY
from renderer.yamlio.documents import Chunk, first_document, split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import Position, has_other_breaks
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node, after_properties
from renderer.yamlio.texts_on_lines import TextsOnLines

#: The operations of a JSON patch that write a value.
_WRITING = ("add", "replace", "copy", "move")
_BLOCK_HEADER = pattern(r"[|>][-+0-9]*")
_COMMENT = pattern(r"(?:^|\s)#.*")
_QUOTES = ("'", '"')
#: The maximum number of characters that a mark covers; reports show fewer.
_LONGEST = 1000
#: The maximum number of nodes at and below a field of which the texts are wanted.
_MOST_NEAR = 1_000
#: The characters of the documents of a file that are kept parsed, and those that are parsed in one step.
_MOST_KEPT, _CHARACTERS_PARSED_PER_STEP = 1 << 18, 2
#: The work steps of finding out what is on the lines of a file, for each character; the characters of texts
#: that are searched in one step (``model.run.work``).
_STEPS_PER_CHARACTER, _CHARACTERS_PER_STEP, _SEARCHING = 8, 8, "looking for confidential values"


def _place_in_document(scalar: Node, inner: Position) -> Position:
    """Return the position in a scalar's document of a position in its text.

    Only the lines of a literal scalar are lines of the document. Any other text is folded or quoted, and the
    result is the position of the scalar. The same applies after a YAML line break that is not a line feed.
    """
    start, lines = scalar.position, scalar.source.lines
    line = start.line + 1 + inner.line
    text = (scalar.text or "").split("\n")
    if scalar.style != "|" or line >= len(lines) or inner.line >= len(text):
        return start
    if any(map(has_other_breaks, lines[start.line : line + 1])):
        return start
    indent = len(lines[line].rstrip("\r")) - len(text[inner.line])
    return Position(line, max(indent, 0) + inner.column)


@lru_cache(maxsize=256)  # each finding asks for the patches of a kustomization again
def _documents_in(text: str) -> tuple[tuple[Node, int], ...]:
    """Return the mappings and sequences in a text, each with the line on which it begins."""
    may_find_lines(2 * len(text))
    documents: list[tuple[Node, int]] = []
    try:
        chunks = split_documents(text)
    except UnusableError:
        return ()
    for chunk in chunks:
        with suppress(YAMLError):
            root = parse_document(chunk.text).root
            if root and root.text is None:
                documents.append((root, chunk.first_line))
    return tuple(documents)


def is_json_patch(root: Node) -> bool:
    """Return True if the document is a list of JSON 6902 operations."""
    elements = root.elements()
    return bool(elements) and all(_texts(element).keys() >= {"op", "path"} for element in elements)


def written_by(patch: Node, field: FieldPath, indexed: FieldPath) -> tuple[Node, FieldPath] | None:
    """Return the last operation that wrote ``field``, and the rest of the field below its value.

    An operation that removed the field counts as well if the field is known by name: its index may now belong
    to another element. ``indexed`` is the field with the indices that named elements have in the patched
    object, if known.
    """
    for operation in reversed(patch.elements()):
        texts = _texts(operation)
        pointer = parse_pointer(texts["path"])
        if len(pointer) > len(field.segments):
            continue
        named = tuple(zip(pointer, field.segments, indexed.segments, strict=False))
        if not all(_matches_segment(*each) for each in named):
            continue
        if texts["op"] in _WRITING and not _writes_other_element(operation, field.segments[: len(pointer)]):
            return operation, FieldPath(field.segments[len(pointer) :])
        is_certain = not any(
            isinstance(segment, int) or isinstance(at, ElementName) for _, segment, at in named
        )
        if texts["op"] == "remove" and is_certain:
            return operation, FieldPath()
    return None


def _writes_other_element(operation: Node, target: tuple[Segment, ...]) -> bool:
    """Return True if the operation writes a whole element with another name than the one at ``target``."""
    value, element = operation.entry("value"), target[-1] if target else None
    name = value[1].entry(element.key) if value and isinstance(element, ElementName) else None
    return isinstance(element, ElementName) and name is not None and name[1].text != element.value


def _texts(operation: Node) -> Mapping[str, str]:
    return {
        key.text: value.text
        for key, value in operation.entries()
        if key.text is not None and value.text is not None
    }


def _matches_segment(written: str, segment: Segment, indexed: Segment) -> bool:
    if isinstance(segment, str):
        return written == segment
    if written == "-":
        return True
    if isinstance(indexed, ElementName):  # the element is not in the base, so its index is not known
        return written.isdecimal()
    return written == str(indexed)


class Mark(NamedTuple):
    """A line and column of a file, from 1. If it is not ``exact``, it is the nearest ancestor's position.

    ``end`` is the first column after the marked text; 0 if it is not known.
    """

    line: int
    column: int
    exact: bool
    end: int = 0


class WrittenValue(NamedTuple):
    """The value of a field as it is written: the line of its key, its own first line, and its text."""

    key_line: int
    line: int
    text: str


class _Found(NamedTuple):
    """A field in a document, with the positions of its key and value in the file; elements are their own key.

    ``key`` is None for the root. If it is not ``exact``, it is the nearest existing ancestor.
    """

    key: Node | None
    value: Node
    key_at: Position
    value_at: Position
    exact: bool = True

    @classmethod
    def at(cls, key: Node | None, value: Node, *, exact: bool = True) -> _Found:
        """Return the field at the positions of its nodes."""
        return cls(key, value, key.position if key else value.position, value.position, exact)

    @property
    def is_element(self) -> bool:
        return self.key is self.value

    def mark(self, first_line: int, *, of_value: bool) -> Mark:
        """Return the mark of the key; ``of_value``: of the value, unless that is a block or empty."""
        if of_value and self.exact and self.key and not self.is_element and _is_inline(self.value):
            begin, end = _marked_span(self.value)
            if begin < end:
                (line, column), end = self.value_at, self.value_at.column + end
                return Mark(first_line + line + 1, column + begin + 1, exact=True, end=end + 1)
        line, column = self.key_at
        if self.key is None:
            return Mark(first_line + line + 1, column + 1, exact=self.exact)
        begin, end = _marked_span(self.key)
        return Mark(first_line + line + 1, column + begin + 1, self.exact, column + end + 1)


def _is_inline(value: Node) -> bool:
    """Return False for blocks of entries and for empty values: a mark of these is on the key."""
    return not value.is_block and bool(value.items or value.text or (value.style and value.text is not None))


def _marked_span(node: Node) -> tuple[int, int]:
    """Return the start and end of the marked part of a node, in characters from its start.

    It has no anchor and tag, and ends with the first line: a block of text is marked at its header.
    """
    line = node.source.text[node.start : node.start + _LONGEST].partition("\n")[0].rstrip("\r")
    begin = after_properties(line, 0)
    header = _BLOCK_HEADER.match(line, begin) if node.is_block_scalar else None
    if header:
        return begin, header.end()
    length = len(line) + 1 if node.is_block else node.end - node.start
    if length > len(line):
        length = len((line if node.style in _QUOTES else _COMMENT.sub("", line, count=1)).rstrip())
    return begin, max(begin, length)


class MarkedFile:
    """A file in which fields are looked up; each document is parsed on first use.

    ``document`` counts as in ``decode_documents``; 0 is also the only document that ``decode_yaml11`` reads.
    A document that cannot be parsed has no fields.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        #: The roots of documents and the lengths of their texts; the one used last comes last.
        self._roots: dict[int, tuple[Node | None, int]] = {}
        self._kept = 0
        self._parsed: set[int] = set()

    def texts_on_line(self, number: int) -> Sequence[str]:
        """Return a line, and the values of which it has a part; nothing of a file that cannot be read."""
        return self._texts_on_lines.at(number)

    @cached_property
    def _texts_on_lines(self) -> TextsOnLines:
        spend(_STEPS_PER_CHARACTER * sum(len(each.text) for each in self._chunks), _SEARCHING)
        return TextsOnLines(self._chunks)

    def find(
        self, document: int, field: FieldPath, indexed: FieldPath | None = None, *, of_value: bool = False
    ) -> Mark | None:
        """Return the place of the key of ``field``, or of the element itself in a list.

        ``of_value``: of the value, unless that is a block or empty.

        Aliases and ``<<`` are followed to the place where the value is written, and so is a text that
        contains YAML. In a JSON patch the place is the operation that wrote the field; ``indexed`` is the
        field as such a patch names it. None for an empty document.
        """
        node = self._root(document)
        if node is None:
            return None
        found = _find(node, field, indexed or field)
        return found.mark(self._chunk(document).first_line, of_value=of_value)

    def written(
        self, document: int, field: FieldPath, indexed: FieldPath | None = None
    ) -> WrittenValue | None:
        """Return the value of ``field``, found as by ``find``; None if the document does not have it."""
        node = self._root(document)
        found = _find(node, field, indexed or field) if node else None
        if found is None or not found.exact:
            return None
        first, value = self._chunk(document).first_line + 1, found.value
        text = value.source.text[value.start : value.end]
        return WrittenValue(first + found.key_at.line, first + found.value_at.line, text)

    def position_in_scalar(self, document: int, field: FieldPath, line: int, column: int) -> Mark | None:
        """Return the place of a line and column, from 1, of the text of the scalar at ``field``."""
        node = _value_at(self._root(document), field)
        if node is None or node.text is None:
            return None
        chunk = self._chunk(document)
        place = _place_in_document(node, Position(line - 1, column - 1))
        return Mark(chunk.first_line + place.line + 1, place.column + 1, exact=True)

    def indexed(self, document: int, field: FieldPath) -> FieldPath:
        """Return the field with indices in place of element names, where the document has these elements."""
        node, segments = self._root(document), list[Segment]()
        for segment in field.segments:
            if node and isinstance(segment, ElementName):
                index = _index(node, segment)
                segment = segment if index is None else index  # noqa: PLW2901 - the same by another name
            step = _step(node, segment) if node else None
            node = step[1] if step else None
            segments.append(segment)
        return FieldPath(tuple(segments))

    def root(self, document: int) -> tuple[int, Node | None]:
        """Return the document's number among all, counting empty ones, and its root."""
        return document or first_document(self._chunks), self._root(document)

    def text_of(self, number: int) -> str:
        """Return the text of a document by its number among all."""
        return self._chunks[number].text

    def texts(self, document: int, fields: Iterable[FieldPath]) -> tuple[str | None, ...]:
        """Return the scalars at ``fields`` as they are written; None for all other fields."""
        found = (_value_at(self._root(document), field) for field in fields)
        return tuple(node.text if node else None for node in found)

    def tree(self, document: int) -> Json:
        """Return the document as JSON; None if it cannot be read."""
        with suppress(DiagnosticError, IndexError):
            text = self._chunk(document).text
            spend(len(text) // _CHARACTERS_PARSED_PER_STEP, _SEARCHING)
            return next(iter(decode_documents(text.encode("utf-8", "surrogatepass"), "")), None)
        return None

    def texts_near(self, document: int, field: FieldPath) -> Sequence[str]:
        """Return the scalars at and below a field, or below the field around one that is not written."""
        node = self._root(document)
        for segment in field.segments:
            step = _step(node, segment) if node else None
            if step is None:
                break
            node = step[1]
        nodes = list(islice(node.walk(), _MOST_NEAR)) if node else []
        texts = [each.text for each in nodes if each.text]
        spend(len(nodes) + sum(map(len, texts)) // _CHARACTERS_PER_STEP, _SEARCHING)
        return texts

    @cached_property
    def _chunks(self) -> Sequence[Chunk]:
        content, self._content = self._content, b""  # otherwise a long file would be in memory twice
        try:
            return split_documents(text_of(content))
        except UnusableError:
            return []

    def _chunk(self, document: int) -> Chunk:
        return self._chunks[document or first_document(self._chunks)]

    def _root(self, document: int) -> Node | None:
        """Return the root of the document. The last ones are kept, as findings relate documents to others.

        A document that has been parsed before counts as work.
        """
        if document in self._roots:
            self._roots[document] = self._roots.pop(document)  # the last one used
            return self._roots[document][0]
        root, text = None, ""
        with suppress(YAMLError, IndexError):
            text = self._chunk(document).text
            if document in self._parsed:
                spend(len(text) // _CHARACTERS_PARSED_PER_STEP, "looking for the lines of findings")
            root = parse_document(text).root
        self._parsed.add(document)
        self._kept += len(text)
        self._roots[document] = root, len(text)
        while len(self._roots) > 1 and self._kept > _MOST_KEPT:
            self._kept -= self._roots.pop(next(iter(self._roots)))[1]
        return root


def _value_at(node: Node | None, field: FieldPath) -> Node | None:
    for segment in field.segments:
        step = _step(node, segment) if node else None
        node = step[1] if step else None
    return node


def _find(node: Node, field: FieldPath, indexed: FieldPath) -> _Found:
    if field.segments and isinstance(field.segments[0], str) and is_json_patch(node):
        return _find_in_patch(node, field, indexed)
    key: Node | None = None
    for depth, segment in enumerate(field.segments):
        step = _step(node, segment)
        if step is None:
            rest = FieldPath(field.segments[depth:]), FieldPath(indexed.segments[depth:])
            return _find_in_embedded_yaml(node, *rest) or _Found.at(key, node, exact=False)
        key, node = step
    return _Found.at(key, node)


def _find_in_embedded_yaml(scalar: Node, field: FieldPath, indexed: FieldPath) -> _Found | None:
    """Find the field in the text of a scalar, which is YAML; the scalar itself, unless it is literal."""
    for root, first_line in _documents_in(scalar.text or ""):
        found = _find(root, field, indexed)
        if found.exact:
            key_at, value_at = (
                _place_in_document(scalar, Position(first_line + line, column))
                for line, column in (found.key_at, found.value_at)
            )
            if scalar.position in (key_at, value_at):
                return _Found.at(scalar, scalar)
            return found._replace(key_at=key_at, value_at=value_at)
    return None


def _find_in_patch(patch: Node, field: FieldPath, indexed: FieldPath) -> _Found:
    found = written_by(patch, field, indexed)
    if found is None:
        return _Found.at(None, patch, exact=False)
    operation, rest = found
    key, value = _entry(operation, "value") or (operation, operation)
    if not rest.segments:
        return _Found.at(key, value)
    inner = _find(value, rest, rest)
    return inner if inner.exact else _Found.at(key, value, exact=False)


def _step(node: Node, segment: Segment) -> tuple[Node, Node] | None:
    """Return the key and the value of an entry; an element is both."""
    if isinstance(segment, str):
        return _entry(node, segment)
    if isinstance(segment, int):
        elements = node.elements()[segment : segment + 1] if segment >= 0 else []
    else:
        index = _index(node, segment)
        elements = [] if index is None else [node.elements()[index]]
    return (elements[0], elements[0]) if elements else None


def _entry(node: Node, name: str) -> tuple[Node, Node] | None:
    """Return the last entry with that name, the effective one if keys may be repeated."""
    found = node.entry(name)
    return found or (_merged_entry(node, name) if node.entry(MERGE_KEY) else None)


def _merged_entry(node: Node, name: str) -> tuple[Node, Node] | None:
    """Return the entry with that name in the mappings that ``<<`` merges into the node, or into them."""
    seen: set[int] = set()  # the ids of lists of items, which an alias shares with its anchor
    waiting = deque([node])
    while waiting:
        mapping = waiting.popleft()
        if id(mapping.items) in seen:
            continue
        seen.add(id(mapping.items))
        found = mapping.entry(name)
        if found:
            return found
        for key, value in mapping.entries():
            if key.text == MERGE_KEY:
                waiting += [value] if value.is_mapping else value.elements()
    return None


def _index(sequence: Node, name: ElementName) -> int | None:
    """Return the index of the element that has the name."""
    return sequence.index(name.key, name.value, value_of_name)


def value_of_name(element: Node, key: str) -> Node | None:
    """Return the value of the field that names an element."""
    for part in element_path(key):
        entry = _entry(element, part)
        if entry is None:
            return None
        element = entry[1]
    return element


class WrittenField(NamedTuple):
    """A document, counted as in ``decode_documents``, and a field of it with indices for list elements."""

    document: int
    field: FieldPath


def field_at_line(content: bytes, line: int) -> WrittenField | None:
    """Return the field that is written or continued on ``line``, from 1; None outside of any document.

    If there are several, return the last, innermost one.
    """
    try:
        chunks = split_documents(text_of(content))
        number = max((n for n, chunk in enumerate(chunks) if chunk.first_line < line), default=0)
        root = parse_document(chunks[number].text).root
    except (UnusableError, YAMLError):
        return None
    if root is None:
        return None
    in_chunk = line - 1 - chunks[number].first_line
    fields = [field for at, field in _fields(root, ROOT, set()) if at <= in_chunk]
    return WrittenField(number, fields[-1] if fields else ROOT)


def _fields(node: Node, at: FieldPath, seen: set[int]) -> Iterator[tuple[int, FieldPath]]:
    """Yield each field below ``node`` with the line, from 0, of its key or element.

    Subtrees shared by aliases are visited once: ``seen`` has the ids of the lists of items.
    """
    if id(node.items) in seen:
        return
    seen.add(id(node.items))
    children = [(key.position.line, at.child(key.text or ""), value) for key, value in node.entries()]
    children += [(each.position.line, at.child(i), each) for i, each in enumerate(node.elements())]
    for line, field, value in children:
        yield line, field
        yield from _fields(value, field, seen)
