"""The level that a finding is reported at: the settings of a project, then ``--strict``.

A stage gives a finding its own severity. Only this module changes it.
"""

from __future__ import annotations

from renderer.model.codes import RULE_CODES
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.rule_settings import Level, RuleSettings


def with_levels(findings: tuple[Diagnostic, ...], settings: RuleSettings) -> tuple[Diagnostic, ...]:
    """Return the findings at the levels that a project or overlay sets; leave out codes that are off.

    A rule gets the level that is set for it. For any other code, the level applies to warnings: an error
    stays an error.
    """
    levels = {each.code: each.level for each in settings.settings if each.level}
    if not levels or not findings:
        return findings
    reported: list[Diagnostic] = []
    for finding in findings:
        level = levels.get(finding.code)
        if level is None or (finding.severity is Severity.ERROR and finding.code not in RULE_CODES):
            reported.append(finding)
        elif level is not Level.OFF:
            reported.append(finding._replace(severity=Severity(level)))
    return tuple(reported)


def strict_level(severity: Severity) -> Severity:
    """Return the severity under ``--strict``, which turns warnings into errors."""
    return Severity.ERROR if severity is Severity.WARNING else severity
