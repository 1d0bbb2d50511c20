"""Search the repository for objects that no catalog has: instance types, preferences, feature gates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice

from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, KUBEVIRT, MATCHER_TYPE_OF
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Definition
from renderer.model.render_config import PROJECT_FILE
from renderer.project.validation_scope import ManifestFiles
from renderer.yamlio.decode import decode_documents

#: The maximum number of files searched, in the order of the tree.
_MOST_FILES = 5_000
#: The words in a file of instance types, of preferences, or of a series of them.
_WORDS = re.compile(rb"Instancetype|Preference")
_KUBEVIRT = re.compile(rb"\bkind\b\W+KubeVirt\b")
_GATES = ("spec", "configuration", "developerConfiguration", "featureGates")
_NAME = FieldPath.of("metadata", "name")

#: Returns the objects that a generator at a site makes, each with its own site; empty for any other object.
Generate = Callable[[JsonObject, Site], Iterable[tuple[JsonObject, Site]]]


class Definitions:
    """The instance types, preferences and gates in a repository, read on first use."""

    def __init__(self, fs: FileSystem, files: ManifestFiles, generate: Generate) -> None:
        self._fs = fs
        self._files = files
        self._graph = KustomizationGraph(fs)
        self._generate = generate

    def find(self, kinds: Iterable[str], name: str) -> Definition | None:
        """Return the first definition of an object with that name and one of ``kinds``.

        Return None if the repository cannot be listed: this is only for a hint.
        """
        try:
            found = self._definitions
        except DiagnosticError:
            return None
        return next((found[kind, name] for kind in kinds if (kind, name) in found), None)

    @cached_property
    def feature_gates(self) -> Mapping[str, tuple[str, ...]]:
        """The feature gates that the ``KubeVirt`` objects of the repository list, by file."""
        gates: dict[str, tuple[str, ...]] = {}
        with suppress(DiagnosticError):
            for file in islice(self._files.below("."), _MOST_FILES):
                for content, _ in self._objects(file, _KUBEVIRT):
                    if content.get("kind") == KUBEVIRT:
                        listed = (gate for gate in array_at(content, *_GATES) if isinstance(gate, str))
                        gates[file] = (*gates.get(file, ()), *listed)
        return gates

    @cached_property
    def _definitions(self) -> dict[tuple[str, str], Definition]:
        found: dict[tuple[str, str], Definition] = {}
        for file in islice(self._files.below("."), _MOST_FILES):
            for content, site in self._objects(file, _WORDS):
                kind, name = text_at(content, "kind"), text_at(content, "metadata", "name")
                group = text_at(content, "apiVersion").partition("/")[0]
                if kind in MATCHER_TYPE_OF and group == INSTANCETYPE_GROUP and (kind, name) not in found:
                    found[kind, name] = Definition(kind, site, self._catalog_hint(file))
        return found

    def _objects(self, file: str, words: re.Pattern[bytes]) -> Iterator[tuple[JsonObject, Site]]:
        """Yield the objects in a file with one of the words.

        A file that cannot be read yields none; it is reported where it is used.
        """
        try:
            content = self._fs.read(file)
            documents = decode_documents(content, file) if words.search(content) else ()
        except DiagnosticError:
            return
        for index, document in enumerate(documents):
            site = Site(file, index)
            items = array_at(document, "items")
            for number, item in enumerate(items):
                yield object_at(item), site.below("items", number).child(_NAME)
            if not items:
                yield object_at(document), site.child(_NAME)
                try:
                    yield from self._generate(object_at(document), site)
                except DiagnosticError:
                    continue

    def _catalog_hint(self, file: str) -> str:
        """Return the lines that add the definitions in the file to the catalogs of the project."""
        folders = self._graph.folders_listing(file)
        if folders:
            return f"add `- path: {folders[0]}` under catalogs in {PROJECT_FILE}"
        folder, name = posixpath.split(file)
        return (
            f"list {name} under resources of a kustomization.yaml in {folder or 'the same folder'},"
            f" and add `- path: {folder or '.'}` under catalogs in {PROJECT_FILE}"
        )
