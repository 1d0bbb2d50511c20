"""The folders and files of a repository's Argo CD Applications, as entries of ``vmrender.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.discovery.manifests import Manifests, outermost_folders
from renderer.discovery.retired_files import is_named_retired
from renderer.files.file_system import folder_of, normal_path
from renderer.gitops.argocd.application import is_application, is_application_set, sources
from renderer.kustomize.reader.kustomization_graph import folders_above
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
    inside: dict[str, list[str]] = {}
    for path in paths:
        for folder in folders_above(path):
            inside.setdefault(folder, []).append(path)
    folders_of: dict[str, dict[str, None]] = {}
    users: dict[str, set[str]] = {}
    for by, to in links:
        if to != "." and to in inside:
            folders_of.setdefault(by, {})[to] = None
            users.setdefault(to, set()).add(by)
    deployed = {
        path for path in paths if any(users.get(folder, {path}) != {path} for folder in folders_above(path))
    }
    first: list[str] = []
    covered: set[str] = set()
    # A file that none deploys covers what it leads to; then each cycle that is left, from its first file.
    for path in sorted(paths, key=lambda each: (each in deployed, each)):
        if path in covered:
            continue
        first.append(path)
        waiting = [path]
        while waiting:
            by = waiting.pop()
            if by not in covered:
                covered.add(by)
                for folder in folders_of.get(by, ()):
                    waiting += inside.pop(folder, ())
    return first
