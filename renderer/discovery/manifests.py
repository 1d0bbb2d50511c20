"""The manifests of a repository: their objects, their virtual machines, and the kustomizations that use them.

Files are selected by words in their text; only relevant files are parsed as YAML.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from renderer.discovery.machines_in_files import count_mentions, machine_ids
from renderer.files.file_system import FileSystem, folder_of
from renderer.kustomize.reader.commented_entries import CommentedEntries
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.kustomize.reader.kustomization_users import KustomizationUsers
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.project.validation_scope import ManifestFiles


class Manifests:
    """The manifests of ``fs`` except files that vmrender wrote, and paths that match ``exclude``."""

    def __init__(self, fs: FileSystem, exclude: tuple[str, ...]) -> None:
        self.fs = fs
        self.graph = KustomizationGraph(fs)
        self._exclude = exclude
        self.commented = CommentedEntries(fs, self.graph)

    @cached_property
    def contents(self) -> dict[str, bytes]:
        """Return the content of each file, by path."""
        return dict(self._contents_below("."))

    def _contents_below(self, folder: str) -> Iterator[tuple[str, bytes]]:
        for path in ManifestFiles(self.fs, (), self._exclude).below(folder):
            try:
                yield path, self.fs.read(path)
            except DiagnosticError:
                continue

    @cached_property
    def machine_files(self) -> dict[str, int]:
        """Return the likely number of virtual machines in the text of each file that has some."""
        return _machine_files(self.contents.items())

    def machine_files_below(self, folder: str) -> dict[str, int]:
        """Return the same for a hidden folder, whose files are otherwise not manifests of the repository."""
        return _machine_files(self._contents_below(folder))

    def read(self, path: str) -> ResourceSet:
        """Return the objects of a file; none if it cannot be read."""
        try:
            return ResourceSet(tuple(read_resources(self.contents[path], Site(path))))
        except DiagnosticError:
            return ResourceSet()

    def objects(self, *signs: bytes) -> Iterator[tuple[str, Resource]]:
        """Yield the objects, with their paths, of readable files that contain all ``signs``."""
        for path, content in self.contents.items():
            if all(sign in content for sign in signs):
                yield from ((path, each) for each in self.read(path))

    def count_machines(self, files: Iterable[str]) -> int:
        """Return the number of virtual machines in files; a machine and its patches count once.

        In a file that cannot be read, the machines that its text mentions are counted.
        """
        read = {path: self.read(path) for path in files if path in self.machine_files}
        unread = sum(self.machine_files[path] for path, found in read.items() if not tuple(found))
        return unread + len({each for found in read.values() for each in machine_ids(found)})

    @cached_property
    def _outermost_users(self) -> KustomizationUsers:
        """The outermost kustomizations that use a folder."""
        folders = {folder_of(path) for path in self.contents if "ustomization" in path}
        buildable = [
            folder
            for folder in sorted(folders)
            if (links := self.graph.links(folder)) and not links.is_component
        ]
        return KustomizationUsers(self.graph, buildable).outermost()

    @property
    def outermost(self) -> tuple[str, ...]:
        """The outermost kustomizations, sorted."""
        return self._outermost_users.roots

    def roots_of(self, files: Iterable[str]) -> tuple[str, ...]:
        """Return the outermost kustomizations that include one of the files."""
        folders = (folder for file in files for folder in self.graph.folders_listing(file))
        return tuple(self._outermost_users.of(folders))


def _machine_files(contents: Iterable[tuple[str, bytes]]) -> dict[str, int]:
    counts = {path: count_mentions(content) for path, content in contents if b"kubevirt.io/" in content}
    return {path: count for path, count in counts.items() if count}


def outermost_folders(folders: Iterable[str]) -> list[str]:
    """Return the folders that are not inside another of them."""
    distinct = dict.fromkeys(folders)
    return [each for each in distinct if distinct.keys().isdisjoint(around(each) - {each})]


def around(path: str) -> frozenset[str]:
    """Return the path and the folders that it is in, up to the top."""
    return frozenset((path, *folders_above(path)))
