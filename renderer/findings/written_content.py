"""Recognise content that is written where a path or a mapping belongs, such as a patch under ``path``.

A message such as ``no such file: password=…`` would repeat the value in it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from renderer.kubevirt.facts.confidential.fields import is_path_entry
from renderer.model.credential_text.search import credential_forms
from renderer.model.diagnostic import DiagnosticError
from renderer.model.pattern import pattern
from renderer.model.run.readings import SHORTEST
from renderer.model.run.taint import texts_of
from renderer.yamlio.decode import decode_documents

#: A collection of YAML with a value, an element of one, XML; ``key: value`` and ``key=value``. There is no
#: such key before the colon of an address, and in a placeholder.
_CONTENT = pattern(
    r"\s*(?:(?:\{(?!\{)|\[)[^:=]*[:=]|<|-\s|[\w./-]{1,80}[\"']?\s{0,9}(?:=|:\s))",
)


def contents_in(texts: Iterable[str]) -> Iterator[str]:
    """Yield what a message may repeat of those texts that are content, and neither a path nor a word."""
    for text in texts:
        if is_content(text):
            yield from _contents_of_manifest(text)
            yield from _spellings(text)
            value = text.partition("=")[2]
            if len(value) >= SHORTEST and (is_content(value) or not is_path_entry(text)):
                yield from _spellings(value)


@lru_cache(maxsize=16)
def _contents_of_manifest(text: str) -> Sequence[str]:
    """Return what a message may repeat of a manifest in a list of paths: of a generator with content there.

    Findings about a text come one after the other.
    """
    if not text.lstrip().startswith(("{", "[")) and "\n" not in text.strip():
        return ()
    try:
        documents = decode_documents(text.encode("utf-8", "replace"), "")
    except DiagnosticError:
        return ()
    values = (value for each in documents for value in texts_of(each) if value != text)
    return tuple(contents_in(values))


def is_content(text: str) -> bool:
    """Return True for a text that is not meant as a path or a word."""
    return (
        "\n" in text.strip() or _CONTENT.match(text) is not None or any(True for _ in credential_forms(text))
    )


def _spellings(text: str) -> Iterator[str]:
    """Yield a text, also as the path that it would be, from the folder that it leads to."""
    path = posixpath.normpath(text)
    yield from (text, path, path.lstrip("./"))
