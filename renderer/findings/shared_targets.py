"""Targets of a component's patches that select nothing in one overlay, and something in another one.

kustomize lets a target select nothing (``api/internal/builtins/PatchTransformer.go``), and a component that
several overlays use relies on that. Such a target is a mistake only if it selects nothing in all of them: a
run that builds some of the overlays cannot know it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from renderer.files.file_system import FileSystem
from renderer.findings.located import Located
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Site
from renderer.model.kustomization import is_kustomization_file
from renderer.model.render_config import Overlay

if TYPE_CHECKING:
    from renderer.kustomize.reader.kustomization_graph import KustomizationGraph

T = TypeVar("T", Diagnostic, Located)


class SharedTargets(Generic[T]):
    """Postpones findings about such targets until the overlays of a run are known."""

    def __init__(self) -> None:
        #: The findings about each target, each after the path of its overlay.
        self.postponed: dict[Site, list[tuple[str, T]]] = {}

    def postpone(self, overlay: str, findings: Iterable[T]) -> list[T]:
        """Return the findings of an overlay that can be reported at once."""
        reported: list[T] = []
        for each in findings:
            target = each.unmatched_target
            if target and is_kustomization_file(target.path):
                self.postponed.setdefault(target, []).append((overlay, each))
            else:
                reported.append(each)
        return reported

    def unmatched(self, overlays: Iterable[Overlay], graph: KustomizationGraph) -> Iterator[tuple[str, T]]:
        """Yield the findings about targets that select nothing in any overlay, each after its overlay.

        ``overlays`` are all of the project, and others that were built. The first overlay's hint is shown.
        """
        if not self.postponed:
            return
        users: dict[str, frozenset[str]] = {}
        for overlay in overlays:
            folders: Iterable[str] = overlay.entry.folders if overlay.entry else ()
            users[overlay.path] = graph.reached([overlay.path, *folders])
        for target, found in self.postponed.items():
            folder = posixpath.dirname(target.path) or "."
            if {path for path, _ in found}.issuperset(path for path, used in users.items() if folder in used):
                first = found[0][1]
                yield from ((path, first) for path, _ in found)


def settled(found: Iterable[T], overlay: Overlay, overlays: Iterable[Overlay], fs: FileSystem) -> Iterator[T]:
    """Yield the findings of one overlay without those that another one of ``overlays`` may refute."""
    targets = SharedTargets[T]()
    yield from targets.postpone(overlay.path, found)
    if not targets.postponed:
        return
    from renderer.kustomize.reader.kustomization_graph import KustomizationGraph  # noqa: PLC0415 - few builds

    yield from (each for _, each in targets.unmatched((*overlays, overlay), KustomizationGraph(fs)))
