"""The schema of ``kind: Template`` accepts what its reader accepts."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from renderer.authoring.templates.matrix import RESERVED_NAMES
from renderer.authoring.templates.template import read_template
from renderer.files.bundled import data_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.fields import Fields
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.source_tree import ListedFile

SCHEMA = json.loads((data_folder("schemas") / "vmrender" / "template.json").read_bytes())
FILES = {"t.j2": ListedFile("t.j2", b""), "v.yaml": ListedFile("v.yaml", b"[1]")}


def test_schema_is_valid_and_has_every_accepted_name() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$defs"]["name"]["not"]["enum"] == sorted(RESERVED_NAMES)


@pytest.mark.parametrize(
    ("spec", "right"),
    [
        ({}, True),
        ({"values": {"a": 1, "b": {"any-thing": []}}}, True),
        ({"valuesFrom": [{"file": "v.yaml", "name": "v"}], "matrix": {"a": {"from": "v"}}}, True),
        ({"matrix": {"a": [1, 2], "include": [{"b": 1}], "exclude": [{"a": 2}]}}, True),
        ({"matrix": {"include": [{"b": 1}]}}, True),
        ({"template": ""}, False),
        ({"template": 1}, False),
        ({"value": {}}, False),
        ({"values": []}, False),
        ({"values": {"a-b": 1}}, False),
        ({"values": {"loop": 1}}, False),
        ({"valuesFrom": {"file": "v.yaml"}}, False),
        ({"valuesFrom": [{"name": "v"}]}, False),
        ({"valuesFrom": [{"file": "v.yaml", "name": "self"}]}, False),
        ({"valuesFrom": [{"file": "v.yaml", "key": "a", "name": "a"}]}, False),
        ({"matrix": {}}, False),
        ({"matrix": {"a": []}}, False),
        ({"matrix": {"a": 1}}, False),
        ({"matrix": {"a b": [1]}}, False),
        ({"matrix": {"a": {"of": "v"}}}, False),
        ({"matrix": {"a": [1], "include": [{"range": 1}]}}, False),
        ({"matrix": {"a": [1], "exclude": [1]}}, False),
    ],
)
def test_reader_and_schema_agree(spec: dict[str, Json], *, right: bool) -> None:
    content: JsonObject = {
        "apiVersion": "vmrender.io/v1alpha1",
        "kind": "Template",
        "metadata": {"name": "web"},
        "spec": {"template": "t.j2", **spec},
    }
    findings: list[Diagnostic] = []
    read_template(Fields(content, Site("t.yaml"), findings, Code.TEMPLATE_INVALID), FILES, findings)

    assert (not findings) is right
    assert Draft202012Validator(SCHEMA).is_valid(content) is right
