from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from renderer.findings.located import LocatedFix
from renderer.model.field_edit import AddField, AddItem, Edit, RemoveField, RemoveItem, RenameField, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.report.json_document import fix_json, write
from renderer.report.report import Report

SCHEMA = json.loads((Path(__file__).parents[3] / "schemas/vmrender/report.json").read_text(encoding="utf-8"))


def test_document_matches_its_schema(report: Report) -> None:
    validator = Draft202012Validator(SCHEMA)
    for each in (report, Report(())):
        assert list(validator.iter_errors(json.loads(write(each)))) == []


def test_every_known_detail_is_in_the_document(report: Report) -> None:
    document = json.loads(write(report))
    assert document["summary"] == {"error": 2, "warning": 1, "info": 1}
    assert document["overlays"] == ["overlays/dev", "overlays/prod"]
    first, *_, last = document["findings"]
    fingerprint = first.pop("fingerprint")
    assert fingerprint
    assert first == {
        "code": "conflict",
        "severity": "error",
        "message": "cores is set by instance type u1.medium",
        "location": {"path": "overlays/prod/my db.yaml", "line": 23, "column": 15, "endColumn": 0},
        "resource": {
            "apiVersion": "kubevirt.io/v1",
            "kind": "VirtualMachine",
            "namespace": "prod",
            "name": "db",
        },
        "field": "spec.cores",
        "hint": "drop it",
        "related": [
            {
                "message": "spec.cpu.guest: 1",
                "location": {"path": "builtin:common/u1.yaml", "line": 41, "column": 3, "endColumn": 0},
            },
            {"message": "without a place", "location": None},
        ],
        "overlays": ["overlays/prod"],
        "fix": {
            "path": "overlays/prod/my db.yaml",
            "document": 0,
            "inline": None,
            "old": "4",
            "patch": [{"op": "remove", "path": "/spec/cores"}],
        },
        "otherObjects": 0,
    }
    assert [last[each] for each in ("location", "resource", "field", "hint", "fix")] == [None] * 5


SPEC = FieldPath.of("spec")


@pytest.mark.parametrize(
    ("edit", "operation"),
    [
        (SetField(SPEC.child("a/b"), 2), {"op": "replace", "path": "/spec/a~1b", "value": 2}),
        (
            RenameField(SPEC.child("memry"), "memory"),
            {"op": "move", "from": "/spec/memry", "path": "/spec/memory"},
        ),
        (AddField(SPEC, "cpu", {"cores": 1}), {"op": "add", "path": "/spec/cpu", "value": {"cores": 1}}),
        (RemoveField(SPEC.child("cpu")), {"op": "remove", "path": "/spec/cpu"}),
        (AddItem(SPEC, "x"), {"op": "add", "path": "/spec/-", "value": "x"}),
        (AddItem(SPEC, "x", 0), {"op": "add", "path": "/spec/0", "value": "x"}),
        (RemoveItem(SPEC.child(2)), {"op": "remove", "path": "/spec/2"}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_edits_are_a_json_patch(edit: Edit, operation: object) -> None:
    document = fix_json(LocatedFix("vm.yaml", 1, FieldPath.of("patches", 0, "patch"), (edit,)))
    assert document == {
        "path": "vm.yaml",
        "document": 1,
        "inline": "/patches/0/patch",
        "old": None,
        "patch": [operation],
    }
