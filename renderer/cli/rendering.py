"""The project's overlays, rendered one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from renderer.cli.progress import Watch
from renderer.cli.stopwatch import Stopwatch
from renderer.emit.layout import layout
from renderer.model.diagnostic import Diagnostic
from renderer.model.render_config import Overlay
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Rendered:
    """An overlay and the files it comes to, text by path below its output folder."""

    overlay: Overlay
    files: Mapping[str, str]


def render_overlays(
    pipeline: Pipeline, overlays: Iterable[Overlay], watch: Watch
) -> tuple[list[Rendered], list[Diagnostic]]:
    """Those overlays that nothing is wrong with, and what is to be said of all of them."""
    rendered: list[Rendered] = []
    findings: list[Diagnostic] = []
    overlays = tuple(overlays)
    for number, overlay in enumerate(overlays, start=1):
        with watch.progress.doing(f"rendering {overlay.path} ({number} of {len(overlays)})"):
            stopwatch = Stopwatch()
            composed = pipeline.compose(overlay.path)
            composing = stopwatch.lap()
            outcome = pipeline.checked(overlay, composed).in_overlay(overlay.path)
            files = {} if outcome.failed else _files(overlay, outcome.value)
        checking = stopwatch.lap()
        counted = f"{len(composed.value)} resource{'' if len(composed.value) == 1 else 's'}"
        watch.say(f"{overlay.path}: {counted} composed in {composing}, expanded and checked in {checking}")
        findings += outcome.diagnostics
        if not outcome.failed:
            rendered.append(Rendered(overlay, files))
    return rendered, findings


def _files(overlay: Overlay, resources: ResourceSet) -> Mapping[str, str]:
    manifests = layout(resources, overlay.files)
    if not overlay.tree.extras:
        return manifests
    from renderer.emit.extras import extras  # noqa: PLC0415 - few projects ask for any

    return {**manifests, **extras(overlay.tree.extras, overlay.path, overlay.kubevirt, manifests, resources)}
