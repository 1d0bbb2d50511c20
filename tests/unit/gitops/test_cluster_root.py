"""The root of a Flux cluster: a Kustomization in Git comes before the one that bootstrap would create."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.flux.cluster_root import ClusterRoot, cluster_root
from renderer.model.kube.json import object_at

SOURCE = b"""\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: fleet, namespace: flux-system}
spec: {url: https://git.example.org/acme/fleet.git}
---
"""
INSTANCE = b"""\
apiVersion: fluxcd.controlplane.io/v1
kind: FluxInstance
metadata: {name: flux, namespace: flux-system}
spec: {sync: {kind: GitRepository, url: https://git.example.org/acme/fleet.git, path: clusters/prod}}
"""
TREE = "rendered/prod/flux-system"


def kustomization(name: str, path: str, more: str = "prune: false", annotations: str = "{}") -> bytes:
    return f"""\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {{name: {name}, namespace: flux-system, annotations: {annotations}}}
spec: {{path: {path}, {more}, sourceRef: {{kind: GitRepository, name: fleet}}}}
""".encode()


def root(files: dict[str, bytes]) -> ClusterRoot:
    return cluster_root(MemoryFileSystem(files), "clusters/prod")


@pytest.mark.parametrize("path", ["./clusters/prod", "clusters/prod/", "/clusters/prod"])
@pytest.mark.parametrize("file", ["a.yaml", "sync.yaml", "flux/sync.yml", "flux-system/gotk-sync.yaml"])
def test_kustomization_that_applies_its_folder_is_the_root(file: str, path: str) -> None:
    others = kustomization("vms", "./vms", "prune: true")
    root_file = kustomization("cluster", path)

    found = root(
        {f"clusters/prod/{file}": SOURCE + root_file, "clusters/prod/vms.yaml": others, "vms/x.yaml": b""}
    )

    assert found.kustomization.name == "cluster"
    assert object_at(found.kustomization.content, "spec")["prune"] is False
    assert [each.name for each in found.known] == ["fleet"]


def test_sync_file_of_another_folder_is_not_the_root() -> None:
    files = {
        "clusters/prod/flux-system/flux-system/gotk-sync.yaml": SOURCE
        + kustomization("flux-system", "./clusters/prod/flux-system"),
        "clusters/prod/flux-system/gotk-sync.yaml": SOURCE + kustomization("flux-system", "./clusters/prod"),
    }

    found = root(files)

    assert object_at(found.kustomization.content, "spec")["path"] == "./clusters/prod"


def test_root_may_be_among_others_in_a_file() -> None:
    files = {"clusters/prod/all.yaml": kustomization("vms", "./vms") + b"---\n" + SOURCE
             + kustomization("flux-system", "./clusters/prod")}  # fmt: skip

    found = root(files)

    assert found.kustomization.name == "flux-system"
    assert [each.name for each in found.known] == ["fleet"]


@pytest.mark.parametrize(
    ("name", "annotations"),
    [("flux-system", "{}"), ("cluster", "{vmrender.io/source-path: clusters/prod}")],
)
def test_root_that_applies_its_tree(name: str, annotations: str) -> None:
    written = kustomization(name, f"./{TREE}", annotations=annotations)

    found = root({"clusters/prod/sync.yaml": written, f"{TREE}/.vmrender-owned": b""})

    assert found.kustomization.name == name
    assert object_at(found.at_sources(TREE, "clusters/prod").kustomization.content, "spec")["path"] == (
        "clusters/prod"
    )


@pytest.mark.parametrize(
    "other",
    [
        kustomization("flux-system", "./clusters"),
        kustomization("flux-system", "./clusters/prod-2"),
        kustomization("flux-system", "./clusters/prod").replace(b"name: fleet", b"kind: X"),
        kustomization("flux-system", "./clusters/prod").replace(b"toolkit.fluxcd.io", b"example.org"),
        b"# toolkit.fluxcd.io\nmetadata: {annotations: none}\nspec: [a]\n",
    ],
    ids=["path-above", "path-beside", "without-source", "other-group", "other-file"],
)
def test_without_a_root_it_is_that_of_bootstrap(other: bytes) -> None:
    found = root({"clusters/prod/other.yaml": other})

    assert found.kustomization.origin.path == "clusters/prod"
    assert object_at(found.kustomization.content, "spec") == {
        "path": "clusters/prod",
        "prune": True,
        "sourceRef": {"kind": "GitRepository", "name": "flux-system"},
    }


def test_flux_instance_comes_first() -> None:
    files = {"clusters/prod/a.yaml": kustomization("a", "./clusters/prod"), "clusters/prod/z.yaml": INSTANCE}

    found = root(files)

    assert found.kustomization.name == "flux-system"
    assert object_at(found.kustomization.content, "spec")["prune"] is True
