"""The files of one side of a comparison, and which of them may hold objects of engines.

An engine reads more than what has the name of a manifest and belongs to the project. A kustomization may
list a resource ``vms.txt``, Flux reads hidden folders, and what ``exclude`` leaves out for ``validate``, or
what is in another project, is applied all the same. So all files count, except the side's own trees, whose
sources are compared in their place.
"""

from __future__ import annotations

import itertools
import posixpath
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

from renderer.files.file_system import FileSystem, folder_of, readable_content
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined, folders_above
from renderer.model.kustomization import is_kustomization_file
from renderer.model.render_config import OWNERSHIP_FILE, PROJECT_FILE
from renderer.model.run.work import spend
from renderer.project.excluded_paths import ExcludedPaths
from renderer.project.secrets_in_files import may_read
from renderer.project.validation_scope import has_name_of_manifest

#: Names of files that are looked for in a kustomization in one step (``model.run.work``).
_NAMES_PER_STEP = 8


class Listing:
    """The files of one side, without the files of its trees."""

    def __init__(
        self,
        fs: FileSystem,
        graph: KustomizationGraph,
        list_files: Callable[[], Iterable[str]],
        outputs: Iterable[str],
        excluded: Iterable[str],
    ) -> None:
        """``list_files`` lists all files; ``outputs`` are the folders that the project is rendered into.

        ``excluded`` are the paths and globs that the project excludes.
        """
        self._fs, self._graph = fs, graph
        self._list_files = list_files
        self._outputs = frozenset(map(posixpath.normpath, outputs))
        self._excluded = ExcludedPaths(excluded)
        self._are_aside = {".": False}

    @cached_property
    def _every(self) -> Sequence[str]:
        return tuple(self._list_files())

    @cached_property
    def paths(self) -> frozenset[str]:
        """The paths of all files."""
        return frozenset(itertools.filterfalse(self.is_rendered, self._every))

    def is_rendered(self, path: str) -> bool:
        """Return True if a file is in a tree of an overlay."""
        return not self._outputs.isdisjoint(folders_above(path))

    def is_aside(self, path: str) -> bool:
        """Return True if a file is excluded, or in another project or a tree of no overlay."""
        return self._is_aside(folder_of(path)) or self._excluded.has(path)

    def _is_aside(self, folder: str) -> bool:
        known = self._are_aside.get(folder)
        if known is None:
            known = folder in self._marked or self._is_aside(folder_of(folder))
            self._are_aside[folder] = known
        return known

    @cached_property
    def _marked(self) -> frozenset[str]:
        """The folders of other projects, and of trees."""
        markers = (PROJECT_FILE, OWNERSHIP_FILE)
        return frozenset(
            posixpath.dirname(each) for each in self._every if posixpath.basename(each) in markers
        )

    def is_manifest(self, path: str) -> bool:
        """Return True if a file may hold objects."""
        return path in self._manifests

    @cached_property
    def _manifests(self) -> frozenset[str]:
        return frozenset(self.manifests)

    @cached_property
    def manifests(self) -> tuple[str, ...]:
        """The files that may hold objects, in the order of a walk, in which the files of a folder come first.

        They are named as manifests, or a kustomization lists them as resources.
        """
        resources = (links.resources for links in map(self._graph.links, self.kustomizations) if links)
        found = self._named.union(*resources) & self.paths
        is_file = self._fs.is_file
        return tuple(sorted((each for each in found if confined(is_file, each)), key=_place_in_walk))

    @cached_property
    def generating(self) -> Mapping[str, bytes]:
        """The content of the kustomizations with generators, by path."""
        return self._naming_generators(filter(is_kustomization_file, self.manifests))

    @cached_property
    def _generators(self) -> Mapping[str, bytes]:
        """The content of all manifests with generators, also of those that a kustomization lists."""
        return self._naming_generators(self.manifests)

    def _naming_generators(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        contents = {path: readable_content(self._fs, path) or b"" for path in paths}
        return {path: content for path, content in contents.items() if b"Generator" in content}

    def with_generators(self, changed: Iterable[str]) -> frozenset[str]:
        """Return changed files, and the manifests with a generator that may read one of them."""
        files = frozenset(changed)
        names = {path.rpartition("/")[2].encode() for path in files}
        spend(1 + len(names) * len(self._generators) // _NAMES_PER_STEP, "looking for generators")
        return files.union(
            path
            for path, content in self._generators.items()
            if any(name in content for name in names) or may_read(self._fs, path, files)
        )

    @cached_property
    def readable(self) -> Collection[str]:
        """The files that a build may read: manifests, and what else a kustomization lists."""
        return {*self.manifests, *self._graph.files_in(self.kustomizations)}

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(filter(has_name_of_manifest, self.paths))

    @cached_property
    def kustomizations(self) -> Collection[str]:
        """The folders with a kustomization."""
        return {*map(folder_of, filter(is_kustomization_file, self._named))}


def _place_in_walk(path: str) -> tuple[tuple[bool, str], ...]:
    *folders, name = path.split("/")
    return (*((True, folder) for folder in folders), (False, name))
