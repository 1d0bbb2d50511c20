"""What an overlay finds in the others that its cluster gets, and what it does not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from renderer.files.recorder import Recorder
from renderer.model.diagnostic import Outcome
from renderer.model.entry_point import EntryKind, EntryOptions, EntryPoint
from renderer.model.kube.json import JsonObject
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import Overlay, OverlayEntry, RenderConfig
from renderer.pipeline import target_cluster
from renderer.pipeline.cluster_objects import ClusterObjects
from tests.kubevirt_objects import NAMESPACE, labelled, resources, vm

FEDORA = labelled("DataSource", "fedora")


def overlay(path: str) -> Overlay:
    """An overlay that the project lists by path, or by its entry of Flux: ``clusters/prod:web``."""
    cluster, colon, _ = path.partition(":")
    found = RenderConfig().overlay(OverlayEntry(path), path, path)
    if not colon:
        return found
    return found._replace(listed_as=cluster, entry=EntryPoint(EntryOptions(EntryKind.FLUX)))


def cluster(objects: Mapping[str, list[JsonObject]]) -> tuple[ClusterObjects, list[str]]:
    """The objects of overlays by path, and the overlays that have been composed."""
    composed: list[str] = []

    def compose(each: Overlay) -> Outcome[ResourceSet]:
        composed.append(each.path)
        return Outcome(resources(*objects[each.path]))

    return ClusterObjects(lambda: map(overlay, objects), compose, Recorder()), composed


def test_other_overlay_is_composed_once_and_never_the_overlay_itself() -> None:
    found, composed = cluster({"a": [FEDORA], "b": []})

    assert not found.has(overlay("a"), "DataSource", "fedora", NAMESPACE)
    for _ in range(2):
        assert found.has(overlay("b"), "DataSource", "fedora", NAMESPACE)
        assert found.find(overlay("b"), "DataSource", "fedora", NAMESPACE) is not None
    assert composed == ["b", "a"]


def test_namespace_must_be_the_one_that_is_applied() -> None:
    found, _ = cluster({"a": [FEDORA, {**labelled("DataSource", "b"), "metadata": {"name": "b"}}], "b": []})

    assert not found.has(overlay("b"), "DataSource", "fedora", "elsewhere")
    assert not found.has(overlay("b"), "DataSource", "fedora", "")
    assert not found.has(overlay("b"), "DataSource", "b", NAMESPACE)


def test_objects_that_controllers_make_count() -> None:
    machine = vm("web", dataVolumeTemplates=[{"metadata": {"name": "web-root"}, "spec": {}}])
    found, _ = cluster({"a": [labelled("SealedSecret", "keys"), machine], "b": []})

    assert found.has(overlay("b"), "Secret", "keys", NAMESPACE)
    assert found.has(overlay("b"), "PersistentVolumeClaim", "web-root", NAMESPACE)


def test_overlays_that_disagree_decide_nothing() -> None:
    other = labelled("DataSource", "fedora", labels={"a": "b"})
    found, _ = cluster({"a": [FEDORA], "b": [other], "c": [], "d": [FEDORA]})

    assert found.find(overlay("c"), "DataSource", "fedora", NAMESPACE) is None
    assert found.find(overlay("b"), "DataSource", "fedora", NAMESPACE) is not None


def test_entries_of_engines_are_clusters_of_their_own() -> None:
    kubevirt: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
    }
    found, _ = cluster({"east:infra": [FEDORA, kubevirt], "east:web": [], "west:web": [], "plain": []})

    assert found.has(overlay("east:web"), "DataSource", "fedora", NAMESPACE)
    assert found.kubevirt(overlay("east:web")) is not None
    for path in ("west:web", "plain"):
        assert not found.has(overlay(path), "DataSource", "fedora", NAMESPACE)
        assert found.kubevirt(overlay(path)) is None


def test_overlays_of_one_cluster_look_for_each_other_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of thousands of Applications would be compared with a hundred others."""
    kubevirt: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
    }
    compared: list[Overlay] = []

    def may_share_cluster(one: Overlay, other: Overlay) -> bool:
        compared.append(other)
        return target_cluster.may_share_cluster(one, other)

    monkeypatch.setattr("renderer.pipeline.cluster_objects.may_share_cluster", may_share_cluster)
    paths = [f"east:{number}" for number in range(300)]
    objects: dict[str, list[JsonObject]] = {path: [FEDORA] for path in paths}
    found, _ = cluster({**objects, "east:0": [kubevirt]})

    assert found.kubevirt(overlay("east:0")) is None
    assert all(found.kubevirt(overlay(path)) for path in paths[1:])
    assert len(compared) <= len(paths)
