"""Search a repository that was not written for vmrender for everything that deploys virtual machines.

Only folders and entries that may deploy a virtual machine are composed. Entries of engines come first: what
they deploy is not listed again as a kustomization or folder.
"""

from __future__ import annotations

import posixpath
import re

from renderer.discovery.argocd_entries import argocd_entries
from renderer.discovery.detected_release import detected_releases
from renderer.discovery.detected_settings import (
    feature_gates,
    needed_catalogs,
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
from renderer.discovery.retired_files import hidden_archives
from renderer.discovery.root_readers import root_readers
from renderer.discovery.sizes_entries import add_sizes
from renderer.discovery.survey_results import Survey, with_distinct_outputs
from renderer.files.file_system import FileSystem
from renderer.model.render_config import PROJECT_FILE, RenderConfig

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
        add_sizes(manifests, collector, engines, of_engines)
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
        root_readers(manifests, engines, of_engines),
        clusters,
    )


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
