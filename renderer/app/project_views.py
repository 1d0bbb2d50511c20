"""The views of a project that several use cases need, each created on first use."""

from __future__ import annotations

from functools import cached_property

from renderer.files.file_system import FileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.release import Release
from renderer.model.render_config import Overlay, RenderConfig
from renderer.pipeline import Pipeline
from renderer.pipeline.overlay_files import OverlayFiles
from renderer.project.overlays import FoundOverlays
from renderer.project.validation_scope import ManifestFiles, ScopeFinder


class ProjectViews:
    """The builds, overlays and files of a project; ``kubevirt`` overrides its target releases."""

    def __init__(self, fs: FileSystem, config: RenderConfig, kubevirt: Release | None) -> None:
        self.fs = fs
        self.config = config
        self.kubevirt = kubevirt

    @cached_property
    def pipeline(self) -> Pipeline:
        return Pipeline(self.fs, self.config)

    @cached_property
    def found(self) -> FoundOverlays:
        return self.pipeline.found

    @cached_property
    def overlays(self) -> tuple[Overlay, ...]:
        return self.found.overlays

    @cached_property
    def manifests(self) -> ManifestFiles:
        outputs = [overlay.output for overlay in self.overlays]
        return ManifestFiles(self.fs, outputs, self.config.exclude)

    @cached_property
    def graph(self) -> KustomizationGraph:
        return KustomizationGraph(self.fs)

    @cached_property
    def overlay_files(self) -> OverlayFiles:
        return OverlayFiles(self.fs, self.graph)

    @cached_property
    def scopes(self) -> ScopeFinder:
        return ScopeFinder(self.graph, self.manifests, self.config, self.overlays, self.overlay_files.of)
