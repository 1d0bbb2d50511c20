"""Findings as a JUnit report: a suite for each overlay, a test case for each finding.

JUnit has no schema of its own; these are the elements that Jenkins, GitLab and GitHub's actions read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from renderer.findings.located import Located
from renderer.model.diagnostic import Severity
from renderer.model.plural import listed
from renderer.report import text
from renderer.report.plain_text import printable
from renderer.report.report import Report

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
#: The suite for findings that belong to no overlay, such as errors in the project file.
_PROJECT = "vmrender"
#: The suite that shows a finding of several overlays, and the level of the finding.
_Elsewhere: TypeAlias = tuple[str, Severity]


def write(report: Report) -> str:
    """Return the report: an error fails its case, other findings are its output.

    A finding of several overlays, of a base for instance, is in the suite of the first; the suites of the
    others count it.
    """
    suites: dict[str, list[Located]] = {overlay: [] for overlay in report.overlays}
    elsewhere: dict[str, list[_Elsewhere]] = {overlay: [] for overlay in report.overlays}
    others: list[Located] = []
    for finding in report.findings:
        first, *rest = [each for each in finding.overlays if each in suites] or [_PROJECT]
        suites.get(first, others).append(finding)
        for overlay in rest:
            elsewhere[overlay].append((first, finding.severity))
    lines = [line for name, found in suites.items() for line in _suite(name, found, elsewhere[name])]
    if others or not suites:
        lines += _suite(_PROJECT, others)
    return "\n".join(
        [
            '<?xml version="1.0" encoding="UTF-8"?>',
            '<testsuites name="vmrender">',
            *lines,
            "</testsuites>",
            "",
        ]
    )


def _suite(name: str, findings: Sequence[Located], elsewhere: Sequence[_Elsewhere] = ()) -> list[str]:
    """Return a suite; ``elsewhere`` are its findings that are in other suites."""
    cases = [line for finding in findings for line in _case(finding, name)]
    failures = sum(finding.severity is Severity.ERROR for finding in findings)
    number = len(findings)
    if elsewhere:
        number += 1
        failures += any(severity is Severity.ERROR for _, severity in elsewhere)
        cases += _shared_case(name, elsewhere)
    elif not findings and name != _PROJECT:
        number = 1
        cases = [f"    <testcase {_attributes(classname=name, name='no findings')}/>"]
    counts = _attributes(name=name, tests=str(number), failures=str(failures), errors="0", skipped="0")
    return [f"  <testsuite {counts}>", *cases, "  </testsuite>"]


def _shared_case(suite: str, elsewhere: Sequence[_Elsewhere]) -> Iterator[str]:
    severities = [severity for _, severity in elsewhere]
    suites = listed([*dict.fromkeys(first for first, _ in elsewhere)])
    message = f"{text.counted(severities)} shared with other overlays: see the suite of {suites}"
    yield f"    <testcase {_attributes(classname=suite, name='findings shared with other overlays')}>"
    if Severity.ERROR in severities:
        yield f"      <failure {_attributes(type='shared', message=message)}/>"
    else:
        yield f"      <system-out>{_escaped(message)}</system-out>"
    yield "    </testcase>"


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
