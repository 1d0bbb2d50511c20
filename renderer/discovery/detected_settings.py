"""Settings of ``vmrender.yaml`` that follow from a repository: catalogs and gates."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from renderer.discovery.manifests import Manifests
from renderer.discovery.survey_results import LeftOut
from renderer.files.file_system import folder_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.json import array_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.project.definitions import Definitions
from renderer.project.validation_scope import ManifestFiles

_SIZE = re.compile(
    rb"^kind:[ \t]*[\"']?(?:VirtualMachine(?:Cluster)?(?:Instancetype|Preference)|InstancetypeSeries)\b",
    re.MULTILINE,
)


def size_files(manifests: Manifests) -> Iterator[str]:
    """Yield the files with instance types, preferences or series of them."""
    yield from (path for path, content in manifests.contents.items() if _SIZE.search(content))


def unused_catalogs(manifests: Manifests, assigned: Collection[str]) -> Iterator[str]:
    """Yield kustomizations with only instance types and preferences in files that are not ``assigned``."""
    files = (path for path in size_files(manifests) if path not in assigned)
    with_machines = {*manifests.roots_of(manifests.machine_files)}
    yield from (folder for folder in manifests.roots_of(files) if folder not in with_machines)


def unlisted_sizes(manifests: Manifests, assigned: Collection[str]) -> Iterator[LeftOut]:
    """Yield the folders of instance types and preferences that nothing deploys and no kustomization lists."""
    files = (path for path in size_files(manifests) if path not in assigned)
    lone = (path for path in files if manifests.read(path) and not manifests.graph.folders_listing(path))
    reason = "no machine gets its instance types; list them in a kustomization, and its folder under catalogs"
    yield from (LeftOut(folder, 0, reason) for folder in dict.fromkeys(map(folder_of, lone)))


def needed_catalogs(manifests: Manifests, composed: Iterable[ResourceSet]) -> Iterator[str]:
    """Yield kustomizations of objects that machines in ``composed`` name and only other entries deploy."""
    fs = manifests.fs
    definitions = Definitions(fs, ManifestFiles(fs), lambda *_: ())
    for resources in composed:
        deployed = {(each.kind, each.name) for each in resources}
        for each in resources:
            view = VirtualMachineView.of(each)
            for kind, name in view.matched_objects() if view is not None else ():
                found = None if (kind, name) in deployed else definitions.find((kind,), name)
                if found:
                    yield from manifests.graph.folders_listing(found.site.path)[:1]


def feature_gates(manifests: Manifests) -> Iterator[str]:
    """Yield the feature gates that the repository's KubeVirt object enables."""
    path = ("spec", "configuration", "developerConfiguration", "featureGates")
    for each in _kubevirt_objects(manifests):
        yield from (gate for gate in array_at(each.content, *path) if isinstance(gate, str))


def _kubevirt_objects(manifests: Manifests) -> Iterator[Resource]:
    for _, each in manifests.objects(b"kind: KubeVirt", b"kubevirt.io/"):
        if each.kind == "KubeVirt":
            yield each
