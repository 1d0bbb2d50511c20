"""Properties of every format."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest

from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.kube.location import Location
from renderer.report.fingerprint import fingerprints
from renderer.report.formats import Format
from renderer.report.report import Report

JSON = (Format.JSON, Format.SARIF, Format.GITLAB)


@pytest.mark.parametrize("report_format", Format)
def test_every_format_has_a_writer_of_text_that_can_be_printed(report_format: Format, report: Report) -> None:
    written = report_format.write(report)
    assert written.endswith("\n")
    assert written.encode("utf-8")


@pytest.mark.parametrize("report_format", JSON)
def test_json_formats_are_json(report_format: Format, report: Report) -> None:
    assert json.loads(report_format.write(report))
    assert json.loads(report_format.write(Report(()))) is not None


def test_junit_is_xml(report: Report) -> None:
    for each in (report, Report(()), Report((), overlays=("overlays/prod",))):
        root = ET.fromstring(Format.JUNIT.write(each))  # noqa: S314 - it is ours
        assert root.tag == "testsuites"


def test_control_characters_except_line_ends_are_escaped(report: Report) -> None:
    for report_format in Format:
        written = report_format.write(report)
        assert [c for c in written if not c.isprintable() and c != "\n"] == [], report_format


def finding(**changes: object) -> Located:
    found = Located(code=Code.SCHEMA, message="m", location=Location("vm.yaml", 3, 1))
    return found._replace(**changes)  # type: ignore[arg-type]  # the fields of one test each


def test_fingerprints_stay_when_lines_move() -> None:
    [before] = fingerprints([finding(message="the key a is written twice, on lines 3 and 9")])
    moved = finding(message="the key a is written twice, on lines 13 and 19", location=Location("vm.yaml", 9))
    assert list(fingerprints([moved])) == [before]


def test_fingerprints_are_unique() -> None:
    found = [finding(), finding(), finding(message="n"), finding(location=Location("other.yaml"))]
    assert len(set(fingerprints(found))) == len(found)
