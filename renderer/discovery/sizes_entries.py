"""Entries of a repository that has instance types and preferences, and no virtual machine."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.discovery.detected_settings import size_files
from renderer.discovery.engine_objects import EngineObjects
from renderer.discovery.entry_collector import EntryCollector
from renderer.discovery.manifests import Manifests
from renderer.discovery.retired_files import retired_reason
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import OverlayEntry


def add_sizes(
    manifests: Manifests, collector: EntryCollector, engines: EngineObjects, entries: tuple[OverlayEntry, ...]
) -> None:
    """Add the entries of engines that deploy sizes, then kustomizations and folders with other sizes.

    ``entries`` are the entries of engines. Folders that are switched off are skipped.
    """
    for entry in entries:
        collector.add_sizes(entry)
    for entry in (*_kustomizations(manifests, collector), *_folders(manifests, collector)):
        if not retired_reason(manifests, entry.path) and not engines.reason_against(entry.path):
            collector.add_sizes(entry)


def _kustomizations(manifests: Manifests, collector: EntryCollector) -> Iterator[OverlayEntry]:
    files = (path for path in size_files(manifests) if path not in collector.assigned)
    yield from map(OverlayEntry, manifests.roots_of(files))


def _folders(manifests: Manifests, collector: EntryCollector) -> Iterator[OverlayEntry]:
    """Yield the folders of files that no kustomization uses; files at the top are entries of their own."""
    files = [
        path
        for path in size_files(manifests)
        if path not in collector.assigned and not manifests.graph.folders_listing(path)
    ]
    places = dict.fromkeys(posixpath.dirname(path) or path for path in files)
    for place in places:
        if manifests.graph.links(place) is None:
            yield OverlayEntry(place, entry=EntryOptions(EntryKind.DIRECTORY))
