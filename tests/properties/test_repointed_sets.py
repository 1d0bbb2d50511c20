"""The copy of an ApplicationSet generates the Applications of the set, each at its tree."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.argocd.application_set import generate_applications, rendering_of
from renderer.gitops.argocd.generators.context import ArgoCluster, SetContext
from renderer.gitops.argocd.generators.repository_tree import RepositoryTree
from renderer.gitops.argocd.repointing import application_at_tree, repointed_set
from renderer.model.entry_point import RepointedTree
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from tests.properties.examples import examples

FINALIZERS = st.lists(st.sampled_from(["resources-finalizer.argocd.argoproj.io", "x/y", "x/z"]), unique=True)
TEXTS = st.sampled_from(["plain", '"', "a: b", "{{ .name }}", "<no value>", "8", "true", "${x}", "é\n"])
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "labels": st.dictionaries(st.sampled_from(["team", "tier"]), TEXTS, min_size=1),
        "finalizers": FINALIZERS,
        "patchedFinalizers": FINALIZERS,
        "preserve": st.booleans(),
        "info": st.lists(st.fixed_dictionaries({"name": TEXTS, "value": TEXTS}), max_size=2),
        "limit": st.integers(0, 9),
    },
)


def application_set(options: dict[str, Any], generators: list[Any], patch: str) -> Resource:
    template: JsonObject = {
        "metadata": {
            "name": "{{ .name }}",
            "labels": options.get("labels", {}),
            "finalizers": options.get("finalizers", []),
        },
        "spec": {
            "project": "{{ .project }}",
            "source": {"repoURL": "r", "path": "{{ .path }}", "kustomize": {"namePrefix": "x-"}},
            "destination": {"name": "west"},
            "info": options.get("info", []),
            "syncPolicy": {"retry": {"limit": options.get("limit", 1)}},
        },
    }
    content: JsonObject = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "set", "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "generators": generators,
            "syncPolicy": {"preserveResourcesOnDeletion": options.get("preserve", False)},
            "template": template,
            "templatePatch": patch,
        },
    }
    return Resource(content, Site("set.yaml"))


def generate(entry: Resource) -> tuple[Resource, ...]:
    clusters = (ArgoCluster("web", "https://web"),)
    context = SetContext(RepositoryTree(MemoryFileSystem({})), rendering_of(entry), clusters)
    return generate_applications(entry, context)


def at_trees(entry: Resource, names: set[str]) -> dict[str, JsonObject]:
    return {
        each.name: application_at_tree(each.content, tree(each.name)) if each.name in names else each.content
        for each in generate(entry)
    }


def tree(name: str) -> RepointedTree:
    return RepointedTree("Application", "argocd", name, path_of(name), sources=(0,))


def path_of(name: str) -> str:
    return f"rendered/{name}"


@examples(1)
@given(OPTIONS, st.sets(st.sampled_from(["web", "db"]), min_size=1))
def test_copy_generates_the_same_applications_at_their_trees(
    options: dict[str, Any], rendered: set[str]
) -> None:
    elements = [{"name": "web", "path": "a", "project": "one"}, {"name": "db", "path": "b", "project": "two"}]
    finalizers = options.get("patchedFinalizers", [])
    patch = f"metadata: {{finalizers: [{', '.join(finalizers)}]}}" if finalizers else "{}"
    entry = application_set(options, [{"list": {"elements": elements}}], patch)
    spec = repointed_set(entry, generate, {name: tree(name) for name in rendered}, path_of)
    assert spec is not None
    copy = entry.with_content({**entry.content, "spec": spec})
    assert {each.name: each.content for each in generate(copy)} == at_trees(entry, rendered)
    if rendered == {"web", "db"}:
        assert spec["generators"] == [{"list": {"elements": elements}}]


def test_set_that_asks_a_cluster_gets_no_list() -> None:
    generators = [{"clusters": {"values": {"project": "one"}}}]
    entry = application_set({}, generators, "spec: {source: {path: apps}}")
    entry = entry.with_content(
        {**entry.content, "spec": {**entry.content["spec"], "template": template_of_clusters()}}  # type: ignore[dict-item]
    )
    trees = {each.name: tree(each.name) for each in generate(entry)}
    assert trees
    assert repointed_set(entry, generate, trees, path_of) is None


def template_of_clusters() -> JsonObject:
    return {
        "metadata": {"name": "{{ .name }}"},
        "spec": {"project": "one", "source": {"repoURL": "r"}, "destination": {"server": "{{ .server }}"}},
    }
