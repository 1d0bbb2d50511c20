"""Find the overlays to build and the files to check alone, to validate some files of a project."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property

from renderer.files.file_system import FileSystem, SubmoduleError, is_inside
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, confined
from renderer.kustomize.reader.kustomization_users import KustomizationUsers
from renderer.model.engines import MANIFESTS
from renderer.model.kustomization import is_kustomization_file
from renderer.model.record import Record
from renderer.model.render_config import PROJECT_FILE, Overlay, RenderConfig
from renderer.model.run.work import spend
from renderer.project.excluded_paths import ExcludedPaths
from renderer.project.overlays import overlay_at
from renderer.project.tree_paths import is_tree

#: Steps for a name in a folder (``model.run.work``).
_STEPS_PER_NAME = 24
_TOP = "."


class ManifestFiles:
    """The manifests of one tree, without rendered ones: their sources are checked instead."""

    def __init__(self, fs: FileSystem, outputs: Collection[str] = (), excluded: Iterable[str] = ()) -> None:
        """``outputs`` are the folders that the project is rendered into.

        ``excluded`` are paths and globs of files and folders without manifests of the project; ``**`` matches
        any folders.
        """
        self._excluded = ExcludedPaths(excluded)
        self._fs = fs
        self._outputs = frozenset(posixpath.normpath(output) for output in outputs)
        self._rendered: dict[str, bool] = {}
        self._below: dict[str, tuple[str, ...]] = {}

    def below(self, folder: str) -> tuple[str, ...]:
        """Return the manifests in ``folder`` and below, without hidden folders and other projects."""
        if folder not in self._below:
            self._below[folder] = tuple(self._walk(folder))
        return self._below[folder]

    def _walk(self, top: str) -> Iterator[str]:
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            folders: list[str] = []
            for name in self._names(folder):
                path = posixpath.normpath(posixpath.join(folder, name))
                if self.is_candidate(path):
                    yield path
                elif not name.startswith(".") and self._is_project_folder(path):
                    folders.append(path)
            waiting += reversed(folders)

    def _names(self, folder: str) -> tuple[str, ...]:
        """Return the names in a folder of this project; a submodule is another one."""
        try:
            names = () if self.is_excluded(folder) or self.is_rendered(folder) else self._fs.list(folder)
        except SubmoduleError:
            return ()
        spend(_STEPS_PER_NAME * len(names), "looking for manifests")
        return names

    def is_candidate(self, path: str) -> bool:
        """Return True if the file has the name of a manifest or kustomization."""
        if self.is_excluded(path):
            return False
        return has_name_of_manifest(path) and confined(self._fs.is_file, path)

    def is_rendered(self, folder: str) -> bool:
        """Return True if the folder is in a rendered tree, or is one itself."""
        if folder not in self._rendered:
            self._rendered[folder] = (
                folder in self._outputs
                or is_tree(self._fs, folder)
                or (folder != _TOP and self.is_rendered(posixpath.dirname(folder) or _TOP))
            )
        return self._rendered[folder]

    def is_excluded(self, path: str) -> bool:
        """Return True if the project excludes the path or a folder above it."""
        return self._excluded.has(path)

    def _is_project_folder(self, path: str) -> bool:
        """Return True if it is a folder of this project, and not a link, which could create a cycle."""
        return (
            confined(self._fs.is_folder, path)
            and self._fs.resolve(path) == path
            and not confined(self._fs.is_file, posixpath.join(path, PROJECT_FILE))
        )


def has_name_of_manifest(path: str) -> bool:
    """Return True if a file has the name of a manifest or kustomization."""
    return path.lower().endswith(MANIFESTS) or is_kustomization_file(path)


class ValidationScope(Record):
    """The overlays to build and the files to check, to validate some files.

    ``overlays`` are built, and so are ``unlisted``: kustomizations that the project does not list. ``parts``
    are folders with kustomizations, such as components, that no build uses. ``alone`` are files that no
    kustomization lists. Findings of builds count only if they are about ``files``.
    """

    overlays: tuple[Overlay, ...]
    unlisted: tuple[Overlay, ...]
    parts: tuple[str, ...]
    alone: tuple[str, ...]
    files: frozenset[str]


class ScopeFinder:
    """Finds the scope of files of one project, whose ``overlays`` are known."""

    def __init__(
        self,
        graph: KustomizationGraph,
        manifests: ManifestFiles,
        config: RenderConfig,
        overlays: Sequence[Overlay],
        files_of: Callable[[Overlay], frozenset[str]],
    ) -> None:
        """``files_of`` returns the files that an overlay is built from."""
        self._files_of = files_of
        self._graph = graph
        self._manifests = manifests
        self._config = config
        self._overlays = overlays

    def scope_of(self, files: Iterable[str]) -> ValidationScope:
        """Return the scope of ``files``, in the order of the project."""
        roots: set[str] = set()
        alone: list[str] = []
        named = dict.fromkeys(files)
        about = set(named)
        entry_files: set[str] = set()
        for overlay in self._entry_points:
            sources = self._files_of(overlay)
            if not sources.isdisjoint(named):
                roots.add(overlay.path)
                entry_files |= sources
                if overlay.entry and not overlay.entry.files.isdisjoint(named):
                    about |= sources
        settings = {PROJECT_FILE, *self._config.facts_files}
        if not settings.isdisjoint(named):  # they are about all overlays
            roots |= {overlay.path for overlay in self._overlays}
            plain = (overlay.path for overlay in self._overlays if overlay.entry is None)
            about |= self._graph.files_in(self._graph.reached(plain))
            about = about.union(*map(self._files_of, self._entry_points))
        substituted = [(overlay, overlay.flux) for overlay in self._overlays if overlay.flux]
        listing_folders: dict[str, None] = {}
        all_of: dict[str, None] = {}  # the folders whose files the findings are about
        for file in named:
            is_entry_file = file in entry_files
            listing = self._graph.folders_listing(file)
            if is_entry_file and not any(map(self._is_in_project, listing)):
                listing = ()
            for folder in listing:
                listing_folders[folder] = None
                links = self._graph.links(folder)
                if links and links.file == file:  # the file is the kustomization itself
                    all_of[folder] = None
            if not listing and not is_entry_file and file not in settings:
                alone.append(file)
                roots |= self._configured_by(file)
            for overlay, flux in substituted:
                if flux.may_read(file):
                    roots.add(overlay.path)
                    all_of[overlay.path] = None
        roots |= self._users_of(listing_folders)
        parts = {
            each for each in listing_folders if not (self._is_in_project(each) or self._unlisted.uses(each))
        }
        about |= self._graph.files_in(self._graph.reached(all_of))
        listed = {overlay.path for overlay in self._overlays}
        return ValidationScope(
            overlays=tuple(overlay for overlay in self._overlays if overlay.path in roots),
            unlisted=tuple(
                overlay_at(self._config, (), folder) for folder in sorted(roots) if folder not in listed
            ),
            parts=tuple(sorted(parts)),
            alone=tuple(alone),
            files=frozenset(about),
        )

    @cached_property
    def _entry_points(self) -> tuple[Overlay, ...]:
        """Return the overlays that are not kustomizations of the project."""
        return tuple(overlay for overlay in self._overlays if overlay.entry is not None)

    def _users_of(self, folders: Iterable[str]) -> set[str]:
        """Return the folders whose builds use the kustomization in one of ``folders``."""
        own = [folder for folder in folders if self._is_in_project(folder)]
        found = {*self._project_users.of(own), *self._catalogs.of(own)}
        if any(map(self._catalogs.uses, own)):
            found |= self._built_with_catalogs
        return found.union(self._unlisted.of(folder for folder in folders if not self._is_in_project(folder)))

    def _is_in_project(self, folder: str) -> bool:
        """Return True if an overlay or a catalog of the project uses the folder."""
        return self._project_users.uses(folder) or self._catalogs.uses(folder)

    @cached_property
    def _built_with_catalogs(self) -> frozenset[str]:
        """The overlays and the other kustomizations: a catalog affects them all."""
        others = (each for each in self._unlisted.roots if not self._graph.may_be_broken(each))
        return frozenset((*(overlay.path for overlay in self._overlays), *others))

    @cached_property
    def _project_users(self) -> KustomizationUsers:
        return KustomizationUsers(self._graph, (overlay.path for overlay in self._overlays))

    @cached_property
    def _catalogs(self) -> KustomizationUsers:
        return KustomizationUsers(self._graph, self._config.catalog_folders())

    @cached_property
    def _unlisted(self) -> KustomizationUsers:
        """The outermost kustomizations that can be built by themselves."""
        return KustomizationUsers(self._graph, self._kustomizations).outermost()

    def _configured_by(self, file: str) -> frozenset[str]:
        """Return the overlays of the clusters that list a file, or a folder with it, as configuration."""
        listing = self._config.catalog_folders()
        clusters = {each for path, named in listing.items() if is_inside(file, path) for each in named}
        return frozenset(overlay.path for overlay in self._overlays if overlay.cluster in clusters)

    @cached_property
    def _kustomizations(self) -> tuple[str, ...]:
        """Return every folder with a kustomization that can be built by itself."""
        found = {file.rpartition("/")[0] or "." for file in self._manifests.below(".")}
        links = ((folder, self._graph.links(folder)) for folder in sorted(found))
        return tuple(folder for folder, each in links if each is not None and not each.is_component)
