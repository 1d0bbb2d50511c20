"""Change single fields of a YAML file that people edit, without changing any other byte.

The meaning of each edit is checked: the file is read again, and must equal the edited JSON.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

from yaml.error import YAMLError

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_edit import (
    AddField,
    AddItem,
    Edit,
    RemoveField,
    RemoveItem,
    SetField,
    apply_edits,
)
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import Site
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.documents import split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.node_tree import DocumentNodes, parse_document
from renderer.yamlio.nodes import Node
from renderer.yamlio.splices import Splice, apply_splices, nodes_to, splices_of

_SEPARATOR = re.compile(r"\n---[^\n]*\n")
_BYTE_ORDER_MARK = "\ufeff"
#: The maximum number of entries in a hint. This many edits or more are combined, if possible.
_MOST_NAMED = _FEW = 3


class EditedText(NamedTuple):
    """The text to edit: a document of a file by its number, or the text in its field ``inline``.

    ``is_kustomization``: it is read like a kustomization, so that only the first document counts.
    """

    document: int = 0
    inline: FieldPath = ROOT
    is_kustomization: bool = False


_KUSTOMIZATION = EditedText(is_kustomization=True)


class RefusedEditError(ValueError):
    """The file is written in a way in which the edit would change more than intended."""


def add_entry(content: bytes, path: str, field: str, entry: Json, *, before: int | None = None) -> bytes:
    """Return the file with ``entry`` in the list ``field`` of its root mapping, last or ``before`` an item.

    A file whose list already has the entry is returned unchanged; a missing field is added. ``path`` is for
    error messages. Raises ``DiagnosticError``: the decoder's errors, and edit-refused.
    """
    name, entries = _entries(content, path, field)
    if entry in (entries or ()):
        return content
    place = FieldPath.of(name)
    edit = AddField(ROOT, name, [entry]) if entries is None else AddItem(place, entry, before)
    hint = f"add {entry!r} to {name} yourself, and run this again"
    return _edited_list(content, Site(path, 0, place), hint, edit)


def add_entries(content: bytes, path: str, field: str, entries: Iterable[Json]) -> bytes:
    """Return the file with all ``entries`` at the end of the list, as ``add_entry`` adds one."""
    name, present = _entries(content, path, field)
    wanted: list[Json] = []
    wanted.extend(each for each in entries if each not in (present or ()) and each not in wanted)
    if not present and wanted:
        content, wanted = add_entry(content, path, field, wanted[0]), wanted[1:]
    if not wanted:
        return content
    place = FieldPath.of(name)
    hint = f"add {', '.join(map(repr, wanted[:_MOST_NAMED]))} to {name} yourself, and run this again"
    return _edited_list(content, Site(path, 0, place), hint, *(AddItem(place, each) for each in wanted))


def add_elements(
    content: bytes, path: str, place: FieldPath, key: str, elements: Iterable[JsonObject]
) -> bytes:
    """Return the file with those ``elements`` at the end of a list whose ``key`` no element of it has.

    ``place`` is the list in the first document. Raises ``DiagnosticError``: the decoder's errors, and
    edit-refused.
    """
    listed = value_at(decode_documents(content, path)[0], place.segments)
    present = {text_at(each, key) for each in (listed if isinstance(listed, list) else ())}
    missing = [each for each in elements if text_at(each, key) not in present]
    if not missing:
        return content
    names = ", ".join(text_at(each, key) for each in missing)
    hint = f"add {names} to {place} yourself, and run this again"
    return _edited_list(
        content, Site(path, 0, place), hint, *(AddItem(place, each) for each in missing), where=EditedText()
    )


def remove_entry(content: bytes, path: str, field: str, unwanted: Collection[str]) -> bytes:
    """Return the file without those entries in the list ``field``; a list that becomes empty is removed.

    ``path`` is for error messages. Raises ``DiagnosticError`` like ``add_entry``.
    """
    name, entries = _entries(content, path, field)
    place = FieldPath.of(name)
    found = [index for index, entry in enumerate(entries or ()) if entry in unwanted]
    edits: list[Edit] = [RemoveItem(place.child(index)) for index in reversed(found)]
    if found and len(found) == len(entries or ()):
        edits = [RemoveField(place)]
    hint = f"remove {' and '.join(sorted(unwanted))} from {name} yourself"
    for edit in edits:
        content = _edited_list(content, Site(path, 0, place), hint, edit)
    return content


def _entries(content: bytes, path: str, field: str) -> tuple[str, Sequence[Json] | None]:
    """Return the field's name as the file spells it, whose case may differ, and its list; None if missing."""
    root = object_at(decode_yaml11(content, path))
    alike = [key for key in root if key.lower() == field.lower()]
    name = field if field in root or not alike else alike[-1]
    if name not in root:
        return name, None
    entries = root[name]
    return name, entries if isinstance(entries, list) else ()


def _edited_list(
    content: bytes, site: Site, hint: str, *edits: Edit, where: EditedText = _KUSTOMIZATION
) -> bytes:
    try:
        return edit_fields(content, where, edits)
    except RefusedEditError:
        message = f"{site.field} is written in a way that cannot be edited safely"
        raise Diagnostic.at(site, Code.EDIT_REFUSED, message, hint).error() from None


def edit_fields(content: bytes, where: EditedText, edits: Sequence[Edit]) -> bytes:
    """Return the file with ``edits`` applied one after another, and nothing else changed.

    Raises ``RefusedEditError`` for a file in which that is impossible: through an alias, for example.
    """
    return edit_places(content, [(where, edits)])


def separate_documents(content: bytes, lines: Sequence[int]) -> bytes:
    """Return the file with ``---`` above each of the lines of one document; they count from 1.

    Raises ``RefusedEditError`` if the objects that it is cut into are not readable.
    """
    try:
        *_, document = (each for each in split_documents(text_of(content)) if each.first_line < lines[0])
        decode_documents(
            _separated(document.text.encode(), [line - document.first_line for line in lines]), ""
        )
    except (DiagnosticError, UnusableError) as error:
        raise RefusedEditError(str(error)) from error
    return _separated(content, lines)


def _separated(content: bytes, lines: Sequence[int]) -> bytes:
    separator = b"---\r\n" if b"\r\n" in content else b"---\n"
    written, first_lines = content.splitlines(keepends=True), frozenset(lines)
    return b"".join(separator + line if n in first_lines else line for n, line in enumerate(written, 1))


def rewrite_document(content: bytes, document: int, rewritten: Callable[[str], str]) -> bytes:
    """Return the file with one document, by its number, replaced by what ``rewritten`` makes of its text."""
    text = content.decode()
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    start, end = _document_spans(text)[document]
    return f"{mark}{text[:start]}{rewritten(text[start:end])}{text[end:]}".encode()


def block_mapping(text: str) -> Node:
    """Return the mapping that a document is. Raises ``RefusedEditError`` if it has no lines of its own."""
    try:
        root = parse_document(text).root
    except (YAMLError, UnusableError) as error:
        raise RefusedEditError(str(error)) from error
    if root is None or not root.is_mapping or not root.is_block:
        raise RefusedEditError("it is not a mapping with lines of its own")
    return root


def edit_places(content: bytes, places: Sequence[tuple[EditedText, Sequence[Edit]]]) -> bytes:
    """Return the file with the edits of several places of one document; the places must not overlap.

    The document is parsed once for the first edits of all places, once for the second ones, and so on.
    Raises ``RefusedEditError`` like ``edit_fields``.
    """
    text, [where, *_] = content.decode(), [where for where, _ in places]
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    text = text.removeprefix(mark)
    start, end = (0, len(text)) if where.is_kustomization else _document_spans(text)[where.document]
    before = after = text[start:end]
    try:
        insertion = _combined_insertion(before, where.inline, places[0][1]) if len(places) == 1 else None
        after = _edit_text(before, places) if insertion is None else apply_splices(before, [insertion])
        is_right = all(_changes_nothing_else(before, after, places))
    except UnusableError as error:
        raise RefusedEditError(str(error)) from error
    except (YAMLError, DiagnosticError, LookupError):
        is_right = False
    if not is_right:
        raise RefusedEditError("something else depends on it")
    return f"{mark}{text[:start]}{after}{text[end:]}".encode()


def _edit_text(text: str, places: Sequence[tuple[EditedText, Sequence[Edit]]]) -> str:
    for edits in zip_longest(*(edits for _, edits in places)):
        spend(len(text), "editing files")  # a step for each character (``model.run.work``)
        document = parse_document(text)
        splices = [
            splice
            for (where, _), edit in zip(places, edits, strict=True)
            if edit is not None
            for splice in _splices(text, document, where.inline, edit)
        ]
        text = apply_splices(text, splices)
    return text


def _changes_nothing_else(
    before: str, after: str, places: Sequence[tuple[EditedText, Sequence[Edit]]]
) -> Iterator[bool]:
    """Yield, for each place, True if its new text equals the edited value, and last the same for the rest."""
    rest, new_rest = (_read_document(text, places[0][0]) for text in (before, after))
    for where, edits in places:
        if where.inline == ROOT:
            rest = apply_edits(rest, edits)
        else:
            [part], [new_part] = (
                decode_documents(_text_at(each, where.inline).encode(), "") for each in (rest, new_rest)
            )
            yield new_part == apply_edits(part, edits)
            rest, new_rest = (apply_edits(each, [SetField(where.inline, None)]) for each in (rest, new_rest))
    yield new_rest == rest


def _read_document(text: str, where: EditedText) -> Json:
    if where.is_kustomization:
        document = decode_yaml11(text.encode(), "")
    else:
        [document] = decode_documents(text.encode(), "")
    return {} if document is None else document


def _combined_insertion(text: str, inline: FieldPath, edits: Sequence[Edit]) -> Splice | None:
    """Return the one insertion that adds several items at the end of a list; None for other edits.

    A long text is parsed once for all of them.
    """
    lists = {edit.into if isinstance(edit, AddItem) and edit.before is None else None for edit in edits}
    if inline != ROOT or len(edits) < _FEW or len(lists) != 1 or None in lists:
        return None
    document = parse_document(text)
    splices = [splice for edit in edits for splice in splices_of(text, document, edit)]
    if len(splices) != len(edits) or len({(start, end) for start, end, _ in splices}) != 1:
        return None
    start, end, _ = splices[0]
    return Splice(start, end, "".join(new for _, _, new in splices)) if start == end else None


def _document_spans(text: str) -> list[tuple[int, int]]:
    """Return start and end of each document, cut as in ``split_documents``, with line breaks as written."""
    separators = list(_SEPARATOR.finditer(text))
    starts = [0, *(separator.end() for separator in separators)]
    return list(zip(starts, [*(separator.start() + 1 for separator in separators), len(text)], strict=True))


def _splices(text: str, document: DocumentNodes, inline: FieldPath, edit: Edit) -> Sequence[Splice]:
    if inline == ROOT:
        return splices_of(text, document, edit)
    if document.root is None:
        raise UnusableError("the document is empty")
    scalar = nodes_to(document.root, inline)[-1]
    lines = _inline_lines(text, scalar)
    newline = "\r\n" if "\r\n" in text else "\n"
    return [
        Splice(lines.outer_index(start), lines.outer_index(end), new.replace("\n", newline + lines.indent))
        for start, end, new in splices_of(scalar.text or "", parse_document(scalar.text or ""), edit)
    ]


class _InlineLines(NamedTuple):
    """The offsets of a literal scalar's lines: in its text, and in the file after their indentation."""

    inner: Sequence[int]
    outer: Sequence[int]
    indent: str

    def outer_index(self, index: int) -> int:
        """Return the offset in the file of a character of the scalar's text."""
        line = bisect_right(self.inner, index) - 1
        return self.outer[line] + index - self.inner[line]


def _inline_lines(text: str, scalar: Node) -> _InlineLines:
    """Map a scalar's lines. Raises ``UnusableError`` if its lines differ from the lines of the file."""
    if text[scalar.start : scalar.end] == f"'{scalar.text}'":
        return _InlineLines([0], [scalar.start + 1], "")
    if scalar.style != "|":
        raise UnusableError("the text is not on its own lines")
    lines = (scalar.text or "").split("\n")
    starts = [text.index("\n", scalar.start) + 1]
    for _ in lines[1:]:
        starts.append(text.find("\n", starts[-1]) + 1 or len(text))
    written = [text[start:].split("\n", 1)[0].removesuffix("\r") for start in starts]
    indents = {shown.removesuffix(line) for shown, line in zip(written, lines, strict=True) if line.strip()}
    indent = indents.pop() if len(indents) == 1 else ""
    if not indent or indent.strip(" "):
        raise UnusableError("the lines of the text are not those of the file")
    inner = list(accumulate((len(line) + 1 for line in lines[:-1]), initial=0))
    return _InlineLines(inner, [start + len(indent) for start in starts], indent)


def _text_at(document: Json, field: FieldPath) -> str:
    value = document
    for segment in field.segments:
        value = value[segment]  # type: ignore[index]  # the tree of the text has it
    return str(value)
