"""The kinds of Kubernetes in several minors."""

from __future__ import annotations

import pytest
from jsonschema_rs import meta

from renderer.checks.schemas.kubernetes_kinds import GROUPS, KubernetesKinds
from renderer.files.bundled import data_folder
from renderer.model.kube.json import JsonObject
from renderer.model.kube.res_id import Gvk
from renderer.model.release import LATEST_KUBERNETES, OLDEST_KUBERNETES, Release

FILE = data_folder("schemas") / "kubernetes" / "definitions.json"
KINDS = KubernetesKinds(FILE)


def test_project_file_accepts_the_available_minors() -> None:
    assert (KINDS.minors[0], KINDS.minors[-1]) == (OLDEST_KUBERNETES, LATEST_KUBERNETES)
    assert KINDS.minor == LATEST_KUBERNETES


def test_every_kind_has_a_schema_in_every_minor() -> None:
    document = KINDS._document  # noqa: SLF001 - there is no other list of the kinds
    for minor in KINDS.minors:
        for name in document["kinds"]:
            version, _, kind = name.rpartition("/")
            gvk = Gvk.parse(version, kind)
            assert gvk.group in GROUPS
            schema = KINDS.at(minor).schema(gvk)
            assert schema is not None
            meta.validate(dict(schema.document))


@pytest.mark.parametrize(
    ("minor", "is_known"),
    [(Release.parse("1.29"), False), (Release.parse("1.30"), True), (Release.parse("1.36"), True)],
)
def test_field_is_known_since_its_minor(minor: Release, is_known: bool) -> None:  # noqa: FBT001 - a row of a table
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"trafficDistribution": "PreferClose"},
    }
    schema = KINDS.at(minor).schema(Gvk.parse("v1", "Service"))
    assert schema is not None
    assert schema.is_valid(content) is is_known


def test_kind_in_a_removed_version_names_the_served_one() -> None:
    assert KINDS.api_version_of(Gvk.parse("extensions/v1beta1", "Ingress")) == "networking.k8s.io/v1"
    assert KINDS.api_version_of(Gvk.parse("v1", "Deployment")) == "apps/v1"
    assert KINDS.api_version_of(Gvk.parse("apps/v1", "Deployment")) is None
    assert KINDS.api_version_of(Gvk.parse("serving.knative.dev/v1", "Service")) is None
    assert KINDS.api_version_of(Gvk.parse("v1", "Endpoints")) is None
    assert KINDS.api_version_of(Gvk.parse("autoscaling/v1", "HorizontalPodAutoscaler")) is None
    assert (
        KINDS.api_version_of(Gvk.parse("autoscaling/v2beta2", "HorizontalPodAutoscaler")) == "autoscaling/v2"
    )
