"""Learn from files, without building anything, what the Secrets of all overlays have.

Overlays that are not built in a run, since the cache knows their result or nobody asked for them, have
Secrets as well. So have files that no build reads: what somebody wrote there may be a password all the same.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from functools import lru_cache
from itertools import starmap

from renderer.files.file_system import (
    DelegatingFileSystem,
    FileSystem,
    folder_of,
    join_path,
)
from renderer.kubevirt.facts.confidential.conditions import resembles
from renderer.kubevirt.facts.confidential.fields import FILES_OF_GENERATORS, is_path_entry
from renderer.kubevirt.facts.confidential.malformed_text import entries_in_lines
from renderer.kubevirt.facts.confidential.values_elsewhere import (
    generators_in,
    may_have_values,
    named_in,
    named_in_text,
    names_in,
    values_as_written,
    values_in,
    values_in_malformed,
    values_of,
)
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kustomization import is_kustomization_file
from renderer.model.pattern import pattern
from renderer.model.run.learned_values import FluxPlaces, Values, confidential_values
from renderer.model.run.taint import texts_of
from renderer.model.run.work import spend
from renderer.project.validation_scope import ManifestFiles
from renderer.project.variables_in_files import flux_places, values_of_variables
from renderer.yamlio.decode import decode_documents

_SEPARATOR = pattern(rb"(?m)^---(?:[ \t]*+\r?\n)?")
#: The words in small letters of a text that may be whole scalars.
_WORDS = pattern(rb"(?<![\w.-])[a-z]+(?:-[a-z\d]+)*(?![\w.-])")
#: The beginnings of a text in UTF-16, which no build reads.
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
#: The name of a manifest, of a copy or template of one, and a name without an extension.
_NAME_OF_MANIFEST = pattern(r"(?is)\A[^.]+\Z|\.(?:ya?ml|json)(?:[-.~_].*)?\Z")
#: The fields of a generator with files of variables.
_ENVS = ("envs", "env")
_EXAMPLES = frozenset({".dist", ".example", ".sample", ".template"})
_WORK, _BYTES_PER_STEP = "looking for confidential values", 64
#: Bytes of files that are kept to be searched for words; the others are read again. Up to this many words are
#: searched for one by one.
_MOST_KEPT, _FEW = 16 * 1024 * 1024, 32


class ListableFiles(DelegatingFileSystem):
    """Files of which folders that cannot be listed are empty: the others have Secrets all the same."""

    def list(self, path: str) -> tuple[str, ...]:
        try:
            return super().list(path)
        except DiagnosticError:
            return ()


class _PossibleManifests(ManifestFiles):
    """Files that may be manifests, also under another name, such as ``secret.yaml.bak`` or ``secret``."""

    def is_candidate(self, path: str) -> bool:
        if self.is_excluded(path) or not _NAME_OF_MANIFEST.search(posixpath.basename(path)):
            return False
        return confined(self._fs.is_file, path)


def manifests_of_project(fs: FileSystem, excluded: Iterable[str], folders: Iterable[str]) -> frozenset[str]:
    """Return the manifests of a project, and what else its kustomizations and those in ``folders`` list."""
    found = _PossibleManifests(ListableFiles(fs), (), excluded).below(".")
    graph = KustomizationGraph(fs)
    listing = {folder_of(path) for path in found if is_kustomization_file(path)}
    return graph.files_in(graph.reached(listing.union(folders))).union(found)


class SecretsInFiles:
    """The values in files that no output may show, whichever overlay it is about."""

    def __init__(self, fs: FileSystem, files: Iterable[str]) -> None:
        self._fs = fs
        self._files = sorted(files)
        self._kept: dict[str, bytes] = {}

    def values(self) -> Values:
        """Return the values of Secrets in the files."""
        room = _MOST_KEPT
        every: list[Values] = []
        for path in self._files:
            content = _content(self._fs, path)
            if len(content) <= room:
                self._kept[path] = content
                room -= len(content)
            if may_have_values(content):
                values, generators = _values_in_text(content)
                folder = folder_of(path)
                entries = (entry for each in generators for entry in _entries_of(self._fs, folder, each))
                every += (values, *starmap(values_of, entries))
        return Values.union(every)

    def places(self) -> FluxPlaces:
        """Return where the files have Kustomizations of Flux."""
        return flux_places(self._files, self._read)

    def values_of_variables(self, names: AbstractSet[str], places: Callable[[], FluxPlaces]) -> Values:
        """Return the values that the files give in some places to variables."""
        return values_of_variables(names, self._files, self._read, places)

    def ordinary(self, values: Values) -> frozenset[str]:
        """Return the values that the files have as names.

        These are words in small letters as the name, namespace or label of an object, and words of any form
        in a field with the name of an image, a class or the like.
        """
        words, found = set(values.words), set[str]()
        tokens = values.words | values.tokens
        for path in self._files if tokens else ():
            content = self._read(path)
            has_token = _may_have(content, tokens) and not tokens.isdisjoint(named_in_text(content))
            if has_token or (words and _may_have_word(content, words)):
                documents = _documents(content, path) or ()
                found |= words.intersection(names_in(documents))
                found |= tokens.intersection(named_in([*documents]) if has_token else ())
                words -= found
        self._kept.clear()
        return frozenset(found)

    def _read(self, path: str) -> bytes:
        return self._kept[path] if path in self._kept else _content(self._fs, path)


def values_of_secrets(fs: FileSystem, files: Iterable[str]) -> frozenset[str]:
    """Return the values in files that no output may show, by what these files say alone."""
    return confidential_values((SecretsInFiles(fs, files),))


def _may_have(content: bytes, texts: AbstractSet[str]) -> bool:
    """Return False if a text surely has none of the texts."""
    return len(texts) > _FEW or any(each.encode("utf-8", "replace") in content for each in texts)


def _may_have_word(content: bytes, words: AbstractSet[str]) -> bool:
    """Return False if a text surely has none of the words as a scalar."""
    if len(words) <= _FEW:
        return _may_have(content, words)
    return not words.isdisjoint(each.decode() for each in _WORDS.findall(content))


@lru_cache(maxsize=1024)  # the sides of a comparison, and calls of the library, have most files in common
def _values_in_text(content: bytes) -> tuple[Values, Sequence[JsonObject]]:
    """Return the values in the documents of a text, and its generators of Secrets."""
    found: list[Values] = []
    generators: list[JsonObject] = []
    for part in filter(may_have_values, _SEPARATOR.split(content)):
        documents = _documents(part, "")
        text = part.decode("utf-8", "replace")
        found.append(values_in_malformed(text) if documents is None else values_as_written(text))
        for document in documents or ():
            found.append(values_in(document))
            generators += generators_in(document)
    return Values.union(found), generators


def _content(fs: FileSystem, path: str) -> bytes:
    content = b""
    with suppress(DiagnosticError):  # not a file, or unreadable, which whoever needs it reports
        content = fs.read(path)
    spend(1 + len(content) // _BYTES_PER_STEP, _WORK)
    return content.decode("utf-16", "replace").encode() if content.startswith(_UTF16) else content


def _documents(content: bytes, path: str) -> tuple[Json, ...] | None:
    """Return the documents in a text; None if it cannot be parsed, which a build reports."""
    with suppress(DiagnosticError):
        return decode_documents(content, path)
    return None


def _entries_of(fs: FileSystem, folder: str, generator: JsonObject) -> Iterator[tuple[str, str]]:
    """Yield the entries that a generator of Secrets reads from files, or has in the place of their paths."""
    for path in (text for key in _ENVS for text in texts_of(generator.get(key))):
        text = _text(fs, folder, path)
        lines = (line for line in text.splitlines() if not line.lstrip().startswith("#"))
        yield from entries_in_lines("\n".join(lines) or _content_in_place(path))
    for source in texts_of(generator.get(FILES_OF_GENERATORS)):
        key, equals, path = source.rpartition("=")
        text = _text(fs, folder, path)
        yield (key if equals else posixpath.basename(path)), text
        if not text:
            yield from entries_in_lines(_content_in_place(source))


def _content_in_place(path: str) -> str:
    """Return what is written in the place of the path of a file: entries with a key."""
    return "" if is_path_entry(path) else path


def may_read(fs: FileSystem, manifest: str, files: AbstractSet[str]) -> bool:
    """Return True if a generator of Secrets in a manifest reads one of the files, maybe through a link.

    In place of a file that is missing, it may mean any.
    """
    content, folder = _content(fs, manifest), folder_of(manifest)
    for generator in _values_in_text(content)[1] if may_have_values(content) else ():
        sources = (text for key in (*_ENVS, FILES_OF_GENERATORS) for text in texts_of(generator.get(key)))
        for path in (join_path(folder, each.rpartition("=")[2]) for each in sources):
            if not confined(fs.is_file, path) or fs.resolve(path) in files:
                return True
    return False


def _text(fs: FileSystem, folder: str, path: str) -> str:
    """Return the text of a file; of one that does not exist, the texts of the files that it may mean."""
    if not path or "\n" in path:
        return ""
    file = join_path(folder, path)
    files = [file] if confined(fs.is_file, file) else _files_meant(fs, file)
    return "\n".join(_content(fs, each).decode("utf-8", "replace") for each in files)


def _files_meant(fs: FileSystem, path: str) -> Iterator[str]:
    """Yield the files beside a path that differ from it by a letter, or by the extension.

    ``.env.example`` is not the file that is missing, as Git ignores it: it shows others what to write there.
    """
    folder, name = folder_of(path), posixpath.basename(path)
    stem = posixpath.splitext(name)[0]
    with suppress(DiagnosticError):
        for other in fs.list(folder) if confined(fs.is_folder, folder) else ():
            spend(1, _WORK)
            other_stem, extension = posixpath.splitext(other)
            if resembles(other, name) or (other_stem == stem and extension not in _EXAMPLES):
                yield join_path(folder, other)
