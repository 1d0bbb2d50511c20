from __future__ import annotations

import json

from renderer.model.location import Location
from renderer.report.gitlab import write
from renderer.report.report import Report


def test_an_entry_has_what_gitlab_asks_for(report: Report) -> None:
    first = json.loads(write(report))[0]
    assert first.pop("fingerprint")
    assert first == {
        "description": "cores is set by instance type u1.medium (drop it)",
        "check_name": "conflict",
        "severity": "major",
        "location": {"path": "overlays/prod/my db.yaml", "lines": {"begin": 23}},
    }


def test_fingerprints_are_unique_as_gitlab_shows_one_of_those_that_are_not(report: Report) -> None:
    twice = Report((*report.findings, *report.findings))
    fingerprints = [entry["fingerprint"] for entry in json.loads(write(twice))]
    assert len(set(fingerprints)) == len(fingerprints) == 8


def test_severities_are_gitlab_s(report: Report) -> None:
    assert [entry["severity"] for entry in json.loads(write(report))] == [
        "major",
        "critical",
        "minor",
        "info",
    ]


def test_a_finding_without_a_place_is_one_of_the_project_file_in_its_folder(report: Report) -> None:
    assert json.loads(write(report))[-1]["location"]["path"] == "vmrender.yaml"
    assert (
        json.loads(write(report._replace(nowhere=Location("sub/vmrender.yaml"))))[-1]["location"]["path"]
        == "sub/vmrender.yaml"
    )


def test_no_findings_are_an_empty_list() -> None:
    assert write(Report(())) == "[]\n"
