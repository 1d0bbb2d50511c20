"""For any input, a report is valid in its format and contains no control characters."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from renderer.findings.located import Located, LocatedFix, LocatedRelated
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.field_edit import RenameField, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Location
from renderer.report.formats import Format
from renderer.report.report import Report
from tests.properties.examples import examples

texts = st.text(st.characters(exclude_categories=()), max_size=8) | st.sampled_from(
    ["::error::x", "]]>", "%0A", "\x1b[2J"]
)
locations = st.none() | st.builds(Location, texts, st.integers(0, 10**6), st.integers(0, 10**6))
related = st.lists(st.builds(LocatedRelated, texts, location=locations), max_size=2).map(tuple)
paths = st.builds(FieldPath, st.lists(texts | st.integers(0, 9), max_size=2).map(tuple))
fixes = st.builds(
    LocatedFix,
    path=texts,
    document=st.integers(0, 9),
    inline=paths,
    edits=st.tuples(st.builds(SetField, paths, texts) | st.builds(RenameField, paths, texts)),
    old=st.none() | texts,
)
findings = st.builds(
    Located,
    code=st.sampled_from([*Code]),
    message=texts,
    severity=st.sampled_from([*Severity]),
    location=locations,
    hint=st.none() | texts,
    related=related,
    overlays=st.lists(texts, max_size=2).map(tuple),
    fix=st.none() | fixes,
)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    found = draw(st.lists(findings, max_size=3).map(tuple)) * draw(st.sampled_from([1, 5]))
    lines = {finding.location: draw(texts) for finding in found if finding.location}
    return Report(found, draw(st.lists(texts, max_size=2, unique=True).map(tuple)), lines)


@examples(0.4)  # with all kinds of texts, each takes 40 ms to make
@given(reports())
def test_reports_are_valid_in_their_format(report: Report) -> None:
    written = {report_format: report_format.write(report) for report_format in Format}
    for text in written.values():
        assert [c for c in text if not c.isprintable() and c != "\n"] == []
        assert text.encode("utf-8").decode("utf-8") == text
    assert len(json.loads(written[Format.JSON])["findings"]) == len(report.findings)
    assert len(json.loads(written[Format.SARIF])["runs"][0]["results"]) == len(report.findings)
    assert len(json.loads(written[Format.GITLAB])) == len(report.findings)
    assert ET.fromstring(written[Format.JUNIT]).tag == "testsuites"  # noqa: S314 - it is ours


@examples(0.4)  # with all kinds of texts, each takes 40 ms to make
@given(reports())
def test_input_cannot_inject_workflow_commands(report: Report) -> None:
    text = Format.TEXT.write(report)
    assert [line for line in text.splitlines() if line.lstrip().startswith(("::", "##["))] == []
    for line in Format.GITHUB.write(report).splitlines():
        assert re.search(r"##\w*\[", line) is None
        assert not line.lstrip().startswith("::") or line.startswith(("::error ", "::warning ", "::notice "))
