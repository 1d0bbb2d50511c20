from __future__ import annotations

import re

import pytest

from renderer.kubevirt.facts.kinds import INSTANCETYPE
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.pin import pinned_revision
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


def revision(
    name: str = "u1.small", namespace: str = "prod", kind: str = INSTANCETYPE.kind, **metadata: Json
) -> JsonObject:
    spec: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1024Mi"}}
    content: JsonObject = {
        "apiVersion": "instancetype.kubevirt.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, **metadata},
        "spec": spec,
    }
    return pinned_revision(MatchedObject(INSTANCETYPE, Resource(content, Site("x.yaml")), spec), namespace)


def name_of(content: JsonObject) -> str:
    return text_at(content, "metadata", "name")


def test_server_metadata_of_the_object_is_ignored() -> None:
    plain = revision()
    assert revision(labels={"a": "b"}, uid="72c3", resourceVersion="10303", generation=4) == plain


def test_quantities_are_kept_as_written() -> None:
    assert object_at(revision(), "data", "spec", "memory") == {"guest": "1024Mi"}


def test_namespaced_object_is_stored_with_the_namespace_of_the_vm() -> None:
    assert object_at(revision(), "data", "metadata") == {"name": "u1.small", "namespace": "prod"}
    assert object_at(revision(namespace=""), "data", "metadata") == {"name": "u1.small"}
    clusterwide = revision(kind=INSTANCETYPE.cluster_kind)
    assert object_at(clusterwide, "data", "metadata") == {"name": "u1.small"}
    assert name_of(clusterwide) != name_of(revision())


@pytest.mark.parametrize("name", ["u1.small", "a" * 253, "../x", "-", "U1 Small", "ü", ".", "a..b", "a.-b"])
def test_every_name_becomes_valid_in_kubernetes(name: str) -> None:
    made = revision(name)
    assert DNS_SUBDOMAIN.fullmatch(name_of(made)), name_of(made)
    assert len(name_of(made)) <= 253
    labels = object_at(made, "metadata", "labels")
    assert all(isinstance(value, str) and len(value) <= 63 for value in labels.values())
    assert labels["instancetype.kubevirt.io/object-version"] == "v1beta1"
