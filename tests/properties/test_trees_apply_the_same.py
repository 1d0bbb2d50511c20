"""Pointed at the rendered trees, an engine applies what it applied from the sources; nothing is deleted.

Every golden repository with an entry of Flux or Argo CD is rendered with ``repoint: true``, and its root is
pointed at its tree. Allowed differences are expanded machines, and where the engine's objects point. The
same holds for repositories with errors, of which the other overlays are written.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from renderer.checks.rules.suppression import PREFIX
from renderer.cli.app import main
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import DiskFileSystem, FileSystem, normal_path
from renderer.gitops.argocd.application import named_sources
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.gitops.argocd.roots import application_objects
from renderer.gitops.flux.cluster_root import cluster_root
from renderer.gitops.flux.generator import find_or_generate
from renderer.gitops.folder_reader import FolderReader
from renderer.kubevirt.facts.server_fields import without_server_fields
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import EntryKind
from renderer.model.kube.json import JsonObject, object_at, text_at, without
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.argocd_build import ApplicationBuilder, generate
from renderer.pipeline.reached_objects import repository_urls
from renderer.project.project import load_project
from tests.engines import FLUX, Applied, ArgoCd, Flux
from tests.test_cases import CASES, Case, write_tree

ENTRY = re.compile(r"- (\{ *)?(flux|argocd): *\w")
#: Findings that say why an engine would not apply the same from the trees.
REPORTED = ("tree-left-out", "tree-missing", "rendered-source")
#: Where an engine's object points, and what the tree already is.
AT_TREE = (
    *(("spec", field) for field in ("path", "source", "sources", "patches", "images", "components")),
    *(
        ("spec", field)
        for field in ("ignoreMissingComponents", "namePrefix", "nameSuffix", "targetNamespace")
    ),
    *(("spec", field) for field in ("commonMetadata", "postBuild", "buildMetadata", "sourceHydrator")),
    ("spec", "sync", "path"),
    ("spec", "values", "instance", "sync", "path"),
    ("metadata", "annotations", "vmrender.io/source-path"),
    ("metadata", "annotations", "argocd.argoproj.io/manifest-generate-paths"),
)
#: Fields that an ApplicationSet may have anew; the Applications that it generates are compared.
OF_SET = tuple(
    ("spec", field)
    for field in ("generators", "template", "templatePatch", "goTemplate", "goTemplateOptions")
)
#: Where kustomize found an object. In an object that it reads, it drops that (``RemoveOriginAnnotations``).
ORIGIN = ("metadata", "annotations", "config.kubernetes.io/origin")
#: API groups of objects that are expanded, or written in another version.
EXPANDED = ("kubevirt.io", "instancetype.kubevirt.io", "pool.kubevirt.io")


def golden_repositories() -> Iterator[Path]:
    for case in sorted(CASES.glob("*/*/case.yaml")):
        project = case.parent / "vmrender.yaml"
        text = project.read_text(encoding="utf-8") if project.is_file() else ""
        if ENTRY.search(text):
            yield case.parent


REPOSITORIES = tuple(golden_repositories())


@pytest.mark.parametrize("folder", REPOSITORIES, ids=lambda folder: folder.relative_to(CASES).as_posix())
def test_trees_apply_what_their_sources_apply(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = {
        path: text for path, text in Case.read(folder).inputs().items() if not path.startswith("rendered/")
    }
    try:
        inputs["vmrender.yaml"] = repointed(inputs["vmrender.yaml"])
    except (yaml.YAMLError, AttributeError, TypeError):
        pytest.skip("not a project")
    write_tree(tmp_path, inputs)
    monkeypatch.chdir(tmp_path)
    fs = BuiltinFileSystem(DiskFileSystem(tmp_path))
    try:
        config = load_project(fs)
        entries = [entry for entry in config.overlays if entry.entry.has_engine]
        before = [applied(fs, fs, config, entry) for entry in entries]
    except DiagnosticError:
        pytest.skip("not a project")
    if not before:
        pytest.skip("no entry can be followed")
    # The second run sees the trees of the first.
    output = "".join(CliRunner().invoke(main, ["render"]).output for _ in range(2))
    reported = next((code for code in REPORTED if f"[{code}]" in output), "")
    if reported:
        pytest.skip(f"{reported} says that the trees are not to be applied")
    fs = BuiltinFileSystem(DiskFileSystem(tmp_path))
    sources = BuiltinFileSystem(DiskFileSystem(tmp_path))
    for entry, was in zip(entries, before, strict=True):
        assert comparable(applied(fs, sources, config, entry, switched=True)) == comparable(was)


def repointed(project: str) -> str:
    """Return a project file whose entries of engines are all re-pointed."""
    content = yaml.safe_load(project)
    of_engines = [
        entry for entry in content["overlays"] if isinstance(entry.get("flux"), str) or "argocd" in entry
    ]
    if all(entry.get("repoint") for entry in of_engines):
        return project  # with its comments: one makes Argo CD skip the file
    for entry in of_engines:
        entry["repoint"] = True
    return yaml.safe_dump(content)


def applied(
    fs: FileSystem, sources: FileSystem, config: RenderConfig, entry: OverlayEntry, *, switched: bool = False
) -> Applied:
    """Return what the engine of an entry applies; ``switched``: its root is pointed at the tree."""
    name = entry.entry.name_prefix
    if entry.entry.kind is EntryKind.FLUX:
        root = cluster_root(fs, entry.path)
        start = root.kustomization
        tree = config.output_of(entry, f"{name}/{start.name}")
        is_switched = normal_path(text_at(start.content, "spec", "path")) == posixpath.normpath(tree)
        path = (text_at(start.annotations, "vmrender.io/source-path") or entry.path) if is_switched else ""
        content = at_path(start.content, tree if switched and fs.is_folder(tree) else path)
        return Flux(fs, content, [each.content for each in root.known]).run()

    def fail(_place: str, error: DiagnosticError) -> None:
        raise error

    started = tuple(application_objects(fs, entry.path, lambda folder: composed(fs, folder, entry), fail))
    urls = repository_urls(sources, config).naming(each for root in started for each in named_sources(root))

    def generated(resource: Resource) -> tuple[Resource, ...]:
        return generate(
            RepositoryTree(fs), resource, config.clusters, urls.is_this_repository, lambda _warning: None
        )

    tree = config.output_of(entry, f"{name}/_entry")
    if switched and fs.is_folder(tree):
        copies = {(each.kind, each.namespace, each.name): each for each in manifests(fs, tree)}
        started = tuple(copies.get((each.kind, each.namespace, each.name), each) for each in started)
    return ArgoCd(fs, urls.is_this_repository, generated).run(started)


def at_path(root: JsonObject, path: str) -> JsonObject:
    """Return a root as a user points it at another folder, by its ``path`` alone."""
    return {**root, "spec": {**object_at(root, "spec"), "path": path}} if path else root


def composed(fs: FileSystem, folder: str, entry: OverlayEntry) -> tuple[Resource, ...]:
    completed = find_or_generate(FolderReader(fs), folder, Site(entry.path))
    return ApplicationBuilder(fs).kustomizations.compose(completed).value.resources


def manifests(fs: FileSystem, folder: str) -> Iterator[Resource]:
    for name in fs.list(folder):
        path = f"{folder}/{name}"
        if fs.is_folder(path):
            yield from manifests(fs, path)
        elif name.endswith(".yaml") and name not in KUSTOMIZATION_FILES:
            yield from read_resources(fs.read(path), Site(path))


def comparable(found: Applied) -> dict[object, JsonObject]:
    """Return the objects without expansions, and without where the engine's own objects point."""
    return {(owner, key): _comparable(content, *key[:2]) for (owner, key), content in found.items()}


def _comparable(content: JsonObject, group: str, kind: str) -> JsonObject:
    content = without(without_server_fields(content)[0], *ORIGIN)
    for annotation in object_at(content, "metadata", "annotations"):
        if annotation.startswith(PREFIX):  # for vmrender alone
            content = without(content, "metadata", "annotations", annotation)
    if not object_at(content, "metadata", "annotations"):
        content = without(content, "metadata", "annotations")
    if group in EXPANDED:
        return object_at(content, "metadata")
    if group not in (FLUX, "argoproj.io") and kind not in ("FluxInstance", "HelmRelease"):
        return content
    for path in (*AT_TREE, *(OF_SET if kind == "ApplicationSet" else ())):
        content = without(content, *path)
    has_annotations = bool(object_at(content, "metadata", "annotations"))
    return content if has_annotations else without(content, "metadata", "annotations")


def test_there_are_repositories() -> None:
    assert len(REPOSITORIES) > 60
