"""The project's overlays: those that changed are rendered; of the others it is known what comes of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from renderer.app.overlay_renderer import RenderedOverlay
from renderer.app.run_cache import RunCache, UnchangedOverlay
from renderer.cli.progress import Watch
from renderer.cli.repository import Repository
from renderer.model.diagnostic import Diagnostic, has_errors
from renderer.model.render_config import Overlay

#: An overlay that nothing is wrong with.
Result: TypeAlias = RenderedOverlay | UnchangedOverlay


class Rendering(NamedTuple):
    """``results`` of the overlays that nothing is wrong with, ``findings`` of all of them, both in order.

    ``folders`` are those that were read as kustomizations.
    """

    results: tuple[Result, ...]
    findings: tuple[Diagnostic, ...]
    folders: frozenset[str]


def render_overlays(
    repository: Repository, overlays: Sequence[Overlay], cache: RunCache, jobs: int, watch: Watch
) -> Rendering:
    """``jobs`` processes at the most. Raises ``DiagnosticError`` for what stops all overlays."""
    unchanged = {overlay.path: known for overlay in overlays if (known := cache.unchanged(overlay))}
    changed = [overlay for overlay in overlays if overlay.path not in unchanged]
    rendered = {each.overlay.path: each for each in _rendered(repository, changed, cache, jobs, watch)}
    for each in rendered.values():
        cache.keep(each)
    for path in unchanged:
        watch.say(f"{path}: nothing has changed since it was rendered")
    all_: list[Result] = [unchanged.get(overlay.path) or rendered[overlay.path] for overlay in overlays]
    return Rendering(
        results=tuple(result for result in all_ if not has_errors(result.findings)),
        findings=tuple(finding for result in all_ for finding in result.findings),
        folders=frozenset(folder for result in all_ for folder in result.folders),
    )


def _rendered(
    repository: Repository, overlays: Sequence[Overlay], cache: RunCache, jobs: int, watch: Watch
) -> Iterator[RenderedOverlay]:
    if not overlays:
        return
    from renderer.app.overlay_renderer import OverlayRenderer, rendered_in_order  # noqa: PLC0415 - where nothing changed, nothing is rendered

    renderer = OverlayRenderer(repository.root, repository.config, cache.catalogs)
    results = rendered_in_order(renderer, overlays, jobs)
    for number, overlay in enumerate(overlays, start=1):
        with watch.progress.doing(f"rendering {overlay.path} ({number} of {len(overlays)})"):
            rendered = next(results)
        watch.say(f"{overlay.path}: {rendered.account}")
        yield rendered
