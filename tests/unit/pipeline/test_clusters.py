"""Where overlays go, which of them share a cluster, and which files are another cluster's."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.cluster_settings import (
    LOCAL_SERVER,
    ArgocdCluster,
    CatalogPath,
    ClusterSettings,
    cluster_at,
)
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.pipeline.cluster_files import ClusterFiles
from renderer.pipeline.target_cluster import may_share_cluster, target_cluster_of

EAST = ClusterSettings("east", kubevirt=Release(1, 6), argocd=ArgocdCluster("https://east:6443"))
WEST = ClusterSettings("west", catalogs=(CatalogPath("sizes/west"),))
CONFIG = RenderConfig(clusters=(EAST, WEST))


def overlay(path: str, cluster: str = "") -> Overlay:
    return CONFIG.overlay(OverlayEntry(path, cluster=cluster), path, path)


def point(spec: JsonObject, kind: EntryKind = EntryKind.ARGOCD, *folders: str) -> EntryPoint:
    entry = Resource({"metadata": {"name": "a"}, "spec": spec}, Site("a.yaml"))
    return EntryPoint(EntryOptions(kind), entry, folders=folders)


@pytest.mark.parametrize(
    ("path", "named", "expected"),
    [
        ("clusters/east/prod", "", "east"),
        ("east", "", "east"),
        ("clusters/east/prod", "west", "west"),
        ("overlays/eastern", "", ""),
        ("overlays/prod", "", ""),
        ("east/west", "", ""),
    ],
)
def test_overlay_goes_to_the_named_cluster_or_the_one_in_its_path(
    path: str, named: str, expected: str
) -> None:
    found = overlay(path, named)

    assert found.cluster == expected
    assert found.kubevirt == CONFIG.of_cluster(expected).kubevirt


@pytest.mark.parametrize(
    ("destination", "expected"),
    [
        ("east", "east"),
        ("https://east:6443/", "east"),
        ("https://west:6443", ""),
        ("west", "west"),
        ("", ""),
        ("in-cluster", ""),
    ],
)
def test_destination_names_a_cluster_or_its_server(destination: str, expected: str) -> None:
    assert cluster_at(CONFIG.clusters, destination) == expected


def test_local_cluster_has_a_name_and_a_server() -> None:
    by_server = (ClusterSettings("home", argocd=ArgocdCluster(LOCAL_SERVER)),)
    by_name = (ClusterSettings("in-cluster"),)

    assert [cluster_at(by_server, each) for each in ("in-cluster", LOCAL_SERVER)] == ["home", "home"]
    assert [cluster_at(by_name, each) for each in ("in-cluster", LOCAL_SERVER)] == ["in-cluster"] * 2


@pytest.mark.parametrize(
    ("spec", "kind", "folders", "expected"),
    [
        ({"destination": {"server": "https://east:6443"}}, EntryKind.ARGOCD, ["apps/west"], "east"),
        ({"destination": {"name": "unknown"}}, EntryKind.ARGOCD, ["apps/west"], "west"),
        ({"destination": {"name": "unknown"}}, EntryKind.ARGOCD, ["apps"], None),
        ({"path": "./apps/west"}, EntryKind.FLUX, ["apps/west"], None),
        ({"kubeConfig": {"secretRef": {"name": "east-kubeconfig"}}}, EntryKind.FLUX, ["apps/west"], "east"),
        ({"kubeConfig": {"secretRef": {"name": "tenant"}}}, EntryKind.FLUX, ["apps/west"], "west"),
        ({"kubeConfig": {"secretRef": {"name": "tenant"}}}, EntryKind.FLUX, ["apps"], ""),
    ],
)
def test_engine_names_the_cluster_before_the_path_does(
    spec: JsonObject, kind: EntryKind, folders: list[str], expected: str | None
) -> None:
    assert target_cluster_of(CONFIG.clusters, point(spec, kind, *folders)) == expected


def test_overlays_of_one_listed_cluster_share_it_whatever_lists_them() -> None:
    of_engine = overlay("x")._replace(listed_as="clusters/east", entry=point({}), cluster="east")

    assert may_share_cluster(overlay("east/a"), of_engine)
    assert not may_share_cluster(overlay("west/a"), of_engine)
    assert not may_share_cluster(overlay("a"), of_engine)
    assert may_share_cluster(overlay("a"), overlay("b"))


def test_unlisted_destinations_that_differ_are_two_clusters() -> None:
    one, two, address = (
        overlay("a")._replace(listed_as="apps", entry=point({"destination": destination}))
        for destination in ({"name": "n1"}, {"name": "n2"}, {"server": "https://n:6443"})
    )

    assert not may_share_cluster(one, two)
    assert may_share_cluster(one, one._replace(path="b"))
    assert may_share_cluster(one, address), "a name and an address may be of one cluster"


def test_file_of_another_cluster_is_known_by_its_deepest_folder() -> None:
    base = b"resources: [kubevirt.yaml]\n"
    fs = MemoryFileSystem(
        {
            "overlays/west/kustomization.yaml": b"resources: [../../base]\n",
            "overlays/east/kustomization.yaml": b"resources: []\n",
            "base/kustomization.yaml": base,
            "base/kubevirt.yaml": b"kind: KubeVirt\n",
        }
    )
    east, west = overlay("overlays/east"), overlay("overlays/west")
    files = ClusterFiles(fs, CONFIG, (east, west))

    others = ["clusters/west/kubevirt.yaml", "sizes/west.yaml", "base/kubevirt.yaml", "other/kubevirt.yaml"]
    assert [files.is_of_other_cluster(each, east) for each in others] == [True, False, True, False]
    assert not any(files.is_of_other_cluster(each, west) for each in others)


def test_cluster_has_the_settings_that_it_omits_from_the_top() -> None:
    config = CONFIG._replace(feature_gates=("NUMA",))

    assert config.of_cluster("east").feature_gates == ("NUMA",)
    assert config.of_cluster("east").kubevirt == Release(1, 6)
    assert config.of_cluster("west").catalogs == (CatalogPath("sizes/west"),)
    assert config.of_cluster("") is config
    assert config.catalog_folders() == {"sizes/west": ("west",)}
