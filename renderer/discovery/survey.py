"""Search a repository that was not written for vmrender for everything that deploys virtual machines.

Only folders and entries that may deploy a virtual machine are composed. Entries of engines come first: what
they deploy is not listed again as a kustomization or folder.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator

from renderer.discovery.argocd_entries import argocd_entries
from renderer.discovery.detected_release import detected_releases
from renderer.discovery.detected_settings import (
    feature_gates,
    needed_catalogs,
    size_files,
    unlisted_sizes,
    unused_catalogs,
)
from renderer.discovery.engine_objects import EngineObjects
from renderer.discovery.entry_collector import EntryCollector
from renderer.discovery.flux_entries import flux_entries
from renderer.discovery.folder_entries import (
    add_kustomizations,
    add_plain_manifests,
    add_templates,
    add_vm_templates,
)
from renderer.discovery.manifests import Manifests
from renderer.discovery.proposed_clusters import of_no_cluster, proposed_clusters
from renderer.discovery.retired_files import hidden_archives, retired_reason
from renderer.discovery.survey_results import RootReaders, Survey, with_distinct_outputs
from renderer.files.file_system import FileSystem
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.kustomization import deployed_folder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import EntryKind, EntryOptions
from renderer.model.render_config import PROJECT_FILE, OverlayEntry, RenderConfig

_KUBEVIRT = re.compile(rb"kubevirt", re.IGNORECASE)


def survey(fs: FileSystem, config: RenderConfig | None = None, *, with_adoption: bool = False) -> Survey:
    """Return the survey of a repository; ``config`` has its URLs and clusters, if there is a project.

    ``with_adoption``: build all that engines deploy, to say what happens once they are pointed at the trees.
    """
    config = (config or RenderConfig())._replace(limits={})
    if "{name}" not in config.output:
        config = config._replace(output=RenderConfig().output)
    manifests = Manifests(fs, config.exclude)
    collector = EntryCollector(manifests, config)
    engines = EngineObjects(manifests, config, collector.compose)
    # An entry of the project says which trees are its own: a root in Git may be pointed at one of them.
    own = {(entry.listed_by, posixpath.normpath(entry.path)): entry for entry in config.overlays}
    of_engines = tuple(
        own.get((each.listed_by, each.path), each)
        for each in (
            *flux_entries(manifests, config, engines.may_be_own),
            *argocd_entries(manifests),
        )
    )
    for entry in of_engines:
        collector.add(entry)
    add_kustomizations(manifests, collector, engines)
    add_vm_templates(manifests, collector, engines)
    add_templates(manifests, collector)
    add_plain_manifests(manifests, collector, engines)
    if not collector.entries:
        _add_sizes(manifests, collector, engines, of_engines)
    if collector.entries and not any(each.sizes for each in collector.entries):
        collector.left_out += unlisted_sizes(manifests, collector.assigned)
    collector.left_out += (left for left in hidden_archives(manifests) if left.machines)
    rendered = {each.entry.path for each in collector.entries}
    count = len(collector.entries)
    listed = tuple(with_distinct_outputs((*collector.entries, *collector.broken)))
    found = listed[:count]
    catalogs = (
        *unused_catalogs(manifests, collector.assigned),
        *needed_catalogs(manifests, collector.composed),
    )
    catalogs = tuple(dict.fromkeys(catalogs))
    entries = (each.entry.path for each in found)
    releases = detected_releases(manifests)
    clusters = proposed_clusters(manifests, entries, catalogs, releases)
    return Survey(
        tuple(map(collector.with_adoption, found)) if with_adoption else found,
        tuple(each for each in collector.left_out if each.machines or each.path not in rendered),
        catalogs,
        of_no_cluster(releases, clusters),
        tuple(feature_gates(manifests)),
        listed[count:] if _has_kubevirt_object(manifests) else (),
        engines.unknown_urls,
        _uses_kubevirt(manifests),
        _root_readers(manifests, engines, of_engines),
        clusters,
    )


def _add_sizes(
    manifests: Manifests, collector: EntryCollector, engines: EngineObjects, entries: tuple[OverlayEntry, ...]
) -> None:
    """Add the entries of engines that deploy sizes, then kustomizations and folders with other sizes.

    ``entries`` are the entries of engines. Folders that are switched off are skipped.
    """
    for entry in entries:
        collector.add_sizes(entry)
    for entry in (*_kustomizations_of_sizes(manifests, collector), *_folders_of_sizes(manifests, collector)):
        if not retired_reason(manifests, entry.path) and not engines.reason_against(entry.path):
            collector.add_sizes(entry)


def _kustomizations_of_sizes(manifests: Manifests, collector: EntryCollector) -> Iterator[OverlayEntry]:
    files = (path for path in size_files(manifests) if path not in collector.assigned)
    yield from map(OverlayEntry, manifests.roots_of(files))


def _folders_of_sizes(manifests: Manifests, collector: EntryCollector) -> Iterator[OverlayEntry]:
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


def _root_readers(
    manifests: Manifests, engines: EngineObjects, entries: Iterable[OverlayEntry]
) -> RootReaders:
    """Return the readers of the top folder among the objects in files, and the roots of Flux ``entries``.

    These apply every manifest from the top on: the project file, hooks, and the rendered trees, too.
    """
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
    reads_top = deployed_folder(root) == "."
    return root.name if reads_top and not is_assumed else ""


def _has_kubevirt_object(manifests: Manifests) -> bool:
    """Return True if a file names an API group of KubeVirt; else what cannot be built has no machine."""
    return any(b"kubevirt.io/" in content for content in manifests.contents.values())


def _uses_kubevirt(manifests: Manifests) -> bool:
    """Return True if a file mentions KubeVirt, except the project file and hidden ones, such as pipelines."""
    return any(
        _KUBEVIRT.search(content)
        for path, content in manifests.contents.items()
        if path != PROJECT_FILE and not posixpath.basename(path).startswith(".")
    )
