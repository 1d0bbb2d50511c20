"""The ``KubeVirt`` object of a product, for a repository that has none."""

from __future__ import annotations

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.feature_gates import Gate, is_enabled
from renderer.kubevirt.facts.products import target_release
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.default_kubevirt import default_kubevirt
from renderer.model.kube.json import JsonObject
from tests.kubevirt_objects import catalog, kubevirt


def config_of(release: str, objects: Catalog | None = None) -> ClusterConfig:
    return cluster_config(objects or Catalog(), target_release(release))


def test_gates_of_a_chart_are_on() -> None:
    config = config_of("harvester-1.6")

    assert "ExpandDisks" in config.feature_gates
    assert is_enabled(Gate.HOST_DEVICES, target_release("harvester-1.6"), config)
    assert not is_enabled(Gate.SIDECAR, target_release("harvester-1.6"), config)


def test_gates_of_the_project_are_added() -> None:
    assert "Sidecar" in config_of("harvester-1.6", Catalog(feature_gates=("Sidecar",))).feature_gates


def test_object_of_the_repository_wins() -> None:
    written: JsonObject = kubevirt(None, developerConfiguration={"featureGates": ["Sidecar"]})

    assert config_of("harvester-1.6", catalog(written)).feature_gates == ("Sidecar",)


def test_release_of_kubevirt_has_the_defaults_of_kubevirt() -> None:
    for release in ("1.8", "cozystack-1.5", "suse-edge-0.7"):
        assert default_kubevirt(target_release(release)) == {}
        assert config_of(release) == ClusterConfig()
