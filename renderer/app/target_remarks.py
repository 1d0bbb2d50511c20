"""Remarks about target releases, for commands that do not report what rendering finds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.findings.levels import with_levels
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.diagnostic import Diagnostic
from renderer.model.release import Release
from renderer.model.render_config import Overlay, RenderConfig


def remarks_on_targets(overlays: Iterable[Overlay]) -> Iterator[Diagnostic]:
    """Yield the remarks about the target releases of overlays, at the levels that these set."""
    for overlay in overlays:
        yield from with_levels(about_target(overlay.kubevirt), overlay.rules)


def remarks_on_project(config: RenderConfig, chosen: Release | None = None) -> Iterator[Diagnostic]:
    """Yield the remarks about the release that was chosen, or else about all that the project names."""
    of_entries = (entry.kubevirt for entry in config.overlays)
    named = (config.kubevirt, *(each.kubevirt for each in config.clusters), *of_entries)
    for release in {chosen} if chosen else {*named} - {None}:
        if release is not None:
            yield from with_levels(about_target(release), config.rules)
