from __future__ import annotations

from xml.etree import ElementTree as ET

from renderer.report.junit import write
from renderer.report.report import Report


def suites_of(report: Report) -> dict[str, ET.Element]:
    root = ET.fromstring(write(report))  # noqa: S314 - it is ours
    return {suite.attrib["name"]: suite for suite in root}


def test_each_overlay_is_a_suite_and_other_findings_are_in_another(report: Report) -> None:
    suites = suites_of(report)
    counts = {name: (suite.attrib["tests"], suite.attrib["failures"]) for name, suite in suites.items()}
    assert counts == {"overlays/dev": ("1", "0"), "overlays/prod": ("1", "1"), "vmrender": ("3", "1")}


def test_an_overlay_without_findings_has_passed(report: Report) -> None:
    [case] = suites_of(report)["overlays/dev"]
    assert case.attrib == {"classname": "overlays/dev", "name": "no findings"}
    assert list(case) == []


def test_an_error_is_a_failure_and_a_warning_is_output(report: Report) -> None:
    [case] = suites_of(report)["overlays/prod"]
    assert case.attrib == {
        "classname": "overlays/prod",
        "name": "conflict: VirtualMachine prod/db spec.cores",
        "file": "overlays/prod/my db.yaml",
        "line": "23",
    }
    [failure] = case
    assert failure.attrib == {"type": "conflict", "message": "cores is set by instance type u1.medium"}
    assert (failure.text or "").endswith("hint: drop it")
    elements = [[child.tag for child in case] for case in suites_of(report)["vmrender"]]
    assert elements == [["failure"], ["system-out"], ["system-out"]]


def test_characters_invalid_in_xml_are_escaped(report: Report) -> None:
    hostile = suites_of(report)["vmrender"][0]
    assert hostile.attrib["name"] == 'yaml-syntax: a:b,c%d\\r\\n<&>"\\x1b\\x00\\ud800]]>'


def test_no_findings_give_an_empty_suite() -> None:
    suites = suites_of(Report(()))
    assert {name: len(suite) for name, suite in suites.items()} == {"vmrender": 0}


def test_finding_of_several_overlays_is_shown_once(report: Report) -> None:
    [shared] = [each for each in report.findings if each.overlays == ("overlays/prod",)]
    shared = shared._replace(overlays=("overlays/dev", "overlays/prod"))
    suites = suites_of(Report((shared,), overlays=("overlays/dev", "overlays/prod")))
    assert [suite.attrib["failures"] for suite in suites.values()] == ["1", "1"]
    [case] = suites["overlays/prod"]
    assert case.attrib == {"classname": "overlays/prod", "name": "findings shared with other overlays"}
    assert case[0].attrib["message"] == "1 error shared with other overlays: see the suite of overlays/dev"
