from __future__ import annotations

import json

from renderer.model.kube.location import Location
from renderer.report.gitlab import write
from renderer.report.report import Report


def test_entry_has_the_fields_required_by_gitlab(report: Report) -> None:
    first = json.loads(write(report))[0]
    assert first.pop("fingerprint")
    assert first == {
        "description": "cores is set by instance type u1.medium (drop it)",
        "check_name": "conflict",
        "severity": "major",
        "location": {"path": "overlays/prod/my db.yaml", "lines": {"begin": 23}},
    }


def test_fingerprints_are_unique(report: Report) -> None:
    twice = Report((*report.findings, *report.findings))
    fingerprints = [entry["fingerprint"] for entry in json.loads(write(twice))]
    assert len(set(fingerprints)) == len(fingerprints) == 8


def test_severities_match_gitlab(report: Report) -> None:
    assert [entry["severity"] for entry in json.loads(write(report))] == [
        "major",
        "critical",
        "minor",
        "info",
    ]


def test_finding_without_a_location_is_reported_at_the_project_file(report: Report) -> None:
    assert json.loads(write(report))[-1]["location"]["path"] == "vmrender.yaml"
    assert (
        json.loads(write(report._replace(nowhere=Location("sub/vmrender.yaml"))))[-1]["location"]["path"]
        == "sub/vmrender.yaml"
    )


def test_no_findings_are_an_empty_list() -> None:
    assert write(Report(())) == "[]\n"
