"""Findings of any text, in every format."""

from __future__ import annotations

from renderer.report.report import Report
from tests.fuzz.target import Target, holds
from tests.properties.test_reports import (
    reports,
    test_reports_are_documents_of_their_format_and_no_workflow_commands,
)


def _check(report: Report) -> None:
    holds(test_reports_are_documents_of_their_format_and_no_workflow_commands, report)


TARGET = Target(reports(), _check)
