"""The level that a finding is reported at: the settings of a project, then ``--strict``.

A stage gives a finding the severity that it has by itself. Nothing else changes it.
"""

from __future__ import annotations

from renderer.model.codes import RULE_CODES
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.rule_settings import Level, RuleSettings


def levelled(findings: tuple[Diagnostic, ...], settings: RuleSettings) -> tuple[Diagnostic, ...]:
    """Return the findings at the levels that a project or overlay sets, without those that are off.

    A rule has the level that is set for it. Any other code is set for warnings: an error stays one.
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
    """Return the severity under ``--strict``, which makes errors of warnings."""
    return Severity.ERROR if severity is Severity.WARNING else severity
