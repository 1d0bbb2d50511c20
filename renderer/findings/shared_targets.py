"""Targets of a component's patches that select nothing in one overlay, and something in another one.

kustomize lets a target select nothing (``api/internal/builtins/PatchTransformer.go``), and a component that
several overlays use relies on that. Such a target is a mistake only if it selects nothing in all of them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from typing import Generic, TypeVar

from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Location, Site
from renderer.model.kustomization import KUSTOMIZATION_FILES, SELECTS_NOTHING

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

    def unmatched(self, folders: Iterable[Collection[str]]) -> Iterator[tuple[str, T]]:
        """Yield the findings about targets that select nothing in any overlay, each after its overlay.

        ``folders`` are the folders of each overlay's kustomizations. The first overlay's hint is shown.
        """
        if not self._held:
            return
        users = [frozenset(each) for each in folders]
        for place, held in self._held.items():
            folder = posixpath.dirname(place.path) or "."
            if len({overlay for overlay, _ in held}) >= sum(folder in each for each in users):
                first = held[0][1]
                yield from ((overlay, first) for overlay, _ in held)


def _target(found: Diagnostic | Located) -> Location | Site | None:
    """Return the place of a target in a kustomization that selects nothing; None of any other finding."""
    if found.code is not Code.PATCH_TARGET_MISSING or found.message != SELECTS_NOTHING:
        return None
    place = found.location if isinstance(found, Located) else found.sites[0]
    return place if place and posixpath.basename(place.path) in KUSTOMIZATION_FILES else None
