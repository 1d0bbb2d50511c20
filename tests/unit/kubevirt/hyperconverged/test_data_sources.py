"""DataSources of data import crons, and what a ``HyperConverged`` object changes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from renderer.kubevirt.facts.boot_images import OPENSHIFT_IMAGES, UPSTREAM_IMAGES, default_data_sources
from renderer.kubevirt.facts.kinds import PREFERENCE
from renderer.kubevirt.hyperconverged.data_sources import managed_data_sources
from renderer.kubevirt.hyperconverged.release import OperatorRelease
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST, Release
from tests.conformance.lines import VECTORS, read_lines

DISKS = "quay.io/containerdisks/"
OPT_OUT = "dataimportcrontemplate.kubevirt.io/enable"


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

    assert set(found) == {each.name for each in default_data_sources(LATEST)}
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
