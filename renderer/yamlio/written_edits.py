"""Where a document, a patch or a text in it writes the field of an edit: the edit in its own coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.field_edit import (
    AddField,
    Edit,
    MoveField,
    RemoveField,
    RemoveItem,
    RenameField,
    SetField,
    edited_place,
    with_place,
)
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.kube.json import Json, scalar_text
from renderer.yamlio.documents import split_documents
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.marks import is_json_patch, value_of_name, written_by
from renderer.yamlio.node_tree import parse_document
from renderer.yamlio.nodes import Node
from renderer.yamlio.scalar_text import Style, style_of

_NULLS = ("", "~", "null", "Null", "NULL")
#: Mappings that mean nothing when they are empty: they are removed with their last field.
_GROUPS = frozenset({"annotations", "cpu", "labels", "limits", "memory", "requests", "resources"})


class WrittenEdits(NamedTuple):
    """Edits of a document; of the YAML in its text field ``inline``, unless that is the root.

    Their paths have indices for list elements. ``old`` is the scalar that the first edit replaces or removes,
    as YAML reads it; None for any other value.
    """

    inline: FieldPath
    edits: tuple[Edit, ...]
    old: str | None


class _Reached(NamedTuple):
    """The last node on the way to a field, with its path; ``rest`` is what the text does not have of it."""

    node: Node
    at: FieldPath
    rest: tuple[Segment, ...] = ()


def written_edits(document: Node, base: FieldPath, edits: Sequence[Edit]) -> WrittenEdits | None:
    """Return ``edits`` of the value at ``base`` as edits of the document, if it writes the edited field.

    A field that is reached through an alias or a merged mapping is written elsewhere. In a JSON patch,
    the value of the operation that writes the field is edited.
    """
    first, *others = edits
    place, inline = edited_place(first), ROOT
    start = _reach(_Reached(document, ROOT), base)
    if start is None or start.rest:
        return None
    if start.node.text is not None and place.segments:  # a patch as text in a kustomization
        inline, root = start.at, _document_in(start.node)
        if root is None:
            return None
        start = _Reached(root, ROOT)
    if is_json_patch(start.node):
        return _in_json_patch(start, inline, first) if not others else None
    reached = _reach(start, place)
    if reached is None:
        return None
    located = _moved_at(start, reached, first) if isinstance(first, MoveField) else _at(reached, first)
    if located is None:
        return None
    if isinstance(located, RenameField) and _has_field(start, located, len(start.at.segments)):
        return None
    if isinstance(located, RemoveField):
        located = _with_emptied_groups(start, located)
    names = dict(_indices(start, place))
    converted = (with_place(edit, _indexed(start.at, names, edited_place(edit))) for edit in others)
    old = reached.node.text if isinstance(located, SetField | RemoveField | RemoveItem) else None
    return WrittenEdits(inline, (located, *converted), old)


def _at(reached: _Reached, edit: Edit) -> Edit | None:
    """Return the edit at the node; a field to add gets the mappings that are missing around it."""
    if not isinstance(edit, AddField):
        changes_nothing = isinstance(edit, SetField) and _is_written(reached.node, edit.value)
        return None if reached.rest or changes_nothing else with_place(edit, reached.at)
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


def _is_written(node: Node, value: Json) -> bool:
    """Return True if the scalar is written as such already, so that another place decides it."""
    if node.text is None or isinstance(value, dict | list):
        return False
    is_text = node.style != "" or style_of(node.text) is Style.PLAIN
    return node.text == scalar_text(value) and is_text == isinstance(value, str)


def _moved_at(start: _Reached, reached: _Reached, edit: MoveField) -> MoveField | None:
    """Return the edit at the node, if the text has a mapping without that field where it moves to."""
    into, name = _reach(start, edit.to.parent), str(edit.to.segments[-1])
    if reached.rest or into is None or into.rest:
        return None
    is_free = into.node.is_mapping and into.node.entry(name) is None
    return MoveField(reached.at, into.at.child(name)) if is_free else None


def _has_field(start: _Reached, edit: RenameField, depth: int) -> bool:
    """Return True if the mapping has a field of the new name already."""
    parent = _reach(start, FieldPath(edit.field.parent.segments[depth:]))
    return parent is None or parent.node.entry(edit.name) is not None


def _with_emptied_groups(start: _Reached, edit: RemoveField) -> RemoveField:
    """Return the edit that removes the mappings as well that would be empty, and mean nothing then."""
    field, depth = edit.field, len(start.at.segments)
    while len(field.segments) > depth + 1 and field.parent.segments[-1] in _GROUPS:
        above = _reach(start, FieldPath(field.parent.segments[depth:]))
        if above is None or above.rest or len(tuple(above.node.entries())) > 1:
            break
        field = field.parent
    return RemoveField(field)


def _reach(start: _Reached, place: FieldPath) -> _Reached | None:
    """Follow the path below ``start`` as far as the text itself goes; None at an alias."""
    node, at, _ = start
    for depth, segment in enumerate(place.segments):
        if node.is_alias:
            return None
        step = _step(node, segment)
        if step is None:
            return _Reached(node, at, place.segments[depth:])
        node, at = step[0], at.child(step[1])
    return None if node.is_alias else _Reached(node, at)


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
            reached = _reach(start, FieldPath(place.segments[:depth]))
            if reached is None or reached.rest:
                return
            index = reached.at.segments[-1]
            assert isinstance(index, int)  # noqa: S101 - the last step led to an element
            yield place.segments[:depth], index


def _indexed(base: FieldPath, indices: dict[tuple[Segment, ...], int], place: FieldPath) -> FieldPath:
    """Return the place below ``base`` with the known ``indices`` of elements."""
    segments = place.segments
    return base.child(*(indices.get(segments[: n + 1], segment) for n, segment in enumerate(segments)))


def _in_json_patch(start: _Reached, inline: FieldPath, edit: Edit) -> WrittenEdits | None:
    patch, place = start.node, edited_place(edit)
    found = written_by(patch, place, place)
    if found is None:
        return None
    operation, rest = found
    number = next(n for n, each in enumerate(patch.elements()) if each is operation)
    value = operation.entry("value")
    at = start.at.child(number)
    if isinstance(edit, RemoveField | RemoveItem) and not rest.segments:
        return WrittenEdits(inline, (RemoveItem(at),), value[1].text if value else None)
    if value is None or isinstance(edit, MoveField) or (isinstance(edit, RenameField) and not rest.segments):
        return None
    inner = written_edits(value[1], ROOT, [with_place(edit, rest)])
    if inner is None or inner.inline != ROOT:
        return None
    below = tuple(with_place(each, at.child("value", *edited_place(each).segments)) for each in inner.edits)
    return WrittenEdits(inline, below, inner.old)


def _document_in(scalar: Node) -> Node | None:
    """Return the root of the only document in a text; None if it has several, or none."""
    with suppress(UnusableError, YAMLError):
        chunks = split_documents(scalar.text or "")
        if len(chunks) == 1:
            root = parse_document(chunks[0].text).root
            return root if root is not None and root.text is None else None
    return None
