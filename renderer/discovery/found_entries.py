"""Results of a survey: entries for ``vmrender.yaml``, each with its own output, and omitted paths."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.model.release import Release
from renderer.model.render_config import OverlayEntry
from renderer.project.entry_settings import without_extension

#: Separators of a path, and the marks of placeholders in ``output``.
_REPLACED = {ord("/"): "-", ord("{"): None, ord("}"): None}


class FoundEntry(NamedTuple):
    """A possible entry of ``vmrender.yaml``; ``overlays`` is the number of its overlays.

    ``error`` is the reason why it cannot be built, empty if it can.
    """

    entry: OverlayEntry
    machines: int
    overlays: int = 1
    error: str = ""


class LeftOut(NamedTuple):
    """A path that has or should deploy virtual machines, and the reason why it is not rendered."""

    path: str
    machines: int
    reason: str


class Survey(NamedTuple):
    """The entries to render, and what is left out.

    ``broken`` are entries that cannot be built because of an error in the repository; they are also in
    ``left_out``. They are still listed, so that nothing replaces them and their error is reported.
    """

    entries: tuple[FoundEntry, ...]
    left_out: tuple[LeftOut, ...]
    catalogs: tuple[str, ...]
    release: Release | None
    gates: tuple[str, ...] = ()
    broken: tuple[FoundEntry, ...] = ()

    @property
    def listed(self) -> tuple[FoundEntry, ...]:
        """Return the entries of the project file."""
        return (*self.entries, *self.broken)

    @property
    def machines(self) -> int:
        return sum(each.machines for each in self.entries)


def with_distinct_outputs(found: Iterable[FoundEntry]) -> Iterator[FoundEntry]:
    """Yield the entries, each with a folder of its own below ``rendered``.

    An entry keeps its usual folder if no other entry has it; Flux and Argo CD entries have priority. The
    others get a folder named after their whole path, with a number if that is taken.
    """
    given = list(found)
    wanted = [(each.entry.entry.has_engine, _usual_folder(each.entry)) for each in given]
    count = Counter(wanted)
    kept = [
        name != "." and count[leads, name] == 1 and (leads or (True, name) not in count)
        for leads, name in wanted
    ]
    taken = {name for (_, name), is_kept in zip(wanted, kept, strict=True) if is_kept}
    tries = Counter[str]()
    for each, is_kept in zip(given, kept, strict=True):
        if is_kept:
            yield each
            continue
        entry, folder = each.entry, ""
        while not folder or folder in taken:
            folder = _whole_path(entry.path)
            tries[folder] += 1
            folder += f"-{tries[folder]}" if tries[folder] > 1 else ""
        taken.add(folder)
        if entry.entry.has_engine:
            yield each._replace(entry=entry._replace(entry=entry.entry._replace(cluster=folder)))
        else:
            yield each._replace(entry=entry._replace(output=f"rendered/{folder}"))


def _usual_folder(entry: OverlayEntry) -> str:
    return entry.entry.cluster or without_extension(posixpath.basename(entry.path))


def _whole_path(path: str) -> str:
    """Return the path as a single name, valid for ``output`` and ``name`` of an entry."""
    name = without_extension(posixpath.normpath(path)).translate(_REPLACED)
    return name.replace("..", "-").strip(".") or "top"
