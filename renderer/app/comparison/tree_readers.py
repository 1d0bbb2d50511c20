"""What Flux and Argo CD read of the files of an overlay, each by its own options.

Flux applies the YAML files in a folder and below that its source has (``fluxcd/pkg``
``kustomize/kustomize_generator.go`` scanManifests). Argo CD applies the files that ``directory`` selects, and
those below the folder only with ``recurse`` (argo-cd ``reposerver/repository/repository.go`` findManifests).
Both build a folder with a kustomization, and apply what that lists.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from typing import NamedTuple, TypeAlias

from renderer.app.comparison.side import Side
from renderer.emit.layout import file_paths
from renderer.files.file_system import is_inside
from renderer.gitops.argocd.application import (
    MADE_BY_TOOLS,
    DeployedSource,
    SourceType,
    as_application,
    as_overridden,
    sources,
)
from renderer.gitops.argocd.directory import DirectoryOptions, is_selected
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.gitops.flux.kustomization import deployed_folder, is_flux_kustomization
from renderer.gitops.folder_reader import FolderReader
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_MANIFESTS, FLUX_SOURCE_GROUP
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import text_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Extra, Overlay

#: The objects of an overlay that each of its readers leaves out, by the kind and name of the reader.
Missed: TypeAlias = Mapping[str, frozenset[ResId]]

#: Overlays of plain folders: no kustomization lists their files.
_PLAIN_FOLDERS = (EntryKind.DIRECTORY, EntryKind.GENERATED)


class _Files(NamedTuple):
    """The file of each object, in ``folder`` or below; ``has_list``: a kustomization there lists them."""

    folder: str
    of_objects: Mapping[ResId, str]
    has_list: bool = False


_Reads: TypeAlias = Callable[[_Files, str], bool]


class TreeReaders:
    """Finds what deploys the overlays of one side, and what that reads of their files."""

    def __init__(self, side: Side) -> None:
        self._side, self._graph = side, side.graph
        self._folders = FolderReader(side.fs)
        self._artifact = cache(lambda ignore: ArtifactFileSystem(side.fs, ignore))

    def missed(self, overlay: Overlay, written: Iterable[Resource]) -> Missed:
        """Return the objects of an overlay that are not read by what deploys it, its tree or a part of that.

        It is empty if nothing in the repository does.
        """
        written = tuple(written)
        tree = _tree_files(overlay, written)
        own = self._sources(overlay, written)
        found: dict[str, frozenset[ResId]] = {}
        for deployer in self._deployers(overlay):
            read: set[ResId] = set()
            for folder, reads in self._folders_of(deployer, overlay):
                files = own if folder == overlay.path else tree
                read.update(id_ for id_, path in files.of_objects.items() if reads(files, path))
            label = f"{deployer.kind} {deployer.name}"  # each cluster may have one
            found[label] = found.get(label, frozenset()) | (tree.of_objects.keys() - read)
        return found

    def missed_by_flux(self, overlay: Overlay, written: Iterable[Resource]) -> Missed:
        """Return the objects of an overlay that Flux would not read if a Kustomization deployed its tree."""
        tree = _tree_files(overlay, tuple(written))
        reads = self._as_flux(overlay.output, "")
        return {"Flux": frozenset(id_ for id_, path in tree.of_objects.items() if not reads(tree, path))}

    def is_tree_applied(self, overlay: Overlay) -> bool:
        """Return False for the tree of an entry whose first object in Git still points at its sources.

        The copies in the trees that are applied point at other trees.
        """
        above, waiting = {overlay.path}, [overlay]
        while waiting:
            each = waiting.pop()
            deployers = self._side.deployers
            written = deployers.written.get(each.deployer.object_key, ()) if each.deployer else ()
            if not written or any(each.output in deployers.sources_of(one) for one in written):
                return True
            parents = (one for one in self._parents.get(each.output, ()) if one.path not in above)
            for parent in parents:
                above.add(parent.path)
                waiting.append(parent)
        return False

    @cached_property
    def _parents(self) -> Mapping[str, list[Overlay]]:
        """The overlays with copies of objects that point at trees, by tree."""
        found: dict[str, list[Overlay]] = {}
        for overlay in self._side.overlays.values():
            for tree in overlay.entry.trees if overlay.entry else ():
                found.setdefault(tree.path, []).append(overlay)
        return found

    def _deployers(self, overlay: Overlay) -> Iterator[Resource]:
        """Yield what deploys an overlay; of an entry, the object that points at its tree.

        The copy of an Application in a tree has the options for the files of its tree.
        """
        entry, deployers = overlay.deployer, self._side.deployers
        if entry is None:
            yield from deployers.readers(overlay)
        elif is_flux_kustomization(entry):
            yield entry
        else:
            written = deployers.written.get(entry.object_key, ())
            yield from (each for each in written if overlay.output in deployers.sources_of(each))

    def _folders_of(self, deployer: Resource, overlay: Overlay) -> Iterator[tuple[str, _Reads]]:
        """Yield each folder that an object deploys, and which of some files in it it reads."""
        if is_flux_kustomization(deployer):
            folder = deployed_folder(deployer)
            if overlay.deployer and overlay.entry:
                yield overlay.output, self._as_flux(overlay.output, overlay.entry.ignore)
            else:
                yield folder, self._as_flux(folder, self._ignore_of(deployer))
            return
        for source in sources(as_application(deployer)):
            if source.path and self._side.deployers.urls.is_this_repository(source.url):
                folder = posixpath.normpath(source.path)
                folder = overlay.output if "{{" in folder else folder  # of a set that cannot be evaluated
                yield folder, self._as_argocd(source, folder)

    def _ignore_of(self, kustomization: Resource) -> str:
        """Return ``spec.ignore`` of the source of a Kustomization."""
        found = self._side.deployers.in_git([kustomization])
        named = (each for each in found if each.gvk.group == FLUX_SOURCE_GROUP)
        return next((text_at(each.content, "spec", "ignore") for each in named), "")

    def _as_flux(self, folder: str, ignore: str) -> _Reads:
        artifact = self._artifact(ignore)

        def reads(files: _Files, path: str) -> bool:
            if artifact.leaves_out(path):
                return False
            listed = self._lists(folder, files, path)
            return is_inside(path, folder) and path.endswith(FLUX_MANIFESTS) if listed is None else listed

        return reads

    def _as_argocd(self, source: DeployedSource, folder: str) -> _Reads:
        source = as_overridden(self._folders, source)
        named = {each for each in SourceType if isinstance(source.content.get(each), dict)}
        options = DirectoryOptions.of(source.content)

        def reads(files: _Files, path: str) -> bool:
            listed = None if SourceType.DIRECTORY in named else self._lists(folder, files, path)
            if listed is not None:
                return listed
            if not named.isdisjoint(MADE_BY_TOOLS):
                return True  # what a tool makes of a file is not known
            relative = path if folder == "." else path.removeprefix(f"{folder}/")
            is_reached = options.recurse or "/" not in relative
            return is_inside(path, folder) and is_reached and is_selected(relative, options)

        return reads

    def _lists(self, folder: str, files: _Files, path: str) -> bool | None:
        """Return True if the kustomization in a folder leads to a file; None if the folder has none.

        One that somebody put into a tree is compared as it is, and does not count.
        """
        if is_inside(folder, files.folder):
            return True if folder == files.folder and files.has_list else None
        if self._graph.links(folder) is None:
            return None
        used = [links for each in self._graph.folders(folder) if (links := self._graph.links(each))]
        return any(
            not each.is_readable or path in each.files or (files.has_list and files.folder in each.folders)
            for each in used
        )

    def _sources(self, overlay: Overlay, written: Iterable[Resource]) -> _Files:
        """Return the files of an overlay that an engine may apply without its tree."""
        is_listed = not is_plain_folder(overlay) or self._graph.links(overlay.path) is not None
        return _Files(overlay.path, {each.current_id: each.origin.path for each in written}, is_listed)


def is_plain_folder(overlay: Overlay) -> bool:
    """Return True if an overlay has the manifests of a folder, by the rules of an engine."""
    return overlay.entry is not None and overlay.entry.options.kind in _PLAIN_FOLDERS


def _tree_files(overlay: Overlay, written: Sequence[Resource]) -> _Files:
    try:
        paths = file_paths(written, overlay.files)
    except DiagnosticError:  # reported where the tree is written
        paths = ()
    files = {each.current_id: f"{overlay.output}/{path}" for each, path in zip(written, paths, strict=False)}
    return _Files(overlay.output, files, Extra.KUSTOMIZATION in (overlay.tree.extras or ()))
