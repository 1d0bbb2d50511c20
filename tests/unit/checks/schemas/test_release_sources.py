"""The schemas of a release are the same for any form of its definitions."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from renderer.checks.schemas.kind_schema import ELEMENT, KEY, SchemaTree
from renderer.checks.schemas.kubevirt_kinds import KINDS, KubevirtKind
from renderer.checks.schemas.release_sources import release_schemas
from renderer.checks.schemas.schema_import import UnlikeKubevirtError, import_release, import_schema
from renderer.files.bundled import data_folder
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import LATEST, Release

SHARED = Path(__file__).parents[5] / "shared" / "kubevirt-crds"
FOLDERS = sorted(SHARED.glob("v*"))
#: A clone of KubeVirt with its tags.
KUBEVIRT = os.environ.get("KUBEVIRT_SOURCE", "")
STRUCTURAL: JsonObject = {
    "type": "object",
    "properties": {
        "metadata": {"type": "object"},
        "spec": {"type": "object", "properties": {"a": {"type": "string"}}},
    },
}


def definition(kind: KubevirtKind, structural: JsonObject) -> JsonObject:
    versions: Json = [
        {"name": "v0", "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v1", "storage": True, "schema": {"openAPIV3Schema": structural}},
    ]
    spec: JsonObject = {"group": kind.group, "names": {"kind": kind.name}, "versions": versions}
    return {"kind": "CustomResourceDefinition", "spec": spec}


@pytest.mark.parametrize(
    "documents",
    [
        [("bundle.yaml", definition(kind, STRUCTURAL)) for kind in KINDS],
        [("all.json", {"kind": "List", "items": [definition(kind, STRUCTURAL) for kind in KINDS]})],
        [(kind.file_name, STRUCTURAL) for kind in KINDS],
        [("operator.yaml", {"kind": "Deployment"}), *((kind.file_name, STRUCTURAL) for kind in KINDS)],
    ],
)
def test_definitions_are_found_in_any_form(documents: list[tuple[str, Json]]) -> None:
    assert release_schemas(documents, LATEST) == {kind.name: STRUCTURAL for kind in KINDS}


def test_definition_is_preferred_to_an_openapi_document() -> None:
    (kind,) = (kind for kind in KINDS if kind.name == "KubeVirt")
    openapi = {"definitions": {"v1.KubeVirt": {"type": "object"}, "v1.VirtualMachine": {"type": "object"}}}
    found = release_schemas([("crd.yaml", definition(kind, STRUCTURAL)), ("swagger.json", openapi)], LATEST)
    assert found["KubeVirt"] == STRUCTURAL
    assert sorted(found) == ["KubeVirt", "VirtualMachine"]


def test_the_types_of_an_openapi_document_are_spelled_out() -> None:
    def field(name: str) -> JsonObject:
        return {"$ref": f"#/definitions/{name}"}

    properties: JsonObject = {
        "memory": field("k8s.io.apimachinery.pkg.api.resource.Quantity"),
        "port": {"type": ["string", "number"]},
        "at": field("k8s.io.apimachinery.pkg.apis.meta.v1.Time"),
        "since": {"type": ["string", "null"]},
        "inner": field("v1.Inner"),
    }
    openapi: JsonObject = {
        "definitions": {
            "v1.VirtualMachine": {"properties": {"metadata": {}, "spec": {"properties": properties}}},
            "v1.Inner": {"properties": {"again": field("v1.Inner")}},
        }
    }
    found = release_schemas([("swagger.json", openapi)], LATEST)["VirtualMachine"]
    spec = object_at(found, "properties", "spec", "properties")
    assert object_at(spec, "memory")["x-kubernetes-int-or-string"] is True
    assert spec["port"] == {"x-kubernetes-int-or-string": True}
    assert spec["at"] == {"type": "string", "format": "date-time"}
    assert spec["since"] == {"type": "string", "nullable": True}
    assert object_at(spec, "inner", "properties", "again")["x-kubernetes-preserve-unknown-fields"] is True


@pytest.mark.parametrize(
    "structural",
    [
        {},
        {"type": "object"},
        {"type": "integer"},
        {"type": "object", "properties": {"spec": {}}},
        {"type": "object", "properties": {"spec": {"type": "mapping"}}},
    ],
)
def test_foreign_definition_is_refused(structural: JsonObject) -> None:
    with pytest.raises(UnlikeKubevirtError):
        import_schema(structural, KINDS[0], LATEST)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_shipped_schemas_match_an_import(folder: Path) -> None:
    release = Release.parse(folder.name)
    documents = [(path.name, json.loads(path.read_bytes())) for path in folder.glob("*.json")]
    schemas = release_schemas(documents, release)
    assert schemas.keys() == {kind.name for kind in KINDS}
    for path, text in import_release(schemas, release).items():
        assert (data_folder("schemas") / path).read_text() == text


@pytest.mark.skipif(not KUBEVIRT, reason="KUBEVIRT_SOURCE is not set")
@pytest.mark.parametrize("tag", ["v1.5.3", "v1.9.0"])
def test_openapi_document_has_the_fields_of_the_definitions(tag: str) -> None:
    release = Release.parse(tag)
    command = ["git", "-C", KUBEVIRT, "show", f"{tag}:api/openapi-spec/swagger.json"]
    content = subprocess.run(command, capture_output=True, check=True).stdout
    made = import_release(release_schemas([("swagger.json", json.loads(content))], release), release)
    for path, text in made.items():
        shipped = json.loads((data_folder("schemas") / path).read_bytes())
        assert places(json.loads(text)) == places(shipped), path


def places(schema: JsonObject) -> set[tuple[str, ...]]:
    tree = SchemaTree(schema)
    names = {ELEMENT, KEY} | property_names(schema)
    return {place for name in names for place in tree.places(name)}


def property_names(value: Json) -> set[str]:
    """Return the names of all fields that a schema or a part of it describes."""
    if isinstance(value, list):
        return set().union(*map(property_names, value))
    if not isinstance(value, dict):
        return set()
    return set(object_at(value, "properties")).union(*map(property_names, value.values()))
