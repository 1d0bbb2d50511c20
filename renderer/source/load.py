"""Files to a ``SourceTree``: everything that the build of a folder needs, found, confined and read once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from renderer.model.codes import Code
from renderer.model.completed_kustomization import CompletedKustomization
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Site
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.model.source_tree import KustomizationRoot, SourceTree
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.lineage import Lineage
from renderer.source.load_restrictor import LoadRestrictor
from renderer.source.plugins.plugins import Accumulate, listed_resources
from renderer.source.read_root import read_root
from renderer.source.recorder import Recorder, Work
from renderer.source.resources import read_resources, refuse_no_objects
from renderer.source.source_files import SourceFiles

__all__ = ["KUSTOMIZATION_FILES", "Loader", "load", "load_files"]


def load(fs: FileSystem, path: str, restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY) -> SourceTree:
    """All that the build of the folder ``path`` needs. Raises ``DiagnosticError`` with everything wrong."""
    return Loader(fs, restrictor).load(path)


def load_files(fs: FileSystem, files: Iterable[str]) -> ResourceSet:
    """The objects in resource files, in order. Raises ``DiagnosticError``."""
    return ResourceSet(tuple(found for file in files for found in _objects(fs.read(file), Site(file))))


def _objects(content: bytes, site: Site) -> tuple[Resource, ...]:
    """The objects in a file that was asked for, which kustomize would pass over when it holds none."""
    found = read_resources(content, site)
    if not found:
        refuse_no_objects(content, site)
    return found


def _listed(found: Diagnostic, site: Site) -> Diagnostic:
    """That a folder is no kustomization is said where it is listed; its own file is not there to point at."""
    if found.code is not Code.KUSTOMIZATION_MISSING or not site.field.segments:
        return found
    return replace(found, sites=(site,), location=None)


class Loader:
    """Loads any number of folders; what they share is read once and is the same value in their trees."""

    def __init__(
        self,
        fs: FileSystem,
        restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
        accumulate: Accumulate = listed_resources,
        recorder: Recorder | None = None,
        completed: CompletedKustomization | None = None,
    ) -> None:
        """``accumulate`` composes folders that hold configurations of plugins.

        ``completed`` stands for the kustomization file of its folder.
        """
        self._completed = completed
        self._recorder = recorder or Recorder()
        self._files = SourceFiles(fs, restrictor)
        self._accumulate = accumulate
        self._roots: dict[str, KustomizationRoot | DiagnosticError] = {}
        self._used: dict[str, frozenset[str]] = {}

    @property
    def folders(self) -> frozenset[str]:
        """Every folder that has been read as a kustomization so far."""
        return frozenset(self._roots)

    def load(self, path: str, listed_at: Site | None = None) -> SourceTree:
        """Everything that the build of the folder ``path`` needs. Raises ``DiagnosticError``.

        ``listed_at`` is where the project names it.
        """
        site = listed_at or Site(path)
        folder = self._files.folder(path, ".", site)
        return SourceTree(self._root(folder, Lineage(), site))

    def _root(self, folder: str, lineage: Lineage, site: Site) -> KustomizationRoot:
        """The root in ``folder``, which is listed at ``site``."""
        entered = lineage.enter(folder, site)
        with self._recorder.using(Work("folder", folder)):
            if folder not in self._roots:
                self._roots[folder] = self._read_root(folder, entered)
            else:
                lineage.check(self._used.get(folder, ()), site)
        root = self._roots[folder]
        if isinstance(root, DiagnosticError):
            raise DiagnosticError(*(_listed(found, site) for found in root.diagnostics))
        return root

    def _read_root(self, folder: str, lineage: Lineage) -> KustomizationRoot | DiagnosticError:
        try:
            root = read_root(
                self._files,
                folder,
                lambda used, site: self._root(used, lineage, site),
                self._accumulate,
                self._completed if self._completed and self._completed.folder == folder else None,
            )
        except DiagnosticError as error:
            return error
        self._used[folder] = frozenset([folder]).union(
            *(self._used[used.folder] for used in root.used_roots())
        )
        return root
