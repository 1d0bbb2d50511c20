"""Entries that ``vmrender.yaml`` could have for what a repository holds, each with an output of its own."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from renderer.model.render_config import OverlayEntry
from renderer.source.entry_settings import without_extension


class FoundEntry(NamedTuple):
    """An entry that ``vmrender.yaml`` could have; ``overlays`` is how many it leads to."""

    entry: OverlayEntry
    machines: int
    overlays: int = 1


def with_distinct_outputs(entries: Iterable[FoundEntry]) -> Iterator[FoundEntry]:
    """Yield the entries; those of which two would be rendered into one folder get outputs of their own."""
    given = list(entries)
    names = [_output_name(each.entry) for each in given]
    clusters = [each.entry.entry.cluster for each in given if each.entry.entry.leads_to_overlays]
    for each, name in zip(given, names, strict=True):
        whole = each.entry.path.replace("/", "-")
        if each.entry.entry.leads_to_overlays:
            if clusters.count(each.entry.entry.cluster) > 1:
                options = each.entry.entry._replace(cluster=whole)
                yield each._replace(entry=each.entry._replace(entry=options))
            else:
                yield each
        elif names.count(name) > 1 or name in (".", *clusters):
            yield each._replace(entry=each.entry._replace(output=f"rendered/{whole.strip('.') or 'top'}"))
        else:
            yield each


def _output_name(entry: OverlayEntry) -> str:
    if entry.entry.leads_to_overlays:
        return f"{entry.entry.kind}:{entry.path}"
    return without_extension(posixpath.basename(entry.path))
