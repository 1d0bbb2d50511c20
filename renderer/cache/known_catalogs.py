"""What the catalogs of a project compose to, for as long as nothing that they are made of has changed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from renderer.cache.sightings import Sightings, seen_json, seen_of
from renderer.cache.store import Store
from renderer.model.resource_set import ResourceSet
from renderer.source.composed_catalog import decode_composed, encode_composed
from renderer.source.recorder import UNANSWERED, Recorder, Work

#: Of nothing else is more kept than a digest: other objects may hold passwords.
_GROUP = "instancetype.kubevirt.io"


class KnownCatalogs:
    """``project`` is all else that decides what comes of a catalog."""

    def __init__(self, store: Store, sightings: Sightings, project: tuple[str, ...]) -> None:
        self._store = store
        self._sightings = sightings
        self._project = project

    def find(self, folder: str, recorder: Recorder) -> ResourceSet | None:
        """The catalog in ``folder``; ``recorder`` then knows what it was made of, as if it had been read."""
        entry: Any = self._store.get(*self._name(folder))
        if entry is None:
            return None
        seen = seen_of(entry["saw"])
        if not self._sightings.are_current(seen):
            return None
        recorder.recall(seen, (Work(*work) for work in entry["used"]))
        return decode_composed(entry["composed"].encode())

    def keep(self, folder: str, composed: ResourceSet, recorder: Recorder, work: Work) -> None:
        """For the next run; ``work`` is that of composing it."""
        seen = recorder.seen(work)
        if UNANSWERED in seen.values() or any(resource.gvk.group != _GROUP for resource in composed):
            return
        try:
            text = encode_composed(composed)
        except ValueError:  # it has more to it than what is kept
            return
        used = [list(used) for used in sorted(recorder.used(work))]
        self._store.put({"saw": seen_json(seen), "used": used, "composed": text}, *self._name(folder))

    def _name(self, folder: str) -> Iterable[str]:
        return "catalog", *self._project, folder
