"""Rollout strategy, feature gates and defaults of a cluster are the same in every stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig, read_cluster_config
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.model.difference import Effect
from renderer.model.kube.json import Json, JsonObject, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import LATEST, NEWEST, Release

RELEASES = [Release.parse(f"1.{minor}") for minor in range(NEWEST.minor + 1)]
GATE = "VMLiveUpdateFeatures"


def kubevirt(**configuration: Json) -> JsonObject:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt", "namespace": "kubevirt"},
        "spec": {"configuration": configuration},
    }


def as_instancetypes_read_it(content: JsonObject) -> ClusterConfig:
    resources = ResourceSet((Resource(content, Site("a.yaml")),))
    config = cluster_config(Catalog.of(CatalogSource("all", resources)), LATEST)
    return config._replace(set_by="", set_at=())  # only this reader says where it is from


def virtual_machine(hostname_of_node: str) -> Resource:
    content: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db"},
        "spec": {
            "runStrategy": "Always",
            "template": {"spec": {"domain": {}, "nodeSelector": {"node": hostname_of_node}}},
        },
    }
    return Resource(content, Site("vm.yaml"))


def moves_live(release: Release, kubevirt_object: JsonObject) -> bool:
    """Return True if ``diff`` reports that a changed node selector reaches a running machine."""
    before, after = (
        OverlaySide(release, (virtual_machine(node),), kubevirt=kubevirt_object) for node in ("one", "other")
    )
    (change,) = compare_overlay("overlays/prod", "prod", before, after).changes
    return Effect.LIVE in change.effects


#: Each owner of the question whether changes reach running machines.
UPDATES_LIVE: Mapping[str, Callable[[Release, JsonObject], bool]] = {
    "kubevirt": lambda release, content: Cluster.of(release, content).updates_live,
    "diff": moves_live,
}


def updates_live(release: Release, strategy: str, *, gate: bool) -> bool:
    """``IsVMRolloutStrategyLiveUpdate`` (``pkg/virt-config/virt-config.go``), read at each release tag."""
    if release < Release.parse("1.2"):
        return False  # there is no rollout strategy
    if release < Release.parse("1.5"):
        return gate and strategy == "LiveUpdate"
    return strategy == "LiveUpdate" or (not strategy and release >= Release.parse("1.6"))


@pytest.mark.parametrize("owner", UPDATES_LIVE)
def test_rollout_strategy_is_read_alike(owner: str) -> None:
    wrong = []
    for release, strategy, gate in product(RELEASES, ("", "Stage", "LiveUpdate"), (False, True)):
        configuration = {"vmRolloutStrategy": strategy} if strategy else {}
        content = kubevirt(**configuration, developerConfiguration={"featureGates": [GATE] if gate else []})
        result = UPDATES_LIVE[owner](release, content)
        if result is not updates_live(release, strategy, gate=gate):
            wrong.append((str(release), strategy, gate, result))
    assert not wrong


def test_the_set_of_gates_has_each_gate_that_is_on() -> None:
    listings: list[JsonObject] = [
        {},
        *({"featureGates": [gate]} for gate in Gate),
        *({"disabledFeatureGates": [gate]} for gate in Gate),
    ]
    differing = []
    for release, listing in product(RELEASES, listings):
        content = kubevirt(developerConfiguration=listing)
        cluster = Cluster.of(release, content)
        differing += [
            (str(release), listing, str(gate))
            for gate in Gate
            if (gate in cluster.gates) is not cluster.has_gate(gate)
        ]
    assert not differing


@pytest.mark.parametrize(
    "configuration",
    [
        {},
        {
            "machineType": "pc-q35",
            "cpuModel": "Haswell",
            "cpuRequest": "200m",
            "evictionStrategy": "LiveMigrate",
        },
        {"architectureConfiguration": {"defaultArchitecture": "arm64", "arm64": {"machineType": "virt-9"}}},
        {"network": {"defaultNetworkInterface": "masquerade", "permitBridgeInterfaceOnPodNetwork": False}},
        {
            "network": {"defaultNetworkInterface": "sriov"},
            "cpuModel": "Haswell",
        },  # out of range: all defaults
        {"developerConfiguration": {"memoryOvercommit": 150, "featureGates": ["GPU"]}},
        {"developerConfiguration": {"memoryOvercommit": -1}, "cpuModel": "Haswell"},
        {"liveUpdateConfiguration": {"maxHotplugRatio": 8, "maxCpuSockets": 16, "maxGuest": "64Gi"}},
        {
            "permittedHostDevices": {
                "pciHostDevices": [{"resourceName": "a/b", "pciVendorSelector": "10DE:1"}]
            }
        },
        {"commonInstancetypesDeployment": {"enabled": False}},
    ],
)
def test_all_readers_see_the_same_configuration(configuration: dict[str, Json]) -> None:
    content = kubevirt(**configuration)
    assert as_instancetypes_read_it(content) == read_cluster_config(content)


@pytest.mark.parametrize("architecture", ["amd64", "arm64", "s390x", "riscv64"])
def test_machine_types(architecture: str) -> None:
    for release, config in product(RELEASES, (ClusterConfig(), ClusterConfig(machine_type="pc-q35-9"))):
        spec = default_vmi_spec({"architecture": architecture}, config, behaviour_of(release))

        wanted = Cluster(release, config).machine_type(architecture)
        assert text_at(spec, "domain", "machine", "type") == wanted, release


def test_general_machine_type_applies_since_1_0_1() -> None:
    config = ClusterConfig(machine_type="pc-q35-9")
    types = [Cluster(Release.parse(text), config).machine_type("amd64") for text in ("1.0.0", "1.0.1")]
    assert types == ["q35", "pc-q35-9"]
