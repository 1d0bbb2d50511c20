"""Search the repository for objects that no catalog has: instance types, preferences, feature gates."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from itertools import islice

from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, MATCHER_TYPE_OF, configures_kubevirt
from renderer.kubevirt.instancetype.cluster_kubevirt import kubevirt_of
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Definition, Resource
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.project.validation_scope import ManifestFiles
from renderer.yamlio.decode import decode_documents

#: The maximum number of files searched, in the order of the tree.
_MOST_FILES = 5_000
#: The words in a file of instance types, of preferences, or of a series of them.
_WORDS = re.compile(rb"Instancetype|Preference")
_KUBEVIRT = re.compile(rb"\bkind\b\W+(?:KubeVirt|HyperConverged)\b")
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

    def feature_gates(self, release: Release) -> Mapping[str, tuple[str, ...]]:
        """Return the gates that the ``KubeVirt`` objects of the repository list, by file.

        They include those that the HyperConverged operator makes of its objects.
        """
        gates: dict[str, tuple[str, ...]] = {}
        for file, found in self._configuring:
            listed = array_at(kubevirt_of(found, release).content, *_GATES)
            gates[file] = (*gates.get(file, ()), *(gate for gate in listed if isinstance(gate, str)))
        return gates

    @cached_property
    def _configuring(self) -> tuple[tuple[str, Resource], ...]:
        """The objects that configure KubeVirt, each with its file."""
        found: list[tuple[str, Resource]] = []
        with suppress(DiagnosticError):
            for file in islice(self._files.below("."), _MOST_FILES):
                objects = (Resource(*each) for each in self._objects(file, _KUBEVIRT))
                found += ((file, each) for each in objects if configures_kubevirt(each))
        return tuple(found)

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
