"""What there is to say of a file: its documents, the items of a List, the patches in a kustomization."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from renderer.migration.api_versions import of_selector
from renderer.migration.change import Finding, Left
from renderer.migration.json_patches import findings_in_patch, is_json_patch
from renderer.migration.rules import findings
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.json import Json, JsonObject, array_at, object_at, text_at
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.field_edits import EditedText

_PATCHES = ("patches", "patchesjson6902")


class Found(NamedTuple):
    """A finding in the text that it is about."""

    where: EditedText
    finding: Finding


def in_resource_file(content: bytes, path: str, patched_kinds: str | None) -> Iterator[Found]:
    """What there is to say of a file of objects or patches, in order. Raises ``DiagnosticError``.

    ``patched_kinds`` matches the kinds that a JSON 6902 patch is for; None when the file is used as none.
    """
    for index, document in enumerate(decode_documents(content, path)):
        for found in _in_document(document, patched_kinds):
            yield Found(EditedText(index), found)


def in_kustomization(content: bytes, path: str) -> Iterator[Found]:
    """What there is to say of the patches written in a kustomization, and of how it selects objects.

    Raises ``DiagnosticError``.
    """
    kustomization = object_at(decode_yaml11(content, path))
    own = EditedText(is_kustomization=True)
    for place, selector in _selectors(kustomization):
        found = of_selector(selector)
        if found:
            yield Found(own, found.below(place))
    for inline, text, kinds in _texts(kustomization):
        yield from _in_text(own._replace(inline=inline), text, kinds)


def _in_document(document: Json, patched_kinds: str | None) -> Iterator[Finding]:
    if isinstance(document, list):
        if patched_kinds is not None and is_json_patch(document):
            yield from findings_in_patch(document, patched_kinds)
        return
    content = object_at(document)
    if text_at(content, "kind").endswith("List"):
        for index, item in enumerate(array_at(content, "items")):
            for found in findings(object_at(item)):
                yield found.below(FieldPath.of("items", index))
    else:
        yield from findings(content)


def _in_text(where: EditedText, text: str, kinds: str) -> Iterator[Found]:
    try:
        documents = decode_documents(text.encode(), "")
    except DiagnosticError:  # a path, or what the build has to say something about
        return
    for document in documents:
        for found in _in_document(document, kinds):
            if len(documents) == 1:
                yield Found(where, found)
            else:
                yield Found(where, _in_one_of_many(found))


def _in_one_of_many(found: Finding) -> Left:
    if isinstance(found, Left):
        return found._replace(field=ROOT)
    message = f"{found.before} is deprecated, and stands in a text of several documents"
    return Left(ROOT, message, f"write {found.after}, or move the patches into a file", found.since)


def _texts(kustomization: JsonObject) -> Iterator[tuple[FieldPath, str, str]]:
    """The patches it holds itself, with the kinds that each is for."""
    for name, value in kustomization.items():
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            place = FieldPath.of(name, index)
            if name.lower() in _PATCHES and text_at(entry, "patch"):
                yield place.child("patch"), text_at(entry, "patch"), text_at(entry, "target", "kind")
            elif name.lower() == "patchesstrategicmerge" and isinstance(entry, str) and "\n" in entry:
                yield place, entry, ""


def _selectors(kustomization: JsonObject) -> Iterator[tuple[FieldPath, JsonObject]]:
    for name, value in kustomization.items():
        for index, entry in enumerate(value if isinstance(value, list) else ()):
            place = FieldPath.of(name, index)
            if name.lower() in _PATCHES:
                yield place.child("target"), object_at(entry, "target")
            elif name.lower() == "replacements":
                yield from _selectors_of_replacement(object_at(entry), place)


def _selectors_of_replacement(entry: JsonObject, place: FieldPath) -> Iterator[tuple[FieldPath, JsonObject]]:
    yield place.child("source"), object_at(entry, "source")
    for index, target in enumerate(array_at(entry, "targets")):
        yield place.child("targets", index, "select"), object_at(target, "select")
        for number, rejected in enumerate(array_at(target, "reject")):
            yield place.child("targets", index, "reject", number), object_at(rejected)
