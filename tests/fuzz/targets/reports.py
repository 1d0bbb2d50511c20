"""Findings of any text, in every format."""

from __future__ import annotations

from renderer.report.report import Report
from tests.fuzz.target import Target, check_property
from tests.properties.test_reports import (
    reports,
    test_input_cannot_inject_workflow_commands,
    test_reports_are_valid_in_their_format,
)

_PROPERTIES = (test_reports_are_valid_in_their_format, test_input_cannot_inject_workflow_commands)


def _check(report: Report) -> None:
    for property_test in _PROPERTIES:
        check_property(property_test, report)


TARGET = Target(reports(), _check)
