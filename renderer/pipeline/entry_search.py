"""What a search for the entry points of Flux and Argo CD builds, and with what."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeAlias

from renderer.model.record import Record

if TYPE_CHECKING:
    from renderer.pipeline.argocd_build import ApplicationBuilder
    from renderer.pipeline.flux_build import FluxBuilds

#: Returns True if folders are worth building, judged by the words in their files.
Relevant: TypeAlias = Callable[[Iterable[str]], bool]


class Search(Record):
    """Only ``relevant`` folders are built, with the builders of the run that renders them, if there is one.

    What such a run builds to find its overlays, it does not build again.
    """

    relevant: Relevant = lambda _folders: True
    flux_builds: Callable[[], FluxBuilds] | None = None
    applications: Callable[[], ApplicationBuilder] | None = None
