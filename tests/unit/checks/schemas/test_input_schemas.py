"""Input fields that a release does not know, which are never written."""

from __future__ import annotations

import json

import pytest

from renderer.checks.schemas.kubevirt_kinds import KINDS
from renderer.checks.schemas.registry import InputSchemaRegistry, SchemaRegistry
from renderer.checks.schemas.schema_import import input_files
from renderer.checks.schemas.validate import validate
from renderer.files.bundled import data_folder
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.kube.res_id import Gvk
from renderer.model.release import LATEST, NEWEST, Release
from tests.kubevirt_objects import instancetype, preference, resources, vm

READ, WRITTEN = InputSchemaRegistry(), SchemaRegistry()
RELEASES = [Release.parse(f"1.{minor}") for minor in range(NEWEST.minor + 1)]


def v1beta2(content: JsonObject, spec: Json) -> JsonObject:
    return {**content, "apiVersion": "instancetype.kubevirt.io/v1beta2", "spec": spec}


def fields(content: JsonObject, release: Release = LATEST, schemas: SchemaRegistry = READ) -> list[str]:
    return [str(found.field) for found in validate(resources(content), release, schemas)]


SIZES: list[JsonObject] = [
    {},
    {"cpu": {}, "memory": {}},
    {"cpu": {"guest": 2}},
    {"memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}}},
    {"cpu": {"guest": 2}, "memory": {"guest": "1Gi"}},
]


@pytest.mark.parametrize("release", RELEASES, ids=str)
@pytest.mark.parametrize("spec", SIZES)
def test_sizes_may_be_omitted_only_in_v1beta2(spec: JsonObject, release: Release) -> None:
    assert fields(v1beta2(instancetype(), spec), release) == []
    assert fields(v1beta2(instancetype(), spec), release, WRITTEN)
    complete = spec is SIZES[-1]
    assert (fields({**instancetype(), "spec": spec}, release) == []) is complete


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ({"memroy": {}}, "spec.memroy"),
        ({"cpu": {"gest": 1}}, "spec.cpu.gest"),
        ({"cpu": {"guest": -1}}, "spec.cpu.guest"),
        ({"memory": {"guest": "lots"}}, "spec.memory.guest"),
        ({"gpus": [{}]}, "spec.gpus[0].name"),
    ],
)
def test_other_fields_match_v1beta1(spec: JsonObject, field: str) -> None:
    assert fields(v1beta2(instancetype(), spec)) == [field]


def test_preferences_have_the_same_fields() -> None:
    assert fields(v1beta2(preference(), {"cpu": {"preferredCPUTopology": "cores"}})) == []
    assert fields(v1beta2(preference(), {"cpus": {}})) == ["spec.cpus"]
    assert fields(v1beta2(preference(), {}), schemas=WRITTEN) == ["apiVersion"]


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_vcpus_of_a_vm_are_never_written(release: Release) -> None:
    path = "spec.template.spec.domain.cpu.guest"
    content = vm(domain={"devices": {}, "cpu": {"guest": 4}})
    assert fields(content, release) == []
    assert fields(content, release, WRITTEN) == [path]
    wrong = with_value(content, ("spec", "template", "spec", "domain", "cpu", "guest"), 0)
    assert fields(wrong, release) == [path]


def test_files_match_the_latest_release() -> None:
    written = {kind.name: WRITTEN.schema(LATEST, Gvk(kind.group, "", kind.name)).document for kind in KINDS}
    schemas = data_folder("schemas")
    shipped = {path.relative_to(schemas).as_posix(): path.read_text() for path in schemas.glob("input/*")}
    assert shipped == input_files(written)
    assert all(json.loads(text) for text in shipped.values())
