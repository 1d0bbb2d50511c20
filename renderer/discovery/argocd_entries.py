"""The folders and files of a repository's Argo CD Applications, as entries of ``vmrender.yaml``."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.discovery.manifests import Manifests, normal_path, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import is_inside
from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import OverlayEntry
from renderer.project.entry_settings import cluster_name


def argocd_entries(manifests: Manifests) -> Iterator[OverlayEntry]:
    """Yield the folders or files of Applications that no other Application deploys."""
    found = [
        (path, each)
        for path, each in manifests.objects(b"argoproj.io", b"Application")
        if (is_application(each) or is_application_set(each)) and not is_named_retired(manifests, path)
    ]
    links = [
        (path, normal_path(source.path))
        for path, each in found
        for source in sources(each)
        if source.path and "{" not in source.path
    ]
    places: dict[str, None] = {}
    for path in sorted({path for path, _ in found}):
        folder = posixpath.dirname(path) or "."
        if any(by != path and to != "." and is_inside(folder, to) for by, to in links):
            continue
        is_alone = folder == "." or manifests.graph.links(folder) is not None
        places |= dict.fromkeys(manifests.roots_of([path]) or (path if is_alone else folder,))
    for place in outermost_folders(places):
        yield OverlayEntry(
            place, entry=EntryOptions(EntryKind.ARGOCD, cluster=cluster_name(place, EntryKind.ARGOCD))
        )
