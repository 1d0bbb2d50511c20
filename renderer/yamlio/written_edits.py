"""Where a document, a patch or a text in it writes the field of an edit: the edit in its own coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.field_edit import (
    AddField,
    Edit,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
    edited_place,
    with_place,
)
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.yamlio.documents import split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.marks import is_json_patch, value_of_name, written_by
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node

_NULLS = ("", "~", "null", "Null", "NULL")


class WrittenEdits(NamedTuple):
    """Edits of a document; of the YAML in its text field ``inline``, unless that is the root.

    Their paths have indices for list elements. ``old`` is the scalar that the first edit replaces or removes,
    as YAML reads it; None for any other value.
    """

    inline: FieldPath
    edits: tuple[Edit, ...]
    old: str | None


class _Reached(NamedTuple):
    """The last node on the way to a field, which ``rest`` does not lead on from.

    ``at`` is its path in the document, or in the text at ``inline``.
    """

    node: Node
    inline: FieldPath
    at: FieldPath
    rest: tuple[Segment, ...]


def written_edits(root: Node, base: FieldPath, edits: Sequence[Edit]) -> WrittenEdits | None:
    """Return ``edits`` of the value at ``base`` as edits of the document, if it writes the edited field.

    A field behind an alias or a merged mapping is written elsewhere. In a JSON patch, the value of the
    operation that writes the field is edited.
    """
    first, *others = edits
    start = _reach(root, base.segments)
    if start is None or start.rest:
        return None
    if is_json_patch(start.node):
        return _in_json_patch(start, first) if not others else None
    place = edited_place(first)
    reached = _reach(start.node, place.segments, start)
    if reached is None:
        return None
    located = _at(reached, first)
    if located is None:
        return None
    names = dict(_indices(start, place))
    converted = (with_place(edit, _indexed(start.at, names, edited_place(edit))) for edit in others)
    return WrittenEdits(reached.inline, (located, *converted), _old(located, reached.node))


def _old(edit: Edit, node: Node) -> str | None:
    return node.text if isinstance(edit, SetField | RemoveField | RemoveItem) else None


def _at(reached: _Reached, edit: Edit) -> Edit | None:
    """Return the edit at the node; a field to add gets the mappings that are missing around it."""
    if not isinstance(edit, AddField):
        return None if reached.rest else with_place(edit, reached.at)
    if not all(isinstance(segment, str) for segment in reached.rest):
        return None
    value, name = edit.value, edit.name
    for segment in reversed(reached.rest):
        value, name = {name: value}, str(segment)
    if reached.node.text is not None:
        is_null = reached.node.text in _NULLS and not reached.node.style
        return SetField(reached.at, {name: value}) if is_null and reached.at != ROOT else None
    if not reached.node.is_mapping or reached.node.entry(name) is not None:
        return None
    return AddField(reached.at, name, value)


def _reach(node: Node, segments: Sequence[Segment], start: _Reached | None = None) -> _Reached | None:
    """Follow the segments as far as the text itself goes; None at an alias."""
    inline, at = (start.inline, start.at) if start else (ROOT, ROOT)
    for depth, segment in enumerate(segments):
        if node.is_alias:
            return None
        if node.text is not None:
            root = _document_in(node) if inline == ROOT else None
            if root is None:
                return _Reached(node, inline, at, tuple(segments[depth:]))
            node, inline, at = root, at, ROOT
        step = _step(node, segment)
        if step is None:
            return _Reached(node, inline, at, tuple(segments[depth:]))
        node, at = step[0], at.child(step[1])
    return None if node.is_alias else _Reached(node, inline, at, ())


def _step(node: Node, segment: Segment) -> tuple[Node, str | int] | None:
    if isinstance(segment, str):
        entry = None if node.is_alias else next((e for e in _entries(node) if e[0].text == segment), None)
        return (entry[1], segment) if entry else None
    elements = node.elements()
    index = (
        node.index(segment.key, segment.value, value_of_name) if isinstance(segment, ElementName) else segment
    )
    return (elements[index], index) if index is not None and 0 <= index < len(elements) else None


def _entries(node: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the entries, the last and effective one of equal keys first."""
    return reversed(tuple(node.entries()))


def _indices(start: _Reached, place: FieldPath) -> Iterator[tuple[tuple[Segment, ...], int]]:
    """Yield the index of each list element on the way to ``place``, by the path that leads to it."""
    for depth, segment in enumerate(place.segments, start=1):
        if not isinstance(segment, str):
            reached = _reach(start.node, place.segments[:depth], start)
            if reached is None or reached.rest:
                return
            index = reached.at.segments[-1]
            assert isinstance(index, int)  # noqa: S101 - the last step led to an element
            yield place.segments[:depth], index


def _indexed(base: FieldPath, indices: dict[tuple[Segment, ...], int], place: FieldPath) -> FieldPath:
    """Return the place below ``base`` with the known ``indices`` of elements."""
    segments = place.segments
    return base.child(*(indices.get(segments[: n + 1], segment) for n, segment in enumerate(segments)))


def _in_json_patch(start: _Reached, edit: Edit) -> WrittenEdits | None:
    patch, place = start.node, edited_place(edit)
    found = written_by(patch, place, place)
    if found is None:
        return None
    operation, rest = found
    number = next(n for n, each in enumerate(patch.elements()) if each is operation)
    value = operation.entry("value")
    at = start.at.child(number)
    if isinstance(edit, RemoveField | RemoveItem) and not rest.segments:
        return WrittenEdits(start.inline, (RemoveItem(at),), value[1].text if value else None)
    if value is None or (isinstance(edit, RenameField) and not rest.segments):
        return None
    inner = written_edits(value[1], ROOT, [with_place(edit, rest)])
    if inner is None or inner.inline != ROOT:
        return None
    below = tuple(with_place(each, at.child("value", *edited_place(each).segments)) for each in inner.edits)
    return WrittenEdits(start.inline, below, inner.old)


def _document_in(scalar: Node) -> Node | None:
    """Return the root of the only document in a text; None if it has several, or none."""
    with suppress(UnusableError, YAMLError):
        chunks = split_documents(scalar.text or "")
        if len(chunks) == 1:
            root = parse_document(chunks[0].text).root
            return root if root is not None and root.text is None else None
    return None
