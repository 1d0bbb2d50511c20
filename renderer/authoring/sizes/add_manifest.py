"""Add a new manifest to a folder that people edit as well: its file, and its entry in the kustomization."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.kustomization import KUSTOMIZATION_HEAD
from renderer.yamlio.decode import decode_documents, decode_yaml11
from renderer.yamlio.edit import add_entry
from renderer.yamlio.encode import encode

_RESOURCES = "resources"


@dataclass(frozen=True, slots=True)
class ManifestPlace:
    """The new file, and the kustomization of its folder, with their present content; None if missing."""

    file: str
    present: bytes | None
    kustomization: str
    listing: bytes | None


def add_manifest(manifest: JsonObject, place: ManifestPlace, *, force: bool) -> Mapping[str, bytes]:
    """Return the files that change, with their new content; the file before the kustomization that lists it.

    Raises ``DiagnosticError``: foreign-file for an existing file, which ``force`` replaces unless it has
    other objects; edit-refused, and errors of the decoder.
    """
    content = encode([manifest]).encode()
    changes = {} if place.present == content else {place.file: content}
    if changes and place.present is not None:
        _check_replaceable(manifest, place.file, place.present, force=force)
    listing = _with_entry(place)
    if listing != place.listing:
        changes[place.kustomization] = listing
    return changes


def _with_entry(place: ManifestPlace) -> bytes:
    """Return the kustomization with the new file among its resources, which may be there already."""
    name = posixpath.basename(place.file)
    if place.listing is None:
        return encode([{**KUSTOMIZATION_HEAD, _RESOURCES: [name]}]).encode()
    root = object_at(decode_yaml11(place.listing, place.kustomization))
    fields = [key for key in root if key.lower() == _RESOURCES]
    entries: list[Json] = [entry for key in fields for entry in array_at(root, key)]
    if any(isinstance(entry, str) and entry and posixpath.normpath(entry) == name for entry in entries):
        return place.listing
    return add_entry(place.listing, place.kustomization, _RESOURCES, name)


def _check_replaceable(manifest: JsonObject, file: str, present: bytes, *, force: bool) -> None:
    if not force:
        raise Diagnostic.in_file(
            file, Code.FOREIGN_FILE, f"{file} is there already", "--force replaces it; or give another --name"
        ).error()
    documents = [document for document in decode_documents(present, file) if document is not None]
    if any(_identity(document) != _identity(manifest) for document in documents):
        hint = "give another --name, or move its objects to another file"
        raise Diagnostic.in_file(
            file, Code.FOREIGN_FILE, f"{file} has other objects, which would be lost", hint
        ).error()


def _identity(document: Json) -> tuple[Json, ...]:
    content, metadata = object_at(document), object_at(document, "metadata")
    return (content.get("kind"), metadata.get("name"), metadata.get("namespace"))
