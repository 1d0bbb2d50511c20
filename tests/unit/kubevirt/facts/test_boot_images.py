"""Labels by release and architecture, and what a ``HyperConverged`` object changes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from renderer.kubevirt.facts.boot_images import (
    OPENSHIFT_IMAGES,
    UPSTREAM_IMAGES,
    default_data_sources,
    image_labels,
    is_made_by_operators,
    managed_data_sources,
)
from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST, Release
from tests.conformance.lines import VECTORS, read_lines

DISKS = "quay.io/containerdisks/"
OPT_OUT = "dataimportcrontemplate.kubevirt.io/enable"


@pytest.mark.parametrize(
    ("image", "architecture", "preference"),
    [
        (f"{DISKS}fedora:latest", "amd64", "fedora"),
        (f"{DISKS}fedora", "arm64", "fedora.arm64"),
        (f"{DISKS}fedora@sha256:aa", "s390x", "fedora.s390x"),
        (f"{DISKS}centos-stream:9", "arm64", "centos.stream9"),
        (f"{DISKS}centos-stream:10-20250101", "amd64", "centos.stream10"),
        (f"{DISKS}almalinux:9.5", "arm64", "rhel.9"),
        ("rhel9-guest", "amd64", "rhel.9"),
        ("registry.redhat.io/rhel10/rhel-guest-image:latest", "arm64", "rhel.10.arm64"),
    ],
)
def test_image_asks_for_a_preference(image: str, architecture: str, preference: str) -> None:
    assert image_labels(image, architecture, LATEST) == {
        INSTANCETYPE.name_label: "u1.medium",
        PREFERENCE.name_label: preference,
    }


@pytest.mark.parametrize(
    ("image", "architecture", "release"),
    [
        (f"{DISKS}fedora:41", "amd64", "1.1"),
        (f"{DISKS}centos-stream:8", "amd64", "1.9"),
        (f"{DISKS}centos-stream", "amd64", "1.9"),
        (f"{DISKS}cirros:0.6", "amd64", "1.9"),
        ("registry.example.org/containerdisks/fedora:41", "amd64", "1.9"),
        ("rhel9-guest", "amd64", "1.3"),
        ("rhel9-guest", "s390x", "1.9"),
        ("", "amd64", "1.9"),
    ],
)
def test_labels_of_other_images_are_unknown(image: str, architecture: str, release: str) -> None:
    assert image_labels(image, architecture, Release.parse(release)) == {}


def preferences(release: str) -> dict[str, str]:
    target = Release.parse(release)
    return {
        each.name: each.label(PREFERENCE.name_label, "amd64", target) for each in default_data_sources(target)
    }


def test_defaults_depend_on_the_release() -> None:
    red_hat = {"rhel8": "", "rhel9": ""}
    assert preferences("1.0") == {"centos-stream9": "centos.9.stream", "fedora": "fedora", **red_hat}
    assert preferences("1.2") == {"centos-stream9": "centos.stream9", "fedora": "fedora", **red_hat}
    assert preferences("1.9") == {
        "centos-stream9": "centos.stream9",
        "centos-stream10": "centos.stream10",
        "fedora": "fedora",
        "rhel8": "rhel.8",
        "rhel9": "rhel.9",
        "rhel10": "rhel.10",
    }


def hyperconverged(spec: JsonObject, version: str = "v1beta1") -> Resource:
    content: JsonObject = {
        "apiVersion": f"hco.kubevirt.io/{version}",
        "kind": "HyperConverged",
        "metadata": {"name": "kubevirt-hyperconverged"},
        "spec": spec,
    }
    return Resource(content, Site("hco.yaml"))


def template(name: str, data_source: str, enabled: Json = None, image: str = "") -> JsonObject:
    annotations = {} if enabled is None else {OPT_OUT: enabled}
    source = {"source": {"registry": {"url": f"docker://{image}"}}} if image else {}
    return {
        "metadata": {"name": name, "annotations": annotations},
        "spec": {"managedDataSource": data_source, "template": {"spec": source}},
    }


def imported(spec: JsonObject, release: str = "1.9", version: str = "v1beta1") -> dict[str, tuple[str, ...]]:
    found = managed_data_sources(hyperconverged(spec, version), Release.parse(release))
    return {name: each.places for each in found for name in each.names}


def test_object_without_settings_imports_the_defaults() -> None:
    found = imported({})

    assert set(found) == set(preferences("1.9"))
    assert found["fedora"] == (OPENSHIFT_IMAGES, UPSTREAM_IMAGES)
    assert found["rhel9"] == (OPENSHIFT_IMAGES,)


def test_disabled_and_changed_templates() -> None:
    templates: list[Json] = [
        template("fedora-image-cron", "fedora", "False"),
        template("rhel9-image-cron", "gold", "TRUE", f"{DISKS}debian:12"),
        template("ours", "ours"),
        template("not-ours", "not-ours", "no"),
    ]
    resource = hyperconverged({"dataImportCronTemplates": templates, "commonBootImageNamespace": "images"})
    found = {each.name: each for each in managed_data_sources(resource, LATEST)}

    assert "fedora" not in found
    assert "rhel9" not in found
    assert "not-ours" not in found
    assert found["rhel8"].places == ("images",)
    assert found["ours"].places == (OPENSHIFT_IMAGES, UPSTREAM_IMAGES)
    assert found["gold"].label(PREFERENCE.name_label, "amd64", LATEST) == "debian"


@pytest.mark.parametrize(
    ("spec", "release", "version"),
    [
        ({"enableCommonBootImageImport": False}, "1.9", "v1beta1"),
        ({"featureGates": {"enableCommonBootImageImport": False}}, "1.4", "v1beta1"),
        ({"workloadSources": {"enableCommonBootImageImport": False}}, "1.9", "v1"),
    ],
)
def test_switch_leaves_only_templates_of_the_object(spec: JsonObject, release: str, version: str) -> None:
    assert imported(spec, release, version) == {}


@pytest.mark.parametrize(
    ("spec", "release", "version"),
    [
        ({"featureGates": {"enableCommonBootImageImport": False}}, "1.9", "v1beta1"),
        ({"enableCommonBootImageImport": False}, "1.4", "v1beta1"),
        ({"enableCommonBootImageImport": False}, "1.9", "v1"),
        ({"enableCommonBootImageImport": "false"}, "1.9", "v1beta1"),
    ],
)
def test_switch_at_another_place_has_no_effect(spec: JsonObject, release: str, version: str) -> None:
    assert "fedora" in imported(spec, release, version)


@pytest.mark.parametrize(
    ("spec", "version"),
    [
        ({"featureGates": {"enableMultiArchBootImageImport": True}}, "v1beta1"),
        ({"featureGates": [{"name": "enableMultiArchBootImageImport"}]}, "v1"),
        ({"workloadSources": {"enableMultiArchBootImageImport": True}}, "v1"),
    ],
)
def test_images_for_several_architectures(spec: JsonObject, version: str) -> None:
    assert {"fedora", "fedora-amd64", "fedora-arm64"} <= set(imported(spec, version=version))


def test_malformed_templates_are_ignored() -> None:
    malformed: list[Json] = ["x", [1, None, {}], {"a": 1}, [{"metadata": {"name": 1}, "spec": []}]]
    for templates in malformed:
        assert "fedora" in imported({"dataImportCronTemplates": templates})
    assert "fedora" in imported({"featureGates": 1, "commonBootImageNamespace": {}})


def recorded() -> Iterator[tuple[str, Resource, Release, JsonObject]]:
    """Yield id, object, release and SSP's spec of the records of what the operator makes."""
    for line in read_lines(VECTORS / "hyperconverged.jsonl.xz"):
        record = json.loads(line)
        ssp = object_at(record, "expect", "ssp", "spec")
        if ssp:
            release = OperatorRelease.parse(record["release"]).kubevirt
            yield record["id"], Resource(record["hyperconverged"], Site("hco.yaml")), release, ssp


def test_templates_are_those_that_the_operator_gives_to_ssp() -> None:
    different = {}
    for name, resource, release, ssp in recorded():
        made = array_at(ssp, "commonTemplates", "dataImportCronTemplates")
        expected = sorted(
            (text_at(each, "spec", "managedDataSource"), text_at(each, "metadata", "namespace"))
            for each in made
            if "spec" in object_at(each)
        )
        found = managed_data_sources(resource, release)
        actual = sorted((each.name, each.namespace or "") for each in found if not each.openshift_only)
        if len(expected) == len(made) and actual != expected:
            different[name] = actual, expected
    assert different == {}


def test_labels_of_templates_are_those_that_the_operator_gives_to_ssp() -> None:
    different = {}
    for name, resource, release, ssp in recorded():
        made = array_at(ssp, "commonTemplates", "dataImportCronTemplates")
        expected = {
            text_at(each, "spec", "managedDataSource"): object_at(each, "metadata", "labels") for each in made
        }
        found = {
            each.name: each.labels
            for each in managed_data_sources(resource, release)
            if not each.openshift_only
        }
        if "" not in expected and found != expected:
            different[name] = found, expected
    assert different == {}


def test_operators_make_data_sources_of_their_namespaces_only() -> None:
    assert is_made_by_operators("win2k22", OPENSHIFT_IMAGES)
    assert is_made_by_operators("rhel10", OPENSHIFT_IMAGES)
    assert not is_made_by_operators("rhel10", UPSTREAM_IMAGES)
    assert not is_made_by_operators("fedora", "golden")
