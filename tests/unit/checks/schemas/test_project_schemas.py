from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from renderer.checks.schemas.crd_schema import version_schemas
from renderer.checks.schemas.kind_schema import KindSchema, SchemaTree, Violation
from renderer.checks.schemas.project_schema import (
    MOST_STEPS,
    Extent,
    ProjectSchema,
    UnboundedError,
    UnusableSchemaError,
    check_bounded,
)
from renderer.checks.schemas.project_schema_files import ProjectSchemaFiles
from renderer.checks.schemas.registry import InputSchemaRegistry, SchemaRegistry
from renderer.checks.schemas.validate import validate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.project_schemas import ProjectSchemas
from renderer.model.release import LATEST, Release

#: A field that has to be a text.
WANTED: JsonObject = {"type": "string"}
WITH_B: JsonObject = {"properties": {"b": WANTED}}
THING: JsonObject = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "one"}}


def schemas(**files: Json) -> ProjectSchemas:
    """The files by their path below the folder, with ``__`` for ``/``."""
    others = {
        f"schemas/{path}": (path, json.dumps(content).encode())
        for path, content in ((name.replace("__", "/"), content) for name, content in files.items())
    }
    return ProjectSchemas({}, others)


def judged(content: JsonObject, project: ProjectSchemas) -> tuple[Diagnostic, ...]:
    resources = ResourceSet((Resource(content, Site("thing.yaml")),))
    return validate(resources, LATEST, SchemaRegistry(project=project))


def crd(structural: Json, version: str = "v1", **others: Json) -> JsonObject:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            "group": "example.com",
            "names": {"kind": "Thing"},
            "versions": [
                {"name": version, "served": True, "schema": {"openAPIV3Schema": structural}, **others}
            ],
        },
    }


@pytest.mark.parametrize(
    "path", ["example.com/v1/thing.json", "example.com/thing_v1.json", "a/example.com/v1/thing.json"]
)
def test_kind_of_a_schema_is_read_from_its_path(path: str) -> None:
    project = ProjectSchemas({}, {f"schemas/{path}": (path, b'{"required": ["spec"]}')})
    assert [found.message for found in judged(THING, project)] == ["spec is missing"]
    assert judged({**THING, "apiVersion": "example.com/v2"}, project) == ()
    assert judged({**THING, "kind": "Other"}, project) == ()


def test_kind_of_kubevirt_is_checked_with_its_own_schema() -> None:
    project = schemas(**{"kubevirt.io__v1__virtualmachine.json": {"required": ["nonsense"]}})
    vm: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "a"}}
    assert [found.message for found in judged(vm, project)] == ["spec is missing"]


def test_kind_of_kubevirt_without_a_schema_can_be_given_one() -> None:
    snapshot = {**THING, "apiVersion": "snapshot.kubevirt.io/v2", "kind": "VirtualMachineSnapshot"}
    assert [found.code for found in judged(snapshot, ProjectSchemas({}, {}))] == [Code.SCHEMA_MISSING]
    project = schemas(**{"snapshot.kubevirt.io__v2__virtualmachinesnapshot.json": {"required": ["spec"]}})
    assert [found.message for found in judged(snapshot, project)] == ["spec is missing"]


def test_an_imported_release_is_one_of_the_releases() -> None:
    content = json.dumps({"required": ["spec", "novelty"]}).encode()
    project = ProjectSchemas(
        {"1.11/virtualmachine.json": ("schemas/kubevirt/1.11/virtualmachine.json", content)}, {}
    )
    registry = SchemaRegistry(project=project)
    vm: JsonObject = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "a"},
        "spec": 1,
    }
    found = validate(ResourceSet((Resource(vm, Site("vm.yaml")),)), Release.parse("1.11"), registry)
    assert registry.releases[-1] == Release.parse("1.11")
    assert [each.message for each in found] == ["novelty is missing"]


def test_imported_schema_is_checked_as_user_input() -> None:
    content = json.dumps({"properties": {"spec": {"properties": {"a": {"pattern": "^(b+)+$"}}}}}).encode()
    project = ProjectSchemas(
        {"1.11/virtualmachine.json": ("schemas/kubevirt/1.11/virtualmachine.json", content)}, {}
    )
    registry = InputSchemaRegistry(project=project)

    found = registry.schema(Release.parse("1.11"), Gvk("kubevirt.io", "v1", "VirtualMachine"))

    assert isinstance(found, ProjectSchema)
    assert not found.is_valid({"spec": {"a": "b" * 60 + "c"}})


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"$ref": "#/definitions/A"}}, "definitions": {"A": WITH_B}},
        {"properties": {"a": {"$ref": "#/properties/c/items"}, "c": {"items": WITH_B}}},
        {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"$ref": "#/$defs/B"}, "B": WITH_B}},
    ],
)
def test_references_resolve_anywhere_in_the_file(schema: JsonObject) -> None:
    assert SchemaTree(schema).at(FieldPath.of("a", "b")) == WANTED
    [found] = judged({**THING, "a": {"b": 1}}, schemas(**{"example.com__v1__thing.json": schema}))
    assert found.message.startswith("a.b ")


def test_finding_about_a_key_does_not_quote_a_title() -> None:
    schema: JsonObject = {"properties": {"key": {"title": "SSH key", "minLength": 20}}}
    [found] = judged({**THING, "key": "short"}, schemas(**{"example.com__v1__thing.json": schema}))
    assert str(found.field) == "key"
    assert "short.short" not in found.message


def test_true_allows_any_field() -> None:
    for schema in ({"properties": {"a": True}}, {"additionalProperties": True}):
        assert SchemaTree(schema).at(FieldPath.of("a")) == {}
    assert SchemaTree({"additionalProperties": False}).at(FieldPath.of("a")) is None
    assert SchemaTree({"items": WANTED}).at(FieldPath.of(ElementName("name", "a"))) == WANTED


def test_value_refused_by_only_one_engine_is_a_finding() -> None:
    class Lenient(KindSchema):
        def violations_by_jsonschema(self, *_: object) -> Iterator[Violation]:
            return iter(())

    schema = Lenient({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]})
    [found] = schema.violations({"c": 1})
    assert (found.field, found.keyword) == (ROOT, "")
    assert schema.violations({"a": 1}) == []


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        ({"$ref": "other.json"}, "refers to another file"),
        ({"properties": {"a": {"$dynamicRef": "http://example.com#a"}}}, "refers to another file"),
        ({"$ref": "#"}, "refers to itself"),
        ({"properties": {"a": {"items": {"$ref": "#/properties/a"}}}}, "refers to itself"),
        ({"$ref": "#/$defs/none"}, "refers to nothing"),
        ({"pattern": "(a"}, "regex"),
        ({"pattern": "(?<=a)b"}, "regex"),
        ({"pattern": "(a{1000}){1000}"}, "regex"),
        ({"type": "none"}, "none"),
    ],
)
def test_unusable_schema_has_a_reason(schema: JsonObject, problem: str) -> None:
    (found,) = judged(THING, schemas(**{"example.com__v1__thing.json": schema}))
    assert found.code is Code.SCHEMA_INVALID
    assert problem in found.message
    assert [site.path for site in found.sites] == ["schemas/example.com/v1/thing.json"]


def test_exponential_schema_is_refused() -> None:
    definitions: JsonObject = {
        f"d{n}": {"anyOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]} for n in range(60)
    }
    with pytest.raises(UnboundedError, match=str(MOST_STEPS)):
        check_bounded({"$ref": "#/$defs/d0", "$defs": {**definitions, "d60": {"const": 1}}})


def test_reference_in_schema_data_is_ignored() -> None:
    check_bounded(
        {"const": {"$ref": "http://example.com"}, "default": {"$ref": "#"}, "properties": {"$ref": {}}}
    )


def test_pattern_is_matched_in_linear_time() -> None:
    schema = ProjectSchema({"properties": {"a": {"pattern": "^(a+)+$"}}})
    start = time.process_time()
    (violation,) = schema.violations({"a": "a" * 5000 + "!"})
    assert violation.keyword == "pattern"
    assert time.process_time() - start < 10


def test_text_that_the_engine_rejects_is_a_finding() -> None:
    project = schemas(**{"example.com__v1__thing.json": {"properties": {"spec": {"enum": ["a"]}}}})
    (found,) = judged({**THING, "spec": "\ud800"}, project)
    assert found.message == "the object has text or keys that a schema cannot check"


@pytest.mark.parametrize(
    "draft", ["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema"]
)
def test_older_drafts_are_supported(draft: str) -> None:
    schema = ProjectSchema({"$schema": draft, "properties": {"a": {"items": [{"type": "string"}]}}})
    assert schema.is_valid({"a": ["x", 1]})
    assert not schema.is_valid({"a": [1]})


def test_no_schema_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("renderer.checks.schemas.project_schema.check_bounded", lambda _: Extent())
    with pytest.raises(UnusableSchemaError, match="not in the file"):
        ProjectSchema({"$ref": "http://127.0.0.1:1/schema.json"})


def test_definition_gives_the_findings_of_the_api_server() -> None:
    structural: JsonObject = {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "port": {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}]},
                    "names": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                    "none": {"type": "string", "nullable": True, "enum": ["a"]},
                    "share": {"type": "number", "maximum": 1, "exclusiveMaximum": True},
                    "one": {
                        "type": "object",
                        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
                        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                    },
                },
            }
        },
    }
    schema = ProjectSchema(version_schemas(crd(structural))["v1"])

    def is_valid(**spec: Json) -> bool:
        return schema.is_valid({**THING, "spec": spec})

    assert is_valid(
        port=80, names=["a", "b"], any={"x": 1}, labels={"a": "b"}, none=None, share=0.5, one={"a": "1"}
    )
    assert is_valid(port="http")
    assert not is_valid(port=1.5)
    assert not is_valid(names=["a", "a"])
    assert not is_valid(labels={"a": 1})
    assert not is_valid(none="b")
    assert not is_valid(share=1)
    assert not is_valid(one={"a": "1", "b": "2"})
    assert not is_valid(unknown=1)
    assert not schema.is_valid({**THING, "metadata": {"name": "Not A Name"}, "spec": {}})


def test_versions_of_a_definition_are_distinguished() -> None:
    project = schemas(
        **{"thing.yaml": crd({"type": "object"}), "old.yaml": {"kind": "CustomResourceDefinition"}}
    )
    assert ProjectSchemaFiles(project).kinds == ((Gvk("example.com", "v1", "Thing"), "schemas/thing.yaml"),)
    (found,) = judged({**THING, "apiVersion": "example.com/v2"}, project)
    assert (found.code, found.hint) == (Code.SCHEMA_MISSING, "schemas/thing.yaml defines v1")
    assert version_schemas(crd({"type": "object"}, served=False)) == {}


def test_malformed_file_is_reported_only_if_its_group_is_used() -> None:
    project = ProjectSchemas(
        {}, {"schemas/a.yaml": ("a.yaml", b"kind: CustomResourceDefinition\ngroup: example.com\nx: [")}
    )
    assert judged({**THING, "apiVersion": "other.com/v1"}, project) == ()
    with pytest.raises(DiagnosticError):
        ProjectSchemaFiles(project).find(Gvk("example.com", "v1", "Thing"))
