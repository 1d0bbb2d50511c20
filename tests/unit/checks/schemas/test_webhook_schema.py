"""Values that KubeVirt's OpenAPI schema refuses, and fields that its mutating webhook sets."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator

import pytest

from renderer.checks.schemas.finding import SchemaTarget
from renderer.checks.schemas.kind_schema import ELEMENT, SchemaPlace
from renderer.checks.schemas.known_values import KNOWN_VALUES, WEBHOOK_SCHEMA, KnownValues
from renderer.checks.schemas.kubernetes_formats import SEVERITY
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.diagnostic import Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, with_value
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release

KUBEVIRT = os.environ.get("KUBEVIRT_SOURCE", "")
SCHEMAS = SchemaRegistry()
VM = Gvk("kubevirt.io", "v1", "VirtualMachine")
TAGS = (
    "v0.59.2",
    "v1.0.1",
    "v1.1.1",
    "v1.2.2",
    "v1.3.1",
    "v1.4.1",
    "v1.5.3",
    "v1.6.6",
    "v1.7.4",
    "v1.8.4",
    "v1.9.0",
)


def target(release: str) -> SchemaTarget:
    return SchemaTarget(VM, Release.parse(release), SCHEMAS, {})


def field(place: SchemaPlace) -> FieldPath:
    return FieldPath(tuple(0 if name == ELEMENT else name for name in place))


def specified(tag: str) -> Iterator[tuple[SchemaPlace, JsonObject, bool]]:
    """Yield the scalar fields of a VirtualMachine's spec in KubeVirt's document: schema, and if required."""
    command = ["git", "-C", KUBEVIRT, "show", f"{tag}:api/openapi-spec/swagger.json"]
    definitions = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["definitions"]

    def walk(
        schema: JsonObject, place: SchemaPlace, *, is_required: bool
    ) -> Iterator[tuple[SchemaPlace, JsonObject, bool]]:
        reference = text_at(schema, "$ref").rpartition("/")[2]
        if reference:
            schema = definitions[reference]
        required = array_at(schema, "required")
        for name, child in object_at(schema, "properties").items():
            yield from walk(object_at(child), (*place, name), is_required=name in required)
        if isinstance(schema.get("items"), dict):
            yield from walk(object_at(schema, "items"), (*place, ELEMENT), is_required=False)
        if (
            not reference
            and isinstance(schema.get("type"), str)
            and schema["type"] not in ("array", "object")
        ):
            yield place, schema, is_required

    return walk(definitions["v1.VirtualMachineSpec"], ("spec",), is_required=True)


@pytest.mark.skipif(not KUBEVIRT, reason="KUBEVIRT_SOURCE is not set")
@pytest.mark.parametrize("tag", TAGS)
def test_enumerations_match_kubevirts_document(tag: str) -> None:
    judge = target(tag)
    listed: dict[SchemaPlace, list[Json]] = {}
    ours: dict[SchemaPlace, list[Json]] = {}
    for place, schema, _ in specified(tag):
        if "enum" in schema:
            found = judge.schema.tree.at(field(place)) or {}
            listed[place] = sorted(array_at(schema, "enum"), key=str)
            ours[place] = [] if SEVERITY in found else list(array_at(found, "enum"))
    assert ours == listed
    assert bool(listed) == (tag != "v0.59.2")


@pytest.mark.skipif(not KUBEVIRT, reason="KUBEVIRT_SOURCE is not set")
@pytest.mark.parametrize("tag", TAGS)
def test_fields_with_a_default_in_kubevirts_document_may_be_missing(tag: str) -> None:
    judge = target(tag)
    wrong = []
    for place, schema, is_required in specified(tag):
        if is_required and "metadata" not in place:
            zero = judge.zero_for_missing(field(place))
            if ("default" not in schema and zero is not None) or (
                zero is None and "default" in schema and not _refuses_zero(judge, place)
            ):
                wrong.append(place)
    assert wrong == []


def _refuses_zero(judge: SchemaTarget, place: SchemaPlace) -> bool:
    schema = judge.schema.tree.at(field(place)) or {}
    return any(keyword in schema for keyword in ("enum", "pattern", "minimum"))


def vm(spec: JsonObject, **more: Json) -> JsonObject:
    template = {"spec": {"domain": {"devices": {}}, **spec}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "web"},
        "spec": {"runStrategy": "Always", "template": template, **more},
    }


def judged(content: JsonObject, release: str = "1.9") -> list[tuple[Severity, str]]:
    resources = ResourceSet((Resource(content, Site("vm.yaml")),))
    return [(each.severity, each.message) for each in validate(resources, Release.parse(release), SCHEMAS)]


IMAGE = "spec.template.spec.volumes[0].containerDisk.image"


@pytest.mark.parametrize(
    ("release", "severity", "message"),
    [
        ("0.59", Severity.ERROR, f"{IMAGE} is missing"),
        ("1.0", Severity.WARNING, f'{IMAGE} is missing, and KubeVirt 1.0 reads it as ""'),
        ("1.9", Severity.WARNING, f'{IMAGE} is missing, and KubeVirt 1.9 reads it as ""'),
    ],
)
def test_required_text_may_be_missing_since_1_0(release: str, severity: Severity, message: str) -> None:
    content = vm({"volumes": [{"name": "root", "containerDisk": {}}]})
    assert judged(content, release) == [(severity, message)]


def test_null_counts_as_missing() -> None:
    content = vm({"volumes": [{"name": "root", "containerDisk": {"image": None}}]})
    assert judged(content) == [(Severity.WARNING, f"{IMAGE} has nothing after it")]


@pytest.mark.parametrize(
    ("spec", "at"),
    [
        ({"volumes": [{"name": "data", "emptyDisk": {}}]}, "volumes[0].emptyDisk.capacity"),
        ({"domain": {}}, "domain.devices"),
        ({"domain": {"devices": {"disks": [{"disk": {}}]}}}, "domain.devices.disks[0].name"),
        ({"livenessProbe": {"httpGet": {}}}, "livenessProbe.httpGet.port"),
    ],
)
def test_other_or_non_empty_fields_are_still_required(spec: JsonObject, at: str) -> None:
    assert judged(vm(spec)) == [(Severity.ERROR, f"spec.template.spec.{at} is missing")]


def test_kinds_without_a_rewriting_webhook_need_all_required_fields() -> None:
    machine = {"spec": vm({"volumes": [{"name": "root", "containerDisk": {}}]})["spec"]}
    pool: JsonObject = {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "web"},
        "spec": {"selector": {}, "virtualMachineTemplate": machine},
    }
    at = "spec.virtualMachineTemplate.spec.template.spec.volumes[0].containerDisk.image"
    assert judged(pool) == [(Severity.ERROR, f"{at} is missing")]


@pytest.mark.parametrize("source", [{"pvc": {"name": "gold"}}, {"snapshot": {"name": "gold"}}])
def test_a_clone_within_the_namespace_needs_no_namespace(source: JsonObject) -> None:
    template: JsonObject = {"metadata": {"name": "root"}, "spec": {"source": source, "storage": {}}}
    assert judged(vm({}, dataVolumeTemplates=[template])) == []


@pytest.mark.parametrize("key", ["dataSource", "dataSourceRef"])
@pytest.mark.parametrize("target_key", ["pvc", "storage"])
def test_a_data_source_needs_an_api_group_that_may_be_empty(target_key: str, key: str) -> None:
    def content(**group: Json) -> JsonObject:
        claim = {key: {"kind": "PersistentVolumeClaim", "name": "gold", **group}}
        return vm({}, dataVolumeTemplates=[{"metadata": {"name": "root"}, "spec": {target_key: claim}}])

    at = f"spec.dataVolumeTemplates[0].spec.{target_key}.{key}.apiGroup"
    assert judged(content()) == [(Severity.ERROR, f"{at} is missing")]
    assert judged(content(apiGroup="")) == []


def test_invalid_names_and_labels_of_templates_are_warnings() -> None:
    content = vm({}, dataVolumeTemplates=[{"metadata": {"name": "A_b"}, "spec": {}}])
    template = object_at(content, "spec", "template")
    content = with_value(content, ("spec", "template"), {**template, "metadata": {"labels": {"app": "-"}}})
    found = judged(content)
    assert [severity for severity, _ in found] == [Severity.WARNING] * 2
    assert all("KubeVirt 1.9 admits it" in message for _, message in found)


@pytest.mark.parametrize("value", ["", "http"])
def test_webhook_enumeration_refuses_the_empty_text(value: str) -> None:
    content = vm({"livenessProbe": {"httpGet": {"port": 80, "scheme": value}}})
    at = "spec.template.spec.livenessProbe.httpGet.scheme"
    assert judged(content) == [(Severity.ERROR, f'{at} cannot be "{value}"')]
    assert [severity for severity, _ in judged(content, "0.59")] == ([Severity.WARNING] if value else [])


@pytest.mark.parametrize(
    "known", [known for known in KNOWN_VALUES if known.enumerated], ids=lambda known: known.field
)
def test_the_enumerations_begin_with_their_release(known: KnownValues) -> None:
    assert known.enumerated is not None
    before = Release(0, 59) if known.enumerated == WEBHOOK_SCHEMA else Release(1, 3)
    is_strict = known.refused_at(before, by_webhook=False) and not known.empty
    for release, is_refused in ((before, False), (known.enumerated, True)):
        tree = SCHEMAS.schema(release, VM).tree
        end = tuple(known.field.split("."))
        places = [
            place
            for place in tree.places(end[-1])
            if tuple(name for name in place if name != ELEMENT)[-len(end) :] == end
        ]
        for place in places:
            schema = tree.at(field(place)) or {}
            schema = object_at(schema, "items") or schema
            refuses_all_others = SEVERITY not in schema and "" not in array_at(schema, "enum")
            assert refuses_all_others == (is_refused or is_strict)
        assert places or release < WEBHOOK_SCHEMA
