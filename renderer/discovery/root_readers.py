"""Objects by which an engine applies every manifest from the top of the repository.

They would apply the files of vmrender, too: the project file, hooks, and the rendered trees.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.discovery.engine_objects import EngineObjects
from renderer.discovery.manifests import Manifests
from renderer.discovery.survey_results import RootReaders
from renderer.files.file_system import normal_path
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import text_at
from renderer.model.render_config import OverlayEntry


def root_readers(
    manifests: Manifests, engines: EngineObjects, entries: Iterable[OverlayEntry]
) -> RootReaders:
    """Return the readers of the top folder among the objects in files, and the roots of Flux ``entries``."""
    if manifests.graph.links(".") is not None:
        return RootReaders()
    flux = next((each for each in engines.reading(".") if each.source is None), None)
    name, ignore = (flux.resource.name, engines.ignore_rules(flux)) if flux else ("", "")
    for entry in entries if flux is None else ():
        if entry.entry.kind is EntryKind.FLUX:
            name = name or _root_at_the_top(manifests, entry.path)
    sources = tuple(each.source for each in engines.reading(".") if each.source is not None)
    return RootReaders(name, ignore, sources)


def _root_at_the_top(manifests: Manifests, folder: str) -> str:
    """Return the name of the cluster's root if a file says that it reads the top; else nothing."""
    try:
        root = cluster_root(manifests.fs, folder).kustomization
    except DiagnosticError:
        return ""
    is_assumed = root.origin.path == folder
    reads_top = normal_path(text_at(root.content, "spec", "path")) == "."
    return root.name if reads_top and not is_assumed else ""
