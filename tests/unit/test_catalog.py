"""The shipped catalog, against recorded facts of its upstream release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from renderer.authoring.sizes.names import DERIVED_LABELS, size_labels
from renderer.files.bundled import data_folder
from renderer.files.file_system import DiskFileSystem
from renderer.kubevirt.instancetype.served_version import is_only_for_rendering
from renderer.kustomize.compose import compose
from renderer.kustomize.reader.load import Loader
from renderer.model.kube.json import Json, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity
from renderer.model.render_config import ExpandMode, OverlayEntry, RenderConfig
from renderer.pipeline import Pipeline
from renderer.pipeline.generators import GENERATORS

RELEASE = "v1.7.0"
RECORDED = Path(__file__).parents[1] / "data" / "catalog" / f"common-instancetypes-{RELEASE}.json"
FACTS: list[dict[str, Json]] = json.loads(RECORDED.read_text())
PREFIX = "instancetype.kubevirt.io/"


@cache
def composed() -> Mapping[tuple[str, str], Resource]:
    fs = DiskFileSystem(data_folder("catalog"))
    outcome = compose(Loader(fs).load(f"common-instancetypes/{RELEASE}"), GENERATORS)
    assert outcome.diagnostics == ()
    resources = {(resource.gvk.kind, resource.name): resource for resource in outcome.value}
    assert len(resources) == len(outcome.value)
    return resources


def shipped() -> Mapping[tuple[str, str], Resource]:
    """Without the custom sizes, which are not upstream's."""
    return {key: resource for key, resource in composed().items() if not is_only_for_rendering(resource)}


def custom_sizes() -> dict[str, Resource]:
    """The cluster-wide ones by name."""
    return {
        name: resource
        for (kind, name), resource in composed().items()
        if is_only_for_rendering(resource) and kind == "VirtualMachineClusterInstancetype"
    }


def of_kind(word: str) -> list[Resource]:
    return [resource for (kind, _), resource in shipped().items() if word in kind]


def test_catalog_has_exactly_the_upstream_objects() -> None:
    recorded = {(kind, fact["name"]) for fact in FACTS for kind in _kinds(fact)}
    assert len(recorded) == 2 * (65 + 54)
    assert set(shipped()) == recorded


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: f"{fact['name']}")
def test_names_specs_labels_and_annotation_keys_match_upstream(fact: dict[str, Json]) -> None:
    for kind in _kinds(fact):
        resource = shipped()[kind, str(fact["name"])]
        assert resource.content["apiVersion"] == "instancetype.kubevirt.io/v1beta1"
        assert resource.content["spec"] == fact["spec"]
        assert resource.labels == fact["labels"]
        _check_annotations(resource, object_at(fact, "annotations"))
        assert resource.content.keys() == {"apiVersion", "kind", "metadata", "spec"}
        assert object_at(resource.content, "metadata").keys() == {"name", "labels", "annotations"}


def test_every_instance_type_fits_its_labels() -> None:
    for resource in of_kind("Instancetype"):
        size = resource.name.split(".")[1]
        derived = {key: value for key, value in resource.labels.items() if key in DERIVED_LABELS}
        assert derived == size_labels(object_at(resource.content, "spec"), size), resource.name


def test_every_preferences_requirement_labels_fit_its_requirements() -> None:
    for resource in of_kind("Preference"):
        required = object_at(resource.content, "spec", "requirements")
        stated = {key.removeprefix(PREFIX): value for key, value in resource.labels.items()}
        guest_cpu = object_at(required, "cpu").get("guest")
        assert stated.get("required-cpu") == (None if guest_cpu is None else str(guest_cpu)), resource.name
        assert stated.get("required-memory", "") == text_at(required, "memory", "guest"), resource.name
        assert stated.get("required-architecture", "") == text_at(required, "architecture"), resource.name
        preferred = text_at(resource.content, "spec", "preferredArchitecture")
        assert stated.get("preferred-architecture", "") == stated.get("arch", "") == preferred, resource.name


def test_printed_catalog_matches_upstream() -> None:
    fs = DiskFileSystem(data_folder("catalog"))
    config = RenderConfig()
    for mode in ExpandMode:
        overlay = config.overlay(OverlayEntry("."), f"common-instancetypes/{RELEASE}", "catalog")
        outcome = Pipeline(fs, config).build(overlay.with_target(None, mode))
        assert not outcome.failed
        assert [(r.gvk.kind, r.name) for r in outcome.value] == list(shipped())


def test_every_class_but_the_universal_one_has_a_custom_size() -> None:
    expected = "cx1.custom cx1.custom1gi d1.custom m1.custom m1.custom1gi n1.custom o1.custom rt1.custom"
    assert sorted(custom_sizes()) == expected.split()
    namespaced = {name for kind, name in composed() if kind == "VirtualMachineInstancetype"}
    assert namespaced >= custom_sizes().keys()


def test_a_custom_size_is_its_class_without_a_size() -> None:
    for name, custom in custom_sizes().items():
        series, size = name.split(".")
        sized = next(
            resource
            for (kind, other), resource in shipped().items()
            if kind == custom.gvk.kind
            and other.startswith(f"{series}.")
            and _pages(resource) == _pages(custom)
        )
        assert custom.content["apiVersion"] == "instancetype.kubevirt.io/v1beta2"
        spec = dict(object_at(sized.content, "spec"))
        for section, sizes in (("cpu", ("guest", "maxSockets")), ("memory", ("guest",))):
            rest = {key: value for key, value in object_at(spec, section).items() if key not in sizes}
            spec = {**spec, section: rest} if rest else {k: v for k, v in spec.items() if k != section}
        assert custom.content["spec"] == spec, name
        assert custom.annotations == sized.annotations
        assert custom.labels == {
            **sized.labels,
            f"{PREFIX}cpu": "custom",
            f"{PREFIX}memory": "custom",
            f"{PREFIX}size": size,
        }


def test_every_description_says_something() -> None:
    for resource in of_kind("Instancetype"):
        description = text_at(resource.annotations, f"{PREFIX}description")
        assert len(description.split()) > 30, resource.name
        assert max(map(len, description.splitlines())) <= 72, resource.name


def test_huge_pages_divide_the_memory() -> None:
    for resource in of_kind("Instancetype"):
        memory = object_at(resource.content, "spec", "memory")
        page_size = text_at(memory, "hugepages", "pageSize")
        if page_size:
            whole, rest = divmod(
                Quantity.parse(str(memory["guest"])).value(), Quantity.parse(page_size).value()
            )
            assert whole, resource.name
            assert not rest, resource.name


def _pages(resource: Resource) -> str:
    return text_at(resource.content, "spec", "memory", "hugepages", "pageSize")


def _check_annotations(resource: Resource, recorded: Mapping[str, Json]) -> None:
    """Keys and values are upstream's, except prose and links, which are not recorded."""
    assert resource.annotations.keys() == recorded.keys()
    texts = {key: value for key, value in recorded.items() if value is not None}
    assert {key: resource.annotations[key] for key in texts} == texts


def _kinds(fact: Mapping[str, Json]) -> list[str]:
    kinds = fact["kinds"]
    assert isinstance(kinds, list)
    return [str(kind) for kind in kinds]
