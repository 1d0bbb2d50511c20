"""One overlay, from its sources to the files of its tree."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from renderer.cache.known_catalogs import KnownCatalogs
from renderer.cli.rendered_overlay import RenderedOverlay
from renderer.cli.stopwatch import Stopwatch
from renderer.emit.layout import layout
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline
from renderer.pipeline.memory import Memory
from renderer.source.builtin import BuiltinFileSystem
from renderer.source.file_system import DiskFileSystem
from renderer.source.locate import Locator, locate
from renderer.source.recorded_file_system import RecordedFileSystem
from renderer.source.recorder import Recorder, Work


class OverlayRenderer:
    """Of one project; what its overlays share is read, composed and compiled once."""

    def __init__(self, root: Path, config: RenderConfig, known_catalogs: KnownCatalogs | None = None) -> None:
        self._project = root, config
        self._recorder = Recorder()
        self._fs = BuiltinFileSystem(RecordedFileSystem(DiskFileSystem(root), self._recorder))
        self._pipeline = Pipeline(self._fs, config, memory=Memory(self._recorder, known_catalogs))

    def __reduce__(self) -> tuple[type[OverlayRenderer], tuple[Path, RenderConfig]]:
        """For workers that are no copies of this process: they begin anew."""
        return type(self), self._project

    def render(self, overlay: Overlay) -> RenderedOverlay:
        """Raises ``DiagnosticError`` for what keeps all overlays from being rendered."""
        stopwatch, work = Stopwatch(), Work("overlay", overlay.path)
        with self._recorder.using(work):
            composed = self._pipeline.compose(overlay.path)
            composing = stopwatch.lap()
            outcome = self._pipeline.checked(overlay, composed).in_overlay(overlay.path)
            files = {} if outcome.failed else _files(overlay, outcome.value)
        findings = locate(self._fs, outcome.diagnostics, self._locator) if outcome.diagnostics else ()
        counted = f"{len(composed.value)} resource{'' if len(composed.value) == 1 else 's'}"
        return RenderedOverlay(
            overlay=overlay,
            files=files,
            findings=findings,
            folders=frozenset(used.name for used in self._recorder.used(work) if used.kind == "folder"),
            saw=self._recorder.seen(work),
            seconds=stopwatch.seconds(),
            account=f"{counted} composed in {composing}, expanded and checked in {stopwatch.lap()}",
        )

    @cached_property
    def _locator(self) -> Locator:
        return Locator(self._fs)


def _files(overlay: Overlay, resources: ResourceSet) -> Mapping[str, str]:
    manifests = layout(resources, overlay.files)
    if not overlay.tree.extras:
        return manifests
    from renderer.emit.extras import extras  # noqa: PLC0415 - few projects ask for any

    return {**manifests, **extras(overlay.tree.extras, overlay.path, overlay.kubevirt, manifests, resources)}
