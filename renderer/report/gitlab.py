"""Findings as a GitLab Code Quality report.

https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format
"""

from __future__ import annotations

import json

from renderer.findings.located import Located
from renderer.model.codes import UNREADABLE
from renderer.model.diagnostic import Severity
from renderer.model.kube.json import Json
from renderer.report.fingerprint import fingerprints
from renderer.report.plain_text import printable
from renderer.report.report import Report

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}
#: The severity of findings that stop the rest of the work.
_UNREADABLE_SEVERITY = "critical"


def write(report: Report) -> str:
    """Return a list of entries; GitLab shows one entry per fingerprint, so fingerprints are unique."""
    entries = [
        _entry(finding, fingerprint, report)
        for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
    ]
    return json.dumps(entries, indent=2) + "\n"


def _entry(finding: Located, fingerprint: str, report: Report) -> Json:
    location = finding.location or report.nowhere
    description = f"{finding.message} ({finding.hint})" if finding.hint else finding.message
    stops_work = finding.severity is Severity.ERROR and finding.code in UNREADABLE
    return {
        "description": printable(description),
        "check_name": finding.code,
        "fingerprint": fingerprint,
        "severity": _UNREADABLE_SEVERITY if stops_work else _SEVERITIES[finding.severity],
        "location": {"path": location.path, "lines": {"begin": location.line or 1}},
    }
