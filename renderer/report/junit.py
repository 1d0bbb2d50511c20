"""Findings as a JUnit report: a suite for each overlay, a test case for each finding.

JUnit has no schema of its own; these are the elements that Jenkins, GitLab and GitHub's actions read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.findings.located import Located
from renderer.model.diagnostic import Severity
from renderer.report import text
from renderer.report.plain_text import printable
from renderer.report.report import Report

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
#: The suite for findings that belong to no overlay, such as errors in the project file.
_PROJECT = "vmrender"


def write(report: Report) -> str:
    """Return the report: an error fails its case, other findings are its output."""
    suites = [
        _suite(overlay, [finding for finding in report.findings if overlay in finding.overlays])
        for overlay in report.overlays
    ]
    others = [finding for finding in report.findings if not set(finding.overlays) & set(report.overlays)]
    if others or not suites:
        suites.append(_suite(_PROJECT, others))
    lines = (line for suite in suites for line in suite)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<testsuites name="vmrender">',
            *lines,
            "</testsuites>",
            "",
        ]
    )


def _suite(name: str, findings: Sequence[Located]) -> list[str]:
    passed = not findings and name != _PROJECT
    failures = sum(finding.severity is Severity.ERROR for finding in findings)
    counts = _attributes(
        name=name, tests=str(len(findings) + passed), failures=str(failures), errors="0", skipped="0"
    )
    cases = [line for finding in findings for line in _case(finding, name)]
    if passed:
        cases = [f"    <testcase {_attributes(classname=name, name='no findings')}/>"]
    return [f"  <testsuite {counts}>", *cases, "  </testsuite>"]


def _case(finding: Located, suite: str) -> Iterator[str]:
    about = " ".join(str(part) for part in (finding.resource, finding.field) if part)
    name = f"{finding.code}: {about or finding.message}"
    place = {"file": finding.location.path, "line": str(finding.location.line)} if finding.location else {}
    yield f"    <testcase {_attributes(classname=suite, name=name, **place)}>"
    block = _escaped(text.block(finding)).rstrip("\n")
    if finding.severity is Severity.ERROR:
        failure = _attributes(type=finding.code, message=finding.message)
        yield f"      <failure {failure}>{block}</failure>"
    else:
        yield f"      <system-out>{block}</system-out>"
    yield "    </testcase>"


def _attributes(**values: str) -> str:
    return " ".join(f'{key}="{_escaped(printable(value))}"' for key, value in values.items())


def _escaped(value: str) -> str:
    """Return the value escaped for XML; characters that XML cannot represent were already made printable."""
    return "".join(_ENTITIES.get(character, character) for character in value)
