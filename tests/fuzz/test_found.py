"""Inputs that took too long, or ended in something other than a finding."""

from __future__ import annotations

import json

import pytest

from renderer.checks.schemas.project_schema import ProjectSchema, UnusableSchemaError
from renderer.checks.schemas.release_sources import release_schemas
from renderer.checks.schemas.schema_import import UnlikeKubevirtError
from renderer.golang.envsubst import SubstitutionError, evaluate, parse
from renderer.kustomize.merge_keys.schema_in_effect import kubernetes_merge_schema
from renderer.kustomize.strategic_merge import StrategicMerge, StrategicMergeError
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject
from renderer.model.placeholders import placeholder_in
from renderer.model.quantity import Quantity
from renderer.model.release import LATEST
from tests.fuzz.bounds import bounds
from tests.fuzz.judging import judge
from tests.fuzz.mutation import project
from tests.fuzz.target import SEEDS, target


@pytest.mark.parametrize("text", ["0" * 3990 + "x", "1" * 3990 + "x", "0" * 2000 + "." + "0" * 1900 + "x"])
def test_a_quantity_of_thousands_of_digits(text: str) -> None:
    with bounds(), pytest.raises(DiagnosticError):
        Quantity.parse(text)


@pytest.mark.parametrize("part", ["$", "{{", "${", "{{}", "${{", "{", "$${"])
def test_text_of_placeholder_characters(part: str) -> None:
    with bounds():
        assert placeholder_in("}{" + part * 100_000) is None


def _definitions(fields: str, count: int) -> JsonObject:
    """So many, of which each has the next one in each of the fields, which have names of one letter."""
    chain: dict[str, Json] = {
        f"d{number}": {
            "type": "object",
            "properties": {field: {"$ref": f"#/definitions/d{number + 1}"} for field in fields},
        }
        for number in range(count)
    }
    return {**chain, f"d{count}": {"type": "string"}}


@pytest.mark.parametrize(("fields", "count"), [("ab", 60), ("a", 5000)])
def test_definitions_that_refer_to_each_other(fields: str, count: int) -> None:
    definitions = _definitions(fields, count)
    reference: JsonObject = {"$ref": "#/definitions/d0"}
    root: Json = {"type": "object", "properties": {"spec": {"$ref": "#/definitions/d0"}}}
    openapi: Json = {"definitions": {**definitions, "v1beta1.VirtualMachinePreference": root}}
    with bounds():
        with pytest.raises(UnusableSchemaError):
            ProjectSchema({**reference, "definitions": definitions})
        with pytest.raises(UnusableSchemaError):
            ProjectSchema(
                {**reference, "definitions": {key: definitions[key] for key in reversed([*definitions])}}
            )
        with pytest.raises(UnlikeKubevirtError):
            release_schemas([("swagger.json", openapi)], LATEST)


def test_many_failing_choices() -> None:
    inner = {"items": {"anyOf": [{"items": {"type": "string"}}] * 60}}
    schema = ProjectSchema(json.loads(json.dumps({"properties": {"a": {"anyOf": [inner] * 60}}})))
    content: JsonObject = {"a": [[1] * 20] * 10}
    with bounds():
        assert not schema.is_valid(content)
        assert [str(found.field) for found in schema.violations(content)] == [""]


@pytest.mark.parametrize(
    "each",
    [{"required": [f"k{number}" for number in range(5000)]}, {"allOf": [{"type": "string"}] * 5000}],
)
def test_many_failures_of_a_large_value(each: JsonObject) -> None:
    schema = ProjectSchema({"properties": {"a": {"items": each}}})
    content: JsonObject = {"a": [{}] * 1500}
    with bounds():
        assert not schema.is_valid(content)
        assert [str(found.field) for found in schema.violations(content)] == [""]


def test_a_control_character_that_json_does_not_escape() -> None:
    seed = project(SEEDS / "machine")
    machine = seed["app/vm.yaml"].replace(b"kubevirt.io/v1", b'"\\x85\\u202e"', 1)
    target("diff").check(("machine", {**seed, "app/vm.yaml": machine}, False))


CONTAINERS: list[Json] = [{"name": f"c{number}"} for number in range(10_000)]
PORTS: list[Json] = [{"containerPort": number, "protocol": "TCP"} for number in range(5000)]


def pod(containers: list[Json]) -> JsonObject:
    return {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": containers}}


@pytest.mark.parametrize(
    ("target", "patch"),
    [
        (pod(CONTAINERS), pod(CONTAINERS[::-1])),
        (pod([{"name": "c", "ports": PORTS}]), pod([{"name": "c", "ports": PORTS}])),
    ],
)
def test_a_merge_of_two_long_lists(target: JsonObject, patch: JsonObject) -> None:
    with bounds():
        merged = StrategicMerge(kubernetes_merge_schema()).apply(target, patch)
    assert merged is not None
    assert merged["spec"] == patch["spec"]


def test_merge_of_long_lists_with_repeated_names() -> None:
    doubled = pod([*CONTAINERS, *CONTAINERS])
    with bounds(), pytest.raises(StrategicMergeError, match="the same key"):
        StrategicMerge(kubernetes_merge_schema()).apply(doubled, doubled)


def test_long_patterns_of_a_long_value() -> None:
    pattern = "*a" * 1000 + "b"
    text = "".join(f"${{x#{number}{pattern}}}" for number in range(50))
    with bounds(), pytest.raises(SubstitutionError):
        evaluate(parse(text), {"x": "a" * 2400})


def test_instance_that_is_no_mapping() -> None:
    machine = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db"},
        "spec": {"runStrategy": "Always", "instancetype": {"name": "u1.large"}, "template": {"spec": True}},
    }
    project = {
        "vmrender.yaml": b"apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: app}]\n",
        "app/kustomization.yaml": b"resources: [vm.yaml]\n",
        "app/vm.yaml": json.dumps(machine).encode(),
    }
    judge(project)
