"""What an engine applies from the trees is what it applied from the sources, but for the expansion.

Each golden repository with an entry of Flux or Argo CD is rendered with copies of the engine's objects. Then
the engine's rules are followed twice: from its root to the sources, and from the root's copy to the trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

import pytest

from renderer.emit.layout import file_paths, texts_by_path
from renderer.emit.tree_options import extras
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import FileSystem, MemoryFileSystem
from renderer.gitops.argocd.application_set import generate_applications, rendering_of
from renderer.gitops.argocd.destination import in_destination
from renderer.gitops.argocd.discovery import ArgocdDiscovery
from renderer.gitops.argocd.generators.context import ArgoCluster, SetContext
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.discovery import FluxDiscovery, Key, ReachedKustomization
from renderer.kubevirt.facts.server_fields import strip_server_fields, strip_status
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import Json, object_at, text_at, without
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline
from renderer.pipeline.argocd_build import build_application
from renderer.pipeline.argocd_trees import START
from renderer.pipeline.entry_points import find_overlays
from renderer.pipeline.flux_build import discover_kustomization, read_variables
from renderer.pipeline.reached_objects import repository_urls
from renderer.project.project import load_project
from tests.test_cases import CASES, read_tree

#: The object that applies others, and each applied object: its kind, namespace, name and content.
Applied: TypeAlias = dict[tuple[str, str, str, str, str], Json]

_ENTRY = re.compile(r"- (\{ *)?(flux|argocd): *\w")
#: Groups whose objects expansion or the copies change.
_CHANGED = ("kubevirt.io", ".toolkit.fluxcd.io", "argoproj.io", "fluxcd.controlplane.io")


def repositories() -> Iterator[Path]:
    for file in sorted(CASES.glob("*/*/vmrender.yaml")):
        if _ENTRY.search(file.read_text(encoding="utf-8")):
            yield file.parent


def memory(files: Mapping[str, str]) -> FileSystem:
    encoded = {path: text.encode(errors="surrogateescape") for path, text in files.items()}
    return BuiltinFileSystem(MemoryFileSystem(encoded))


REPOSITORIES = list(repositories())


@pytest.mark.parametrize("folder", REPOSITORIES, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_trees_apply_what_the_sources_applied(folder: Path) -> None:
    files = {
        path: text
        for path, text in read_tree(folder).items()
        if not path.startswith(("expected", "case.yaml", "rendered/"))
    }
    fs = memory(files)
    try:
        config = load_project(fs)
    except DiagnosticError:
        pytest.skip("its project file is broken")
    for entry in config.overlays:
        if not entry.entry.has_engine:
            continue
        entry = entry._replace(entry=entry.entry._replace(repoint=True))  # noqa: PLW2901 - the same one
        alone = config._replace(overlays=(entry,), output="rendered/{name}")
        try:
            overlays = find_overlays(fs, alone)
        except DiagnosticError:
            continue
        trees = render(fs, alone, overlays)
        if trees is None or any(map(is_left_out, overlays)):
            continue
        follow = flux_applied if entry.entry.kind is EntryKind.FLUX else argocd_applied
        before = Repository(fs, alone, entry, overlays)
        after = before._replace(fs=memory({**files, **trees}), trees=trees)
        assert follow(after) == follow(before)


def test_there_are_repositories() -> None:
    assert len(REPOSITORIES) > 20


class Repository(NamedTuple):
    """A repository with one entry; ``trees`` are the files that the engine's root was pointed at."""

    fs: FileSystem
    config: RenderConfig
    entry: OverlayEntry
    overlays: tuple[Overlay, ...]
    trees: Mapping[str, str] = {}


def render(fs: FileSystem, config: RenderConfig, overlays: tuple[Overlay, ...]) -> dict[str, str] | None:
    """The files of all trees; None if one cannot be rendered."""
    pipeline = Pipeline(fs, config)
    files: dict[str, str] = {}
    for overlay in overlays:
        outcome = pipeline.render(overlay)
        if outcome.failed:
            return None
        texts = texts_by_path(outcome.value, file_paths(outcome.value, overlay.files))
        if overlay.tree.extras:
            texts = {
                **texts,
                **extras(overlay.tree.extras, overlay.path, overlay.kubevirt, texts, outcome.value),
            }
        files |= {f"{overlay.output}/{path}": text for path, text in texts.items()}
    return files


def is_left_out(overlay: Overlay) -> bool:
    """Whether the source hides a tree from Flux, and a warning says so."""
    notes = overlay.entry.notes if overlay.entry else ()
    return any(note.code is Code.TREE_LEFT_OUT for note in notes)


def flux_applied(repository: Repository) -> Applied:
    fs, config, entry, _, trees = repository
    root = cluster_root(fs, entry.path)
    kustomization = root.kustomization
    tree = f"{config.output_of(entry, f'{entry.entry.cluster}/{kustomization.name}')}"
    if any(path.startswith(f"{tree}/") for path in trees):
        spec = {**object_at(kustomization.content, "spec"), "path": tree}
        kustomization = kustomization.with_content({**kustomization.content, "spec": spec})
    else:
        kustomization = root.at_sources(tree, entry.path).kustomization
    urls = repository_urls(fs, config)

    def build(reached: ReachedKustomization, known: Mapping[Key, Resource]) -> Outcome[ResourceSet]:
        artifact = ArtifactFileSystem(fs, reached.ignore)
        variables = read_variables(reached.entry, known.values(), secrets=entry.entry.secrets)
        return discover_kustomization(artifact, reached.entry, variables)

    discovery = FluxDiscovery(build, urls, root.known)
    found: Applied = {}
    for reached in discovery.follow(kustomization):
        if reached.outcome is not None and not reached.outcome.failed:
            found |= applied_by(reached.entry, reached.outcome.value)
    return found


def argocd_applied(repository: Repository) -> Applied:
    fs, config, _, overlays, trees = repository
    start = next((each for each in overlays if each.name.endswith(f"/{START}")), None)
    if start is None or start.entry is None:  # nothing is re-pointed
        return {}
    outcome = Pipeline(fs, config).render(start) if trees else Outcome(ResourceSet(start.entry.objects))
    urls = repository_urls(fs, config)
    clusters = tuple(ArgoCluster(e.name, e.server, e.labels, e.annotations) for e in config.clusters)

    def generate(each: Resource) -> tuple[Resource, ...]:
        return generate_applications(
            each, SetContext(fs, rendering_of(each), clusters, urls.is_this_repository)
        )

    discovery = ArgocdDiscovery(
        lambda each: build_application(fs, each, urls.is_this_repository), generate, urls.is_this_repository
    )
    found: Applied = {}
    for reached in discovery.follow(outcome.value):
        if reached.outcome is not None and not reached.outcome.failed:
            namespace = text_at(reached.entry.content, "spec", "destination", "namespace")
            found |= applied_by(reached.entry, in_destination(reached.outcome.value, namespace))
    return found


def applied_by(deployer: Resource, resources: ResourceSet) -> Applied:
    objects = strip_status(strip_server_fields(resources).value)
    return {
        (deployer.name, each.api_version, each.kind, each.namespace, each.name): comparable(each)
        for each in objects
    }


def comparable(resource: Resource) -> Json:
    """The content, except where expansion or a copy changes it, and for the file that an object came from."""
    if resource.gvk.group.endswith(_CHANGED):
        return None
    content = without(resource.content, "metadata", "annotations", "config.kubernetes.io/origin")
    return (
        content
        if object_at(content, "metadata", "annotations")
        else without(content, "metadata", "annotations")
    )
