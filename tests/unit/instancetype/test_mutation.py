from __future__ import annotations

import pytest

from renderer.instancetype.webhook_fields import Mutation, mutation_of
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.json import Json, JsonObject
from tests.kubevirt_objects import behaviour, labelled, scope

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


def test_a_silent_vm_gets_the_clusters_defaults() -> None:
    assert mutation(spec()) == Mutation("amd64", "q35", ())


def test_the_vm_then_the_preference_then_the_cluster() -> None:
    preferred: JsonObject = {"preferredArchitecture": "arm64", "machine": {"preferredMachineType": "virt-8"}}
    own = spec(architecture="s390x", domain={"machine": {"type": "mine"}})

    assert mutation(own, preference=preferred) == Mutation("s390x", "mine", ())
    assert mutation(spec(), preference=preferred) == Mutation("arm64", "virt-8", ())


@pytest.mark.parametrize(("release", "architecture"), [("1.6", "amd64"), ("1.7", "arm64")])
def test_the_preferred_architecture_is_written_from_1_7_on(release: str, architecture: str) -> None:
    preferred: JsonObject = {"preferredArchitecture": "arm64"}

    assert mutation(spec(), preference=preferred, release=release).architecture == architecture


@pytest.mark.parametrize(("release", "architecture"), [("1.5", "amd64"), ("1.6", "arm64")])
def test_the_architecture_of_a_data_source_counts_from_1_6_on(release: str, architecture: str) -> None:
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
def test_which_data_source_is_meant(reference: JsonObject, architecture: str) -> None:
    objects = (
        labelled("DataSource", "ds", labels=ARM),
        labelled("DataSource", "pointer", {"source": {"dataSource": {"name": "ds", "namespace": "prod"}}}),
        labelled("DataSource", "strange", labels={"template.kubevirt.io/architecture": "vax"}),
    )

    assert mutation(spec(reference), *objects).architecture == architecture


def test_the_first_usable_data_source_counts() -> None:
    s390x = labelled("DataSource", "ds", labels={"template.kubevirt.io/architecture": "s390x"})

    assert mutation(spec(source("missing"), source()), s390x).architecture == "s390x"


def test_storage_classes_are_preferred_where_none_is_said() -> None:
    preferred: JsonObject = {"volumes": {"preferredStorageClassName": "fast"}}
    vm_spec = spec(
        {"storage": {}},
        {"pvc": {"storageClassName": "own"}},
        {"storage": {"storageClassName": ""}},
        {"pvc": {"storageClassName": "own"}, "storage": {}},
        {},
    )

    assert mutation(vm_spec, preference=preferred).storage_class_names == ("fast", "own", "", "fast", None)
    assert mutation(vm_spec).storage_class_names == (None, "own", "", "own", None)
