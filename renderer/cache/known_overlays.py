"""What rendering an overlay came to the last time, for as long as nothing that it saw has changed.

Of manifests only digests are kept: what an overlay renders may hold passwords.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from renderer.cache.findings import finding_json, finding_of
from renderer.cache.sightings import Sightings, seen_json, seen_of
from renderer.cache.store import Store
from renderer.model.diagnostic import Diagnostic
from renderer.model.json import Json
from renderer.model.render_config import Overlay
from renderer.source.recorder import UNANSWERED, Question


class KnownOverlay(NamedTuple):
    """A run that succeeded.

    ``tree`` is the digest of the ownership file it wrote or would write, ``folders`` are those it read as
    kustomizations, ``findings`` know their lines, ``seconds`` is how long it took.
    """

    tree: str
    folders: frozenset[str]
    findings: tuple[Diagnostic, ...]
    seconds: float


class KnownOverlays:
    """``project`` is all else that decides what comes of an overlay: what works, where, and on whose word."""

    def __init__(self, store: Store, sightings: Sightings, project: tuple[str, ...]) -> None:
        self._store = store
        self._sightings = sightings
        self._project = project

    def find(self, overlay: Overlay) -> KnownOverlay | None:
        """None when it was not rendered before, or anything it saw differs now."""
        entry: Any = self._store.get(*self._name(overlay))
        if entry is None or not self._sightings.are_current(seen_of(entry["saw"])):
            return None
        findings = tuple(map(finding_of, entry["findings"]))
        return KnownOverlay(entry["tree"], frozenset(entry["folders"]), findings, entry["seconds"])

    def seconds(self, overlay: Overlay) -> float | None:
        """How long it took the last time, whatever has changed since; None when there was none."""
        entry: Any = self._store.get(*self._name(overlay))
        return None if entry is None else float(entry["seconds"])

    def keep(self, overlay: Overlay, known: KnownOverlay, saw: Mapping[Question, str]) -> None:
        """For the next run. ``saw`` is what it asked of the repository, and the answers."""
        if UNANSWERED in saw.values():
            return
        entry: Json = {
            "saw": seen_json(saw),
            "tree": known.tree,
            "folders": sorted(known.folders),
            "findings": list(map(finding_json, known.findings)),
            "seconds": known.seconds,
        }
        self._store.put(entry, *self._name(overlay))

    def _name(self, overlay: Overlay) -> Iterable[str]:
        return "overlay", *self._project, overlay.path, overlay.listed_as
