"""The manifests of one side that have one of several words: to look for names in a whole repository."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.files.file_system import readable_content
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import JsonObject, array_at, object_at
from renderer.model.pattern import pattern
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_documents

_WORD = pattern(rb"[\w.-]+")
#: Bytes of a file that are searched in a step (``model.run.work``).
_BYTES_PER_STEP = 20


class Manifest(NamedTuple):
    """A manifest, and the words that were looked for and are in it.

    ``documents`` are what it holds, with the items of lists; None if it cannot be read.
    """

    path: str
    words: frozenset[str]
    documents: Sequence[JsonObject] | None


def manifests_with(side: Side, words: Collection[str]) -> Iterator[Manifest]:
    """Yield the manifests of a side that have any of the words."""
    for path in side.listing.manifests:
        content = readable_content(side.fs, path) or b""
        spend(len(content) // _BYTES_PER_STEP, "looking for names in all manifests")
        found = {word.decode() for word in _WORD.findall(content)}
        if not found.isdisjoint(words):
            yield Manifest(path, frozenset(found.intersection(words)), documents_of(content, path))


def documents_of(content: bytes, path: str) -> Sequence[JsonObject] | None:
    """Return the documents of a manifest, with the items of lists; None if it cannot be read."""
    try:
        documents = decode_documents(content, path)
    except DiagnosticError:  # a template, or broken; reported where it is used
        return None
    items = (item for each in documents for item in (each, *array_at(each, "items")))
    return [object_at(each) for each in items]
