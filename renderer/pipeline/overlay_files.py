"""The files that an overlay is built from, exactly as its engine chooses them.

A file that an engine leaves out, below a folder without ``recurse`` or under ``exclude``, belongs to no
overlay, and ``validate`` has to judge it alone.
"""

# ruff: noqa: PLC0415 - engines are imported when they are first needed

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterator
from functools import cache

from renderer.files.file_system import FileSystem
from renderer.gitops.folder_reader import FolderReader
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import FLUX_MANIFESTS
from renderer.model.entry_point import EntryKind, EntryPoint
from renderer.model.kube.json import JsonObject
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.model.run.work import spend


class OverlayFiles:
    """Finds the files of overlays, each once; sources that several overlays share are read once."""

    def __init__(self, fs: FileSystem, graph: KustomizationGraph) -> None:
        self._fs = fs
        self._folders = FolderReader(fs)
        self._graph = graph
        self._artifacts: dict[str, tuple[FileSystem, KustomizationGraph]] = {}
        self._found: dict[str, frozenset[str]] = {}
        self._flux_files = cache(self._flux_files_of)

    def of(self, overlay: Overlay) -> frozenset[str]:
        """Return the files that the overlay is built from, and the files that define its entry point."""
        if overlay.path not in self._found:
            found = self._found[overlay.path] = self._find(overlay)
            spend(len(found) // 2, "looking for the files of overlays")
        return self._found[overlay.path]

    def _find(self, overlay: Overlay) -> frozenset[str]:
        point = overlay.entry
        if point is None or point.options.kind is EntryKind.KUSTOMIZATION:
            return self._graph.files_of_overlay(overlay)
        try:
            return point.files.union(self._files_of_entry(overlay, point))
        except DiagnosticError:  # the build reports it, and may need any file
            return self._graph.files_of_overlay(overlay)

    def _files_of_entry(self, overlay: Overlay, point: EntryPoint) -> Iterator[str]:
        match point.options.kind:
            case EntryKind.DIRECTORY:
                yield from self._directory(overlay.path, {"directory": point.options.directory or {}})
            case EntryKind.ARGOCD if point.entry is not None:
                yield from self._application(point.entry, point.repositories)
            case _ if point.objects:  # they are all in the files of the point
                return
            case _ if point.artifact:
                from renderer.gitops.flux.composed_artifact import ComposedFileSystem

                composed = ComposedFileSystem(self._fs, point.artifact)
                for folder in point.folders:
                    used = _flux_files(composed, KustomizationGraph(composed), folder)
                    yield from map(composed.resolve, used)
            case _:
                for folder in point.folders or (overlay.path,):
                    yield from self._flux_files(point.ignore, folder)

    def _directory(self, folder: str, source: JsonObject) -> Iterator[str]:
        from renderer.gitops.argocd.directory import DirectoryOptions, manifest_files

        if self._fs.is_file(folder):
            yield folder
        else:
            yield from manifest_files(self._fs, folder, DirectoryOptions.of(source))

    def _application(self, application: Resource, repositories: Collection[str]) -> Iterator[str]:
        """Yield the files of the Application's sources that are rendered: no charts, no plugins.

        ``repositories`` are the URLs of this repository.
        """
        from renderer.gitops.argocd.application import (
            SourceType,
            source_folder,
            source_type,
            sources,
            with_overrides,
        )

        for source in sources(application):
            if not source.has_manifests or source.is_chart or source.url not in repositories:
                continue
            folder = source_folder(self._fs, source)
            overridden = with_overrides(self._folders, source, folder)
            kind = source_type(self._folders, overridden, folder)
            if kind is SourceType.DIRECTORY:
                yield from self._directory(folder, overridden.content)
            elif kind is SourceType.KUSTOMIZE:
                yield from self._graph.files(folder)

    def _flux_files_of(self, ignore: str, folder: str) -> frozenset[str]:
        """Return what ``_flux_files`` yields of an artifact, once for all Kustomizations of the folder."""
        fs, graph = self._artifact(ignore)
        return frozenset(_flux_files(fs, graph, folder))

    def _artifact(self, ignore: str) -> tuple[FileSystem, KustomizationGraph]:
        from renderer.gitops.flux.artifact import ArtifactFileSystem

        if ignore not in self._artifacts:
            artifact = ArtifactFileSystem(self._fs, ignore)
            self._artifacts[ignore] = artifact, KustomizationGraph(artifact)
        return self._artifacts[ignore]


def _flux_files(fs: FileSystem, graph: KustomizationGraph, folder: str) -> Iterator[str]:
    """Yield the files of the kustomization in ``folder``, or of the one that Flux generates."""
    if graph.links(folder):
        yield from graph.files(folder)
        return
    for name in fs.list(folder):
        path = posixpath.normpath(posixpath.join(folder, name))
        if fs.is_folder(path):
            yield from _flux_files(fs, graph, path)
        elif name.endswith(FLUX_MANIFESTS):
            yield path
