"""Every stage reads the same value for fields that KubeVirt's webhook sets."""

from __future__ import annotations

from itertools import product

import pytest

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource, Scope
from renderer.kubevirt.instancetype.defaults import default_vmi_spec
from renderer.kubevirt.instancetype.webhook_fields import mutation_of, with_webhook_fields
from renderer.model.kube.json import text_at
from renderer.model.release import NEWEST, Release
from renderer.model.render_config import WebhookField
from tests.kubevirt_objects import resources, vm

RELEASES = [Release.parse(f"1.{minor}") for minor in range(NEWEST.minor + 1)]
CONFIGS = (
    ClusterConfig(),
    ClusterConfig(default_architecture="arm64"),
    ClusterConfig(machine_type="pc-q35-9"),
)


@pytest.mark.parametrize("architecture", ["", "amd64", "arm64", "s390x"])
def test_architecture_and_machine_type(architecture: str) -> None:
    for release, config in product(RELEASES, CONFIGS):
        behaviour = behaviour_of(release)
        cluster = Cluster(release, config)
        content = vm(domain={"devices": {}})
        spec = content["spec"]
        assert isinstance(spec, dict)
        if architecture:
            spec["template"]["spec"]["architecture"] = architecture
        mutation = mutation_of(spec, None, config, Scope(Catalog(), "prod"), behaviour)
        defaulted = default_vmi_spec(spec["template"]["spec"], config, behaviour)
        assert mutation.architecture == cluster.architecture(architecture), release
        assert mutation.machine_type == cluster.machine_type(mutation.architecture), release
        assert text_at(defaulted, "domain", "machine", "type") == mutation.machine_type, release


def test_written_fields_match_the_mutation() -> None:
    for release in RELEASES:
        before = resources(vm())
        catalog = Catalog.of(CatalogSource("none", resources()))
        wanted = (WebhookField.ARCHITECTURE, WebhookField.MACHINE)
        (written,) = with_webhook_fields(before, before, catalog, wanted, behaviour_of(release))
        cluster = Cluster(release)
        instance = ("spec", "template", "spec")
        assert text_at(written.content, *instance, "architecture") == cluster.architecture("")
        assert text_at(written.content, *instance, "domain", "machine", "type") == cluster.machine_type(
            "amd64"
        )
