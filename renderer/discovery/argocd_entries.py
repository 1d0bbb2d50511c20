"""The folders and files of a repository's Argo CD Applications, as entries of ``vmrender.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.discovery.manifests import Manifests, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import folder_of, is_inside, normal_path
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
    for path in _first_of_all({path for path, _ in found}, links):
        folder = folder_of(path)
        is_alone = folder == "." or manifests.graph.links(folder) is not None
        places |= dict.fromkeys(manifests.roots_of([path]) or (path if is_alone else folder,))
    for place in outermost_folders(places):
        yield OverlayEntry(
            place, entry=EntryOptions(EntryKind.ARGOCD, name_prefix=cluster_name(place, EntryKind.ARGOCD))
        )


def _first_of_all(paths: Iterable[str], links: Sequence[tuple[str, str]]) -> list[str]:
    """Return the files that no other file's objects deploy, and the first file of each cycle.

    ``links`` are files and the folders that their objects deploy.
    """
    targets: dict[str, dict[str, None]] = {}
    for by, to in links:
        if to != ".":
            targets.setdefault(by, {})[to] = None
    deployed_by: dict[str, set[str]] = {
        path: {
            by
            for by, folders in targets.items()
            if by != path and any(is_inside(folder_of(path), to) for to in folders)
        }
        for path in sorted(paths)
    }
    first = [path for path, users in deployed_by.items() if not users]
    covered = set(first)
    while True:
        while reached := {path for path, users in deployed_by.items() if users & covered} - covered:
            covered |= reached
        rest = [path for path in deployed_by if path not in covered]
        if not rest:
            return first
        first.append(rest[0])
        covered.add(rest[0])
