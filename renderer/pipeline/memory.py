"""What a run notes for later ones, and knows from earlier ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from renderer.source.recorder import Recorder

if TYPE_CHECKING:
    from renderer.cache.known_catalogs import KnownCatalogs


class Memory(NamedTuple):
    """``recorder`` gets to know which part of the work used which other part."""

    recorder: Recorder
    catalogs: KnownCatalogs | None = None
