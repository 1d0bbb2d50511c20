"""The schemas of vmrender's own files accept what the readers accept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from renderer.authoring.sizes.series import generate
from renderer.files.bundled import data_folder
from renderer.files.file_system import MemoryFileSystem
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.project.project import load_project
from renderer.yamlio.decode import decode_documents

REPOSITORY = Path(__file__).parents[4]
CONFIG: JsonObject = {"apiVersion": "vmrender.io/v1alpha1", "kind": "RenderConfig"}
SERIES: JsonObject = {
    "apiVersion": "vmrender.io/v1alpha1",
    "kind": "InstancetypeSeries",
    "metadata": {"name": "db1"},
}


def schema(name: str) -> JsonObject:
    document: JsonObject = json.loads((data_folder("schemas") / "vmrender" / f"{name}.json").read_bytes())
    return document


CONFIG_SCHEMA, SERIES_SCHEMA = schema("renderconfig"), schema("instancetypeseries")


def fits(content: Json, by: JsonObject) -> bool:
    return Draft202012Validator(dict(by)).is_valid(content)


def read_config(content: JsonObject) -> tuple[Diagnostic, ...]:
    try:
        load_project(MemoryFileSystem({"vmrender.yaml": json.dumps(content).encode()}))
    except DiagnosticError as error:
        return error.diagnostics
    return ()


def read_series(content: JsonObject) -> tuple[Diagnostic, ...]:
    try:
        generate(content, Site("series.yaml"))
    except DiagnosticError as error:
        return error.diagnostics
    return ()


@pytest.mark.parametrize("name", ["renderconfig", "instancetypeseries"])
def test_own_schemas_are_valid_schemas(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))


def test_project_file_of_this_repository_is_valid() -> None:
    (content,) = decode_documents((REPOSITORY / "vmrender.yaml").read_bytes(), "vmrender.yaml")
    assert fits(content, CONFIG_SCHEMA)


def test_series_of_the_catalog_are_valid() -> None:
    paths = sorted(data_folder("catalog").rglob("instancetypes/*.yaml"))
    documents = [document for path in paths for document in decode_documents(path.read_bytes(), path.name)]
    series = [document for document in documents if object_at(document).get("kind") == "InstancetypeSeries"]
    assert series
    assert all(fits(document, SERIES_SCHEMA) for document in series)


CONFIGS: list[tuple[JsonObject, bool]] = [
    ({}, True),
    ({"kubevirt": "1.9", "output": "out/{name}", "expand": "off", "layout": "bundle"}, True),
    ({"kubevirt": "v1.9.0", "expand": False, "writeInstancetypes": False}, True),
    ({"catalogs": [{"path": "catalog"}, {"builtin": "common-instancetypes"}]}, True),
    ({"rules": {"run-strategy": "error", "size-label": "off", "name-too-long": False}}, True),
    ({"rules": {"secret-not-found": {"level": "info", "strict": True}}}, True),
    ({"overlays": [{"path": "prod", "rules": {"network-not-found": {"strict": True}}}]}, True),
    ({"rules": {"run-strategie": "error"}}, False),
    ({"rules": {"conflict": "off"}}, False),
    ({"rules": {"size-label": {"strict": True}}}, False),
    ({"rules": {"run-strategy": "loud"}}, False),
    ({"rules": ["run-strategy"]}, False),
    ({"overlays": [{"path": "overlays/*", "kubevirt": "1.5", "expand": "defaults"}]}, True),
    ({"kubevirt": 1.9}, False),
    ({"kubevirt": "latest"}, False),
    ({"expand": "always"}, False),
    ({"layout": "tree"}, False),
    ({"output": "out/{path}"}, False),
    ({"catalogs": [{}]}, False),
    ({"catalogs": [{"path": "a", "builtin": "common-instancetypes"}]}, False),
    ({"catalogs": [{"builtin": "other"}]}, False),
    ({"catalogs": {"path": "a"}}, False),
    ({"overlays": [{"output": "x"}]}, False),
    ({"overlays": [{"path": "x", "catalogs": []}]}, False),
    ({"writeInstancetypes": "yes"}, False),
    ({"kubeVirt": "1.9"}, False),
    ({"kind": "Config"}, False),
    ({"exclude": ["tests", "**/testdata", "./a/*.yaml", "..a"]}, True),
    ({"exclude": None}, True),
    *(({"exclude": [wrong]}, False) for wrong in ("", ".", "..", "../a", "/a", 1)),
    ({"exclude": "tests"}, False),
]


@pytest.mark.parametrize(("fields", "right"), CONFIGS)
def test_project_file_reader_and_schema_agree(fields: JsonObject, *, right: bool) -> None:
    content = {**CONFIG, **fields}
    assert fits(content, CONFIG_SCHEMA) is right
    assert (read_config(content) == ()) is right


SPECS: list[tuple[JsonObject, bool]] = [
    ({"sizes": [{"name": "small", "vcpus": 1, "memory": "1Gi"}]}, True),
    ({"sizes": [{"name": "small", "vcpus": 1}], "memoryPerVCPU": "4Gi"}, True),
    (
        {
            "scopes": ["Cluster", "Namespaced"],
            "namePattern": "{series}-{size}",
            "template": {"metadata": {"labels": {"a": "b"}, "annotations": {"c": "d"}}, "spec": {}},
            "hugepages": [{"pageSize": "2Mi"}, {"pageSize": "1Gi", "suffix": "1gi"}],
            "maxSocketsPerVCPU": 2,
            "sizes": [{"name": "small", "vcpus": 1, "memory": "1Gi", "maxSockets": 4}],
        },
        True,
    ),
    ({"sizes": [{"name": "c", "vcpus": "custom", "memory": "custom", "maxSockets": 4}]}, True),
    ({"sizes": [{"name": "c", "vcpus": "custom", "memory": "1Gi"}]}, True),
    ({"sizes": [{"name": "c", "vcpus": 2, "memory": "custom"}], "memoryPerVCPU": "4Gi"}, True),
    ({"sizes": [{"name": "c", "vcpus": "custom"}], "memoryPerVCPU": "4Gi"}, False),
    ({"sizes": [{"name": "c", "memory": "custom"}], "memoryPerVCPU": "4Gi"}, False),
    ({"sizes": [{"name": "c", "vcpus": "Custom", "memory": "custom"}]}, False),
    ({}, False),
    ({"sizes": []}, False),
    ({"sizes": [{"vcpus": 1, "memory": "1Gi"}]}, False),
    ({"sizes": [{"name": "Small", "vcpus": 1, "memory": "1Gi"}]}, False),
    ({"sizes": [{"name": "small", "vcpus": 0, "memory": "1Gi"}]}, False),
    ({"sizes": [{"name": "small", "vcpus": "1", "memory": "1Gi"}]}, False),
    ({"sizes": [{"name": "small", "vcpus": 1, "memory": "1GiB"}]}, False),
    ({"sizes": [{"name": "small", "cpus": 1, "vcpus": 1, "memory": "1Gi"}]}, False),
    ({"sizes": [{"name": "small"}], "memoryPerVCPU": "1Gi"}, False),
    ({"sizes": [{"name": "s", "vcpus": 1, "memory": "1Gi"}], "scopes": ["cluster"]}, False),
    ({"sizes": [{"name": "s", "vcpus": 1, "memory": "1Gi"}], "scopes": []}, False),
    ({"sizes": [{"name": "s", "vcpus": 1, "memory": "1Gi"}], "namePattern": "{series}"}, False),
    ({"sizes": [{"name": "s", "vcpus": 1, "memory": "1Gi"}], "hugepages": [{"suffix": "a"}]}, False),
    ({"sizes": [{"name": "s", "vcpus": 1, "memory": "1Gi"}], "template": {"labels": {}}}, False),
]


@pytest.mark.parametrize(("spec", "right"), SPECS)
def test_series_reader_and_schema_agree(spec: JsonObject, *, right: bool) -> None:
    content = {**SERIES, "spec": spec}
    assert fits(content, SERIES_SCHEMA) is right
    assert (read_series(content) == ()) is right
