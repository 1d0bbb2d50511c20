"""Rendered files as text without confidential values.

A file is parsed, its values are masked in the trees, and these are written in vmrender's style: no fold,
quote or escape of a file can hide a value from the mask. A mark has a number for each value, so that a diff
of two texts shows which values differ. A text that cannot be parsed shows only lines that its other version
has, too.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.confidential.fields import SECTIONS_OF_SECRETS
from renderer.kubevirt.facts.confidential.masked import masked
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.confidential.scope import Scope, root_scope
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.diagnostic import DiagnosticError
from renderer.model.difference import NoValue
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, scalar_text, text_at
from renderer.model.kube.list_elements import child_at, element_index
from renderer.model.kube.res_id import without_hash
from renderer.model.log_line import log_line
from renderer.model.masking import MASK, Masking

_SECRET = "Secret"  # noqa: S105 - the kind
#: Without a number, no file has this; if one has, it shows *** there.
_MARK = "vmrender-masks-"
_MARKS = re.compile(rf"{_MARK}\d+")
_SECRET_FILE = re.compile(r"(^|/)secret(list)?[._/]")
#: A line by which Git separates the sides of a conflict.
_CONFLICT_MARKER = re.compile(r"(<{7}|>{7}|\|{7}|={7})(?: .*)?")


#: The keys and indexes on the way to a value.
_Place: TypeAlias = tuple[str | int, ...]


class MaskedFile(NamedTuple):
    """The two versions of a file, as texts with marks; None if a version does not exist."""

    before: str | None
    after: str | None

    def public_lines(self) -> frozenset[str]:
        """Return the lines of the version before that have no mark."""
        return _public_lines(self.before or "")


def without_marks(line: str) -> str:
    """Return a line with ``***`` for each mark."""
    return _MARKS.sub(MASK, line)


class ManifestMasking:
    """Masks files of one tree; equal values get equal marks."""

    def __init__(self, confidential: Masking) -> None:
        self._confidential = confidential
        self._numbers: dict[str, int] = {}
        self._in_other_files: dict[str, set[_Place]] = {}
        self._moved: set[tuple[str, ...]] = set()

    def note_moved(self, before: Iterable[bytes], after: Iterable[bytes]) -> None:
        """Note which fields are masked in objects that only one side has: they may have been renamed.

        What another one of these objects with the same kind, or with the same name without a hash, has there
        is most likely another value of the same Secret.
        """
        sides = [[each for file in files for each in _documents(file) or ()] for files in (before, after)]
        old, new = (set(map(_id, side)) for side in sides)
        self._moved = old ^ new if old - new and new - old else set()
        for document in (each for side in sides for each in side if _id(each) in self._moved):
            shown = masked(document, root_scope(), self._confidential, self._marked)
            places = frozenset(_changed_places(document, shown, ()))
            for name in _names_of(document) if places else ():
                self._in_other_files.setdefault(name, set()).update(places)

    def masked_file(self, path: str, before: bytes | None, after: bytes | None) -> MaskedFile:
        """Return both versions of the file at ``path``; the one after was written by vmrender."""
        wanted = _documents(after or b"") or ()
        found = None if before is None else _documents(before)
        old, new = _replaced_places(found or (), wanted)
        if self._in_other_files:
            old = [*map(self._with_places_elsewhere, found or (), old)]
            new = [*map(self._with_places_elsewhere, wanted, new)]
        written = self._written(wanted, [root_scope()] * len(wanted), new)
        shown_after = None if after is None else written if written is not None else self._opaque(after, "")
        if before is None:
            return MaskedFile(None, shown_after)
        text = None if found is None else self._written(found, [*_scopes(path, found, wanted)], old)
        return MaskedFile(text if text is not None else self._opaque(before, shown_after or ""), shown_after)

    def _written(
        self, documents: Sequence[Json], scopes: Sequence[Scope], places: Sequence[Collection[_Place]]
    ) -> str | None:
        """Return the text of the documents, with marks at places; None if they cannot be written."""
        from renderer.yamlio.encode import encode  # noqa: PLC0415 - only for what has changed

        try:
            return encode(map(self._masked_document, documents, scopes, places))
        except DiagnosticError:
            return None

    def _masked_document(self, document: Json, scope: Scope, places: Collection[_Place]) -> Json:
        shown = masked(document, scope, self._confidential, self._marked)
        return self._with_marks(shown, places, ()) if places else shown

    def _with_places_elsewhere(self, document: Json, places: Collection[_Place]) -> Collection[_Place]:
        names = _names_of(document) if _id(document) in self._moved else ()
        return frozenset(places).union(*(self._in_other_files.get(name, ()) for name in names))

    def _with_marks(self, shown: Json, places: Collection[_Place], at: _Place) -> Json:
        """Return a tree with a mark for each scalar, text or collection at one of the places."""
        if at in places and shown is not None and not (isinstance(shown, str) and _MARKS.fullmatch(shown)):
            return self._marked(shown)
        if isinstance(shown, dict):
            return {key: self._with_marks(child, places, _below(at, key)) for key, child in shown.items()}
        if isinstance(shown, list):
            return [self._with_marks(child, places, (*at, index)) for index, child in enumerate(shown)]
        return shown

    def _opaque(self, content: bytes, other: str) -> str:
        """Return a text that cannot be parsed, with a mark for each line that ``other`` does not show."""
        public = _public_lines(other)
        return "\n".join(self._line(line, public) for line in content.decode("utf-8", "replace").split("\n"))

    def _line(self, line: str, public: frozenset[str]) -> str:
        if line in public:
            return line
        marker = _CONFLICT_MARKER.fullmatch(line)
        if marker:
            return self._confidential.mask(log_line(line), self._mark)
        return self._mark(line) if line else line

    def _marked(self, value: Json) -> str:
        return self._mark(scalar_text(value) if not isinstance(value, dict | list) else repr(value))

    def _mark(self, text: str) -> str:
        return f"{_MARK}{self._numbers.setdefault(text, len(self._numbers))}"


def _public_lines(text: str) -> frozenset[str]:
    return frozenset(line for line in text.split("\n") if not _MARKS.search(line))


def _documents(content: bytes) -> Sequence[Json] | None:
    """Return the documents of a file; None if it cannot be parsed, or holds something else than objects."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - only for what has changed

    try:
        documents = decode_documents(content, "")
    except DiagnosticError:
        return None
    return documents if all(each is None or isinstance(each, dict) for each in documents) else None


def _scopes(path: str, before: Sequence[Json], after: Sequence[Json]) -> Iterator[Scope]:
    """Yield the scope of each document of a file that may have been edited since it was written.

    If a Secret of ``after`` is missing in ``before``, any document there that ``after`` lacks may be it, or
    one with the same name and values. A file whose name says that it was a Secret holds only Secrets.
    """
    kept = set(map(_identity, before))
    known = set(map(_identity, after))
    missing = {name for kind, name in known - kept if kind == _SECRET}
    for document in before:
        kind, name = _identity(document)
        is_other = (kind, name) not in known or (name in missing and _has_values(document))
        was_secret = _SECRET_FILE.search(path) is not None or (bool(missing) and is_other)
        yield root_scope(target=_SECRET) if was_secret else root_scope()


def _replaced_places(
    before: Sequence[Json], after: Sequence[Json]
) -> tuple[Sequence[Collection[_Place]], Sequence[Collection[_Place]]]:
    """Return the places in each document of two versions where the other refers to a Secret instead."""
    old, new = [set[_Place]() for _ in before], [set[_Place]() for _ in after]
    numbers = {_identity(each): number for number, each in enumerate(after)}
    for number, document in enumerate(before):
        other = numbers.get(_identity(document))
        if other is None:
            continue
        pair = document, after[other]
        fields = ConfidentialFields("", pair)
        for change in filter(fields.is_replaced, field_changes(*pair)):
            values = change.before, change.after
            for content, value, places in zip(pair, values, (old[number], new[other]), strict=True):
                is_reference = isinstance(value, dict) and NoValue.ABSENT not in values
                if value is not NoValue.ABSENT and not is_reference:
                    places.add(_indexed(content, change.field))
    return old, new


def _indexed(document: Json, field: FieldPath) -> _Place:
    """Return the path to a field with the indexes of elements."""
    place: _Place = ()
    value: Json = document
    for segment in field.segments:
        if isinstance(segment, str):
            place = _below(place, segment)
        else:
            place = *place, (element_index(value, segment) if isinstance(value, list) else None) or 0
        value = child_at(value, segment, None)
    return place


def _changed_places(value: Json, shown: Json, at: _Place) -> Iterator[_Place]:
    """Yield the places of what is masked in a tree, except in the identity of an object."""
    if isinstance(value, dict) and isinstance(shown, dict) and len(value) == len(shown):
        for (key, child), other in zip(value.items(), shown.values(), strict=True):
            yield from _changed_places(child, other, _below(at, key))
    elif isinstance(value, list) and isinstance(shown, list):
        for index, (child, other) in enumerate(zip(value, shown, strict=True)):
            yield from _changed_places(child, other, (*at, index))
    elif value != shown and at[:1] not in (("apiVersion",), ("kind",), ("metadata",)):
        yield at


def _below(at: _Place, key: str) -> _Place:
    """Return the place of an entry; all sections of Secrets and ConfigMaps have the same ones."""
    return (*at, "data" if not at and key in SECTIONS_OF_SECRETS else key)


def _names_of(document: Json) -> tuple[str, ...]:
    """Return the kind of an object, with a slash, and its name without a hash of its content."""
    kind, name = _identity(document)
    return f"{kind}/", without_hash(name)


def _identity(document: Json) -> tuple[str, str]:
    return text_at(document, "kind"), text_at(document, "metadata", "name")


def _id(document: Json) -> tuple[str, ...]:
    return (*_identity(document), text_at(document, "metadata", "namespace"))


def _has_values(document: Json) -> bool:
    return isinstance(document, dict) and not {"data", "stringData"}.isdisjoint(document)
