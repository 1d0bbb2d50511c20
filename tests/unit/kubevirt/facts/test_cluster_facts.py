"""What is kept of a cluster's objects as facts, and the releases that facts say."""

from __future__ import annotations

from typing import Any

import pytest

from renderer.kubevirt.facts.claims import storage_profiles
from renderer.kubevirt.facts.cluster_facts import ClusterFacts, fact_of, with_architecture
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST, LATEST_KUBERNETES, OLDEST, Release

LABEL = "instancetype.kubevirt.io/default-instancetype"
VIRT = "storageclass.kubevirt.io/is-default-virt-class"
USUAL = "storageclass.kubernetes.io/is-default-class"


def live(
    api_version: str, kind: str, metadata: dict[str, Any] | None = None, **fields: object
) -> dict[str, Any]:
    """An object with everything that a cluster writes into it."""
    given = {"name": "x", "uid": "u", "resourceVersion": "7", "managedFields": [], **(metadata or {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": given, **fields}


OBJECTS = [
    live("kubevirt.io/v1", "KubeVirt", spec={"configuration": {"a": 1}, "imagePullSecrets": [{}]}),
    live("kubevirt.io/v1", "KubeVirt", status={"defaultArchitecture": "arm64", "phase": "Deployed"}),
    live(
        "hco.kubevirt.io/v1beta1", "HyperConverged", {"annotations": {"kubevirt.kubevirt.io/jsonpatch": "[]"}}
    ),
    live("ssp.kubevirt.io/v1beta3", "SSP", spec={"commonTemplates": {"namespace": "n"}, "other": 1}),
    live("cdi.kubevirt.io/v1beta1", "StorageProfile", status={"claimPropertySets": [{}], "provisioner": "p"}),
    live("cdi.kubevirt.io/v1beta1", "DataSource", {"namespace": "n", "labels": {LABEL: "a", "b": "c"}}),
    live("cdi.kubevirt.io/v1beta1", "DataImportCron", spec={"managedDataSource": "a", "schedule": "*"}),
    live("storage.k8s.io/v1", "StorageClass", {"annotations": {USUAL: "true"}}, parameters={"secret": "s"}),
    live("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", spec={"config": '{"key": "s"}'}),
    live("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", spec={"cpu": {"guest": 1}}),
    live("v1", "PersistentVolumeClaim", {"labels": {LABEL: "a"}}, spec={"volumeName": "v"}),
]


@pytest.mark.parametrize("content", OBJECTS, ids=lambda each: each["kind"])
def test_a_fact_is_a_fact_as_it_is(content: dict[str, Any]) -> None:
    fact = fact_of(content)
    assert fact is not None
    assert fact_of(fact) == fact
    assert not {"uid", "resourceVersion", "managedFields"} & fact["metadata"].keys()  # type: ignore[union-attr]
    for unkept in (
        "imagePullSecrets",
        "phase",
        "provisioner",
        "schedule",
        "parameters",
        "config'",
        "volumeName",
    ):
        assert unkept not in str(fact)


@pytest.mark.parametrize("kind", ["Secret", "ConfigMap", "VirtualMachine", "Node"])
def test_other_kinds_are_no_facts(kind: str) -> None:
    assert fact_of(live("v1", kind, data={"p": "x"})) is None


def test_users_in_addresses_are_left_out() -> None:
    source = {"registry": {"url": "docker://robot:word@registry.example/a:1"}}
    cron = live("cdi.kubevirt.io/v1beta1", "DataImportCron", spec={"template": {"spec": {"source": source}}})
    assert "docker://registry.example/a:1" in str(fact_of(cron))
    assert "word" not in str(fact_of(cron))


@pytest.mark.parametrize(
    ("versions", "target"),
    [
        ({"kubevirt": "1.6.2"}, "1.6.2"),
        ({"kubevirt": "1.6.2", "hyperconverged": "1.17.0"}, "hco-1.17.0"),
        ({"kubevirt": "1.6.2", "hyperconverged": "4.20.0"}, "openshift-virtualization-4.20"),
        ({"kubevirt": "1.6.2", "hyperconverged": "1.999.0"}, "1.6.2"),
        ({"kubevirt": "99.0.1"}, str(LATEST)),
        ({"kubevirt": "0.1.0"}, str(OLDEST.minor_release)),
    ],
)
def test_release_is_that_of_the_product_or_the_nearest_known_one(
    versions: dict[str, str], target: str
) -> None:
    release = ClusterFacts(versions).kubevirt
    assert release is not None
    assert release.as_target == target


def test_releases_that_a_dump_does_not_say_are_unknown() -> None:
    facts = ClusterFacts({"kubernetes": "9.9.9"})
    assert facts.kubernetes == LATEST_KUBERNETES
    assert (facts.kubevirt, facts.flux) == (None, None)
    assert ClusterFacts({"flux": "2.6.1"}).flux == Release(2, 6, 1)


def test_nodes_of_one_architecture_are_the_default_one() -> None:
    kubevirt = live("kubevirt.io/v1", "KubeVirt")
    assert with_architecture(kubevirt, ["arm64"])["status"] == {"defaultArchitecture": "arm64"}
    assert with_architecture(kubevirt, ["amd64", "arm64"]) is kubevirt
    said = {**kubevirt, "status": {"defaultArchitecture": "amd64"}}
    assert with_architecture(said, ["arm64"]) is said


@pytest.mark.parametrize(
    ("classes", "default"),
    [
        ([("a", USUAL, "2025-01-01"), ("b", USUAL, "2025-02-01")], "b"),
        ([("a", USUAL, "2025-01-01"), ("b", USUAL, "2025-01-01")], "a"),
        ([("a", VIRT, "2024-01-01"), ("b", USUAL, "2025-01-01")], "a"),
        ([("a", "other", "2025-01-01"), ("b", "other", "2025-01-01")], None),
    ],
)
def test_default_class_is_the_one_that_cdi_takes(
    classes: list[tuple[str, str, str]], default: str | None
) -> None:
    objects = [live("cdi.kubevirt.io/v1beta1", "StorageProfile", {"name": name}) for name, _, _ in classes]
    for name, annotation, created in classes:
        metadata = {"name": name, "annotations": {annotation: "true"}, "creationTimestamp": created}
        objects.append(live("storage.k8s.io/v1", "StorageClass", metadata))
    profiles = storage_profiles(Resource(each, Site("x.yaml")) for each in objects)
    assert profiles.get("") == (None if default is None else profiles[default])
