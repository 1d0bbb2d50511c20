"""Findings as annotations of GitHub Actions: workflow commands in the log of a step.

https://docs.github.com/actions/reference/workflow-commands-for-github-actions
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.findings.located import Located
from renderer.model.diagnostic import Severity
from renderer.model.log_line import log_line
from renderer.report import text
from renderer.report.paths import is_in_repository
from renderer.report.plain_text import printable
from renderer.report.report import Report

#: The number of each kind that GitHub shows for a step; it silently drops the others.
MOST = 10
_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}


def write(report: Report) -> str:
    """Return ten annotations of each kind; the last says how many follow, as plain text."""
    return "".join(
        f"{line}\n"
        for severity in Severity
        for line in _of_kind(severity, [f for f in report.findings if f.severity is severity])
    )


def _of_kind(severity: Severity, findings: Sequence[Located]) -> Iterator[str]:
    shown = findings if len(findings) <= MOST else findings[: MOST - 1]
    yield from map(_annotation, shown)
    others = findings[len(shown) :]
    if others:
        yield f"::{_KINDS[severity]} title=vmrender::{len(others)} more in the log of this step"
        yield from (line for finding in others for line in map(log_line, text.block(finding).splitlines()))


def _annotation(finding: Located) -> str:
    location = finding.location
    properties: dict[str, object] = {}
    message = finding.message
    if location and is_in_repository(location.path):
        properties = {"file": location.path, "line": location.line or 1}
        if location.column:
            properties["col"] = location.column
            if location.end_column > location.column:
                properties["endColumn"] = location.end_column
    elif location:
        message = f"{location}: {message}"
    properties["title"] = f"{finding.code}: {finding.resource}" if finding.resource else finding.code
    written = ",".join(
        f"{key}={_escape_property(log_line(printable(str(value))))}" for key, value in properties.items()
    )
    related = (f"{r.location}: {r.message}" if r.location else r.message for r in finding.related)
    hint = (f"hint: {finding.hint}",) if finding.hint else ()
    text_lines = "\n".join(log_line(printable(line)) for line in (message, *related, *hint))
    return f"::{_KINDS[finding.severity]} {written}::{_escape_data(text_lines)}"


def _escape_data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(value: str) -> str:
    return _escape_data(value).replace(":", "%3A").replace(",", "%2C")
