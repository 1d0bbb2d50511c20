"""Fields that the mutating webhook fills in, by release."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.instancetype.open_fields import open_fields
from renderer.kubevirt.instancetype.webhook_fields import Mutation, mutation_of, with_webhook_fields
from renderer.model.kube.json import Json, JsonObject, object_at, text_at, with_value
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import LATEST, OLDEST
from renderer.model.render_config import WebhookField
from tests.conformance.kubevirt.vm_cases import storage_class_names
from tests.kubevirt_objects import behaviour, catalog, labelled, resources, scope

ARM: JsonObject = {"template.kubevirt.io/architecture": "arm64"}


def spec(*sources: Json, **template: Json) -> JsonObject:
    return {
        "template": {"spec": template},
        "dataVolumeTemplates": [{"metadata": {"name": "d"}, "spec": source} for source in sources],
    }


def mutation(
    vm_spec: JsonObject,
    *objects: JsonObject,
    preference: JsonObject | None = None,
    release: str | None = None,
) -> Mutation:
    return mutation_of(vm_spec, preference, ClusterConfig(), scope(*objects), behaviour(release))


def source(name: str = "ds", namespace: Json = None, kind: str = "DataSource") -> JsonObject:
    return {"sourceRef": {"kind": kind, "name": name, "namespace": namespace}}


def test_empty_vm_gets_the_clusters_defaults() -> None:
    assert mutation(spec()) == Mutation("amd64", "q35")


def test_vm_overrides_preference_overrides_cluster() -> None:
    preferred: JsonObject = {"preferredArchitecture": "arm64", "machine": {"preferredMachineType": "virt-8"}}
    own = spec(architecture="s390x", domain={"machine": {"type": "mine"}})

    assert mutation(own, preference=preferred) == Mutation("s390x", "mine")
    assert mutation(spec(), preference=preferred) == Mutation("arm64", "virt-8")


@pytest.mark.parametrize(("release", "architecture"), [("1.6", "amd64"), ("1.7", "arm64")])
def test_preferred_architecture_is_written_since_1_7(release: str, architecture: str) -> None:
    preferred: JsonObject = {"preferredArchitecture": "arm64"}

    assert mutation(spec(), preference=preferred, release=release).architecture == architecture


@pytest.mark.parametrize(("release", "architecture"), [("1.5", "amd64"), ("1.6", "arm64")])
def test_architecture_of_a_data_source_counts_since_1_6(release: str, architecture: str) -> None:
    ds = labelled("DataSource", "ds", labels=ARM)

    assert mutation(spec(source()), ds, release=release).architecture == architecture


@pytest.mark.parametrize(
    ("reference", "architecture"),
    [
        (source(kind="datasource"), "arm64"),
        (source(namespace=""), "arm64"),
        (source(namespace="elsewhere"), "amd64"),
        (source("pointer"), "arm64"),
        (source("strange"), "amd64"),
        (source(kind="Other"), "amd64"),
    ],
)
def test_data_source_of_the_vm_is_resolved(reference: JsonObject, architecture: str) -> None:
    objects = (
        labelled("DataSource", "ds", labels=ARM),
        labelled("DataSource", "pointer", {"source": {"dataSource": {"name": "ds", "namespace": "prod"}}}),
        labelled("DataSource", "strange", labels={"template.kubevirt.io/architecture": "vax"}),
    )

    assert mutation(spec(reference), *objects).architecture == architecture


def test_the_first_usable_data_source_counts() -> None:
    s390x = labelled("DataSource", "ds", labels={"template.kubevirt.io/architecture": "s390x"})

    assert mutation(spec(source("missing"), source()), s390x).architecture == "s390x"


def test_preferred_storage_class_is_used_if_none_is_set() -> None:
    vm: JsonObject = {
        "spec": spec(
            {"storage": {}},
            {"pvc": {"storageClassName": "own"}},
            {"storage": {"storageClassName": ""}},
            {"pvc": {"storageClassName": "own"}, "storage": {}},
            {},
        )
    }

    assert storage_class_names(vm, "fast", behaviour(None)) == ["fast", "own", "", "fast", None]
    assert storage_class_names(vm, "", behaviour(None)) == [None, "own", "", "own", None]


RELEASES = [f"1.{minor}" for minor in range(OLDEST.minor, LATEST.minor + 1)]
ANNOTATION = "kubevirt.io/pci-topology-version"


def vm(name: str = "web", namespace: str = "prod", **spec: Json) -> JsonObject:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"template": {"spec": {"domain": {}}}, **spec},
    }


def written(
    content: JsonObject, *fields: WebhookField, release: str | None = None, before: JsonObject | None = None
) -> JsonObject:
    """``content`` afterwards; ``before`` is what it was expanded from."""
    found = with_webhook_fields(
        resources(content),
        resources(before or content),
        catalog(PREFERENCE),
        fields or tuple(WebhookField),
        behaviour(release),
    )
    return next(iter(found)).content


PREFERENCE: JsonObject = {
    "apiVersion": "instancetype.kubevirt.io/v1beta1",
    "kind": "VirtualMachineClusterPreference",
    "metadata": {"name": "fast"},
    "spec": {
        "preferredArchitecture": "arm64",
        "machine": {"preferredMachineType": "virt-9"},
        "volumes": {"preferredStorageClassName": "fast"},
    },
}


def firmware(content: JsonObject) -> JsonObject:
    return object_at(content, "spec", "template", "spec", "domain", "firmware")


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("preference", [None, "fast"])
def test_written_fields_are_all_open_fields(release: str, preference: str | None) -> None:
    disks: Json = [{"spec": {"pvc": {}}}, {"spec": {"storage": {"storageClassName": "own"}}}]
    content = vm(dataVolumeTemplates=disks)
    if preference:
        content = with_value(content, ("spec", "preference"), {"name": preference})
    left = open_fields(resources(written(content, release=release)), behaviour(release))

    assert [path for path in left if "revisionName" not in path and "slot-count" not in path] == []
    assert open_fields(resources(content), behaviour(release))


def test_written_fields_depend_on_the_release() -> None:
    fields = {
        release: written(vm(), release=release) for release in ("1.5.2", "1.5.3", "1.6.0", "1.6.1", "1.6.4")
    }

    assert [sorted(firmware(content)) for content in fields.values()] == [
        [],
        ["serial"],
        ["uuid"],
        ["serial", "uuid"],
        ["serial", "uuid"],
    ]
    annotated = [
        text_at(content, "spec", "template", "metadata", "annotations", ANNOTATION)
        for content in fields.values()
    ]
    assert annotated == ["", "", "", "", "v3"]


def test_no_pci_topology_without_pcie() -> None:
    content = with_value(vm(), ("spec", "template", "spec", "architecture"), "s390x")
    assert "metadata" not in object_at(written(content), "spec", "template")


def test_an_identity_follows_from_namespace_and_name_alone() -> None:
    first = written(vm(), WebhookField.FIRMWARE)
    again = written(vm(runStrategy="Always"), WebhookField.FIRMWARE, release="1.8")
    others = [written(vm(name="db")), written(vm(namespace="dev"))]

    assert firmware(first) == firmware(again)
    assert len({text_at(firmware(each), key) for each in (first, *others) for key in ("uuid", "serial")}) == 6


def test_expanded_preference_still_counts() -> None:
    content = vm(dataVolumeTemplates=[{"spec": {"pvc": {}, "storage": {}}}])
    before = with_value(content, ("spec", "preference"), {"name": "fast"})
    found = object_at(written(content, before=before), "spec")

    assert found["dataVolumeTemplates"] == [
        {"spec": {"pvc": {"storageClassName": "fast"}, "storage": {"storageClassName": "fast"}}}
    ]
    assert text_at(found, "template", "spec", "architecture") == "arm64"
    assert text_at(found, "template", "spec", "domain", "machine", "type") == "virt-9"


def test_existing_values_are_kept() -> None:
    whole = written(vm(preference={"name": "fast", "kind": "VirtualMachineClusterPreference"}))
    assert written(whole) == whole


@pytest.mark.parametrize(
    "content",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}},
        {
            "apiVersion": "pool.kubevirt.io/v1beta1",
            "kind": "VirtualMachinePool",
            "metadata": {"name": "x"},
            "spec": {"virtualMachineTemplate": {"spec": {"template": {"spec": {}}}}},
        },
        vm(preference={"name": "missing"}),
        vm(template=None),
    ],
)
def test_other_objects_are_unchanged(content: JsonObject) -> None:
    assert written(content) == content
    assert not open_fields(ResourceSet(), behaviour())
