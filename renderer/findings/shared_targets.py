"""Targets of a component's patches that select nothing in one overlay, and something in another one.

kustomize lets a target select nothing (``api/internal/builtins/PatchTransformer.go``), and a component that
several overlays use relies on that. Such a target is a mistake only if it selects nothing in all of them: a
run that builds some of the overlays cannot know it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from renderer.files.file_system import FileSystem
from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Location, Site
from renderer.model.kustomization import KUSTOMIZATION_FILES, SELECTS_NOTHING
from renderer.model.render_config import Overlay

T = TypeVar("T", Diagnostic, Located)


class SharedTargets(Generic[T]):
    """Holds findings about such targets back until the overlays of a run are known."""

    def __init__(self) -> None:
        self._held: dict[Location | Site, list[tuple[str, T]]] = {}

    def hold(self, overlay: str, findings: Iterable[T]) -> list[T]:
        """Return the findings of an overlay that can be reported at once."""
        reported: list[T] = []
        for each in findings:
            place = _target(each)
            if place is None:
                reported.append(each)
            else:
                self._held.setdefault(place, []).append((overlay, each))
        return reported

    def unmatched(self, overlays: Iterable[Overlay], fs: FileSystem) -> Iterator[tuple[str, T]]:
        """Yield the findings about targets that select nothing in any overlay, each after its overlay.

        ``overlays`` are all of the project, and others that were built. The first overlay's hint is shown.
        """
        if not self._held:
            return
        from renderer.kustomize.reader.kustomization_graph import (  # noqa: PLC0415 - few runs hold a finding
            KustomizationGraph,
        )

        graph = KustomizationGraph(fs)
        users: dict[str, frozenset[str]] = {}
        for overlay in overlays:
            folders: Iterable[str] = overlay.entry.folders if overlay.entry else ()
            users[overlay.path] = graph.reached([overlay.path, *folders])
        for place, held in self._held.items():
            folder = posixpath.dirname(place.path) or "."
            if {path for path, _ in held}.issuperset(path for path, used in users.items() if folder in used):
                first = held[0][1]
                yield from ((path, first) for path, _ in held)


def settled(found: Iterable[T], overlay: Overlay, overlays: Iterable[Overlay], fs: FileSystem) -> Iterator[T]:
    """Yield the findings of one overlay without those that another one of ``overlays`` may refute."""
    targets = SharedTargets[T]()
    yield from targets.hold(overlay.path, found)
    yield from (each for _, each in targets.unmatched((*overlays, overlay), fs))


def _target(found: Diagnostic | Located) -> Location | Site | None:
    """Return the place of a target in a kustomization that selects nothing; None of any other finding."""
    if found.code is not Code.PATCH_TARGET_MISSING or found.message != SELECTS_NOTHING:
        return None
    place = found.location if isinstance(found, Located) else found.sites[0]
    return place if place and posixpath.basename(place.path) in KUSTOMIZATION_FILES else None
