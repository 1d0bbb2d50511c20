"""The ``KubeVirt`` object of a cluster: written, made of a HyperConverged object, or a product's own."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.feature_gates import Gate, is_enabled
from renderer.kubevirt.facts.products import Configuration, products, target_release
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.cluster_config import cluster_config
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt
from renderer.model.kube.json import EMPTY, JsonObject
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


_GATES = {
    "hco-1.10": """
        CPUManager CPUNodeDiscovery DataVolumes DisableCustomSELinuxPolicy DownwardMetrics ExpandDisks GPU
        HostDevices HotplugNICs HotplugVolumes HypervStrictCheck KubevirtSeccompProfile NUMA SRIOV Snapshot
        VMExport VMPersistentState WithHostModelCPU
    """,
    "openshift-virtualization-4.18": """
        CPUManager DisableCustomSELinuxPolicy DynamicPodInterfaceNaming ExpandDisks GPU HostDevices
        HotplugVolumes HypervStrictCheck KubevirtSeccompProfile NetworkBindingPlugins Snapshot VMExport
        VMLiveUpdateFeatures VMPersistentState VolumeMigration VolumesUpdateStrategy WithHostModelCPU
    """,
    "hco-1.17": """
        CPUManager ExpandDisks HostDevices HotplugVolumes HypervStrictCheck KubevirtSeccompProfile Snapshot
        VMExport VideoConfig WithHostModelCPU
    """,
    "openshift-virtualization-5.0": """
        CPUManager DecentralizedLiveMigration DeclarativeHotplugVolumes HostDevices HypervStrictCheck
        KubevirtSeccompProfile Snapshot Template
    """,
}


class TestOfHyperConverged:
    """The gates of each release as the operator turns them on in a highly available OpenShift."""

    @pytest.mark.parametrize(("product", "gates"), _GATES.items())
    def test_gates_of_the_operator_are_on(self, product: str, gates: str) -> None:
        assert sorted(config_of(product).feature_gates) == gates.split()

    @pytest.mark.parametrize(("product", "is_on"), [("kubevirt-1.9", True), ("hco-1.19", False)])
    def test_gate_that_the_operator_disables_is_off(self, product: str, is_on: bool) -> None:  # noqa: FBT001 - a parameter
        """Since 1.19, the operator disables each beta gate that it does not turn on."""
        config = config_of(product)

        assert is_enabled(Gate.REBOOT_POLICY, target_release(product), config) is is_on
        assert ("RebootPolicy" in config.disabled_feature_gates) is not is_on

    def test_other_configuration_is_the_operators(self) -> None:
        config = config_of("hco-1.16")

        assert (config.default_interface, config.eviction_strategy) == ("masquerade", "LiveMigrate")
        assert config.vm_rollout_strategy == "LiveUpdate"

    def test_each_supported_release_has_an_object(self) -> None:
        for product in products():
            if product.configuration is Configuration.HYPERCONVERGED:
                for each in product.releases:
                    assert default_kubevirt(target_release(each.name))["kind"] == "KubeVirt"


class TestHyperConverged:
    """A HyperConverged object in the repository counts as what its operator makes of it."""

    def hyperconverged(self, spec: JsonObject = EMPTY, version: str = "v1beta1") -> JsonObject:
        metadata: JsonObject = {"name": "kubevirt-hyperconverged", "namespace": "kubevirt-hyperconverged"}
        return {
            "apiVersion": f"hco.kubevirt.io/{version}",
            "kind": "HyperConverged",
            "metadata": metadata,
            "spec": spec,
        }

    def test_settings_reach_kubevirt(self) -> None:
        found = config_of(
            "1.7", catalog(self.hyperconverged({"defaultCPUModel": "Skylake", "evictionStrategy": "None"}))
        )

        assert (found.cpu_model, found.eviction_strategy) == ("Skylake", "None")
        assert found.set_by == "HyperConverged kubevirt-hyperconverged"

    def test_written_kubevirt_object_wins(self) -> None:
        written = kubevirt(None, cpuModel="Haswell")

        assert config_of("1.7", catalog(self.hyperconverged(), written)).cpu_model == "Haswell"

    @pytest.mark.parametrize("refused", [{"evictionStrategy": "Never"}, {"liveMigrationConfig": 3}])
    def test_refused_object_counts_as_one_without_settings(self, refused: JsonObject) -> None:
        found = config_of("1.7", catalog(self.hyperconverged(refused)))

        assert found == config_of("1.7", catalog(self.hyperconverged()))

    def test_version_that_is_not_served_counts_as_one_without_settings(self) -> None:
        assert config_of("1.7", catalog(self.hyperconverged(version="v1"))).default_interface == "masquerade"
