from __future__ import annotations

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from renderer.report.json_document import write
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
    }
    assert (last["location"], last["resource"], last["field"], last["hint"]) == (None, None, None, None)
