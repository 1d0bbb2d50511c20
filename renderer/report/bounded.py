"""As many findings as anybody reads, or a service takes."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.limits import limits, way_out


def bounded(findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """The first of them, errors before others where not all are kept, and how many more there are."""
    most = limits().findings
    if len(findings) <= most:
        return findings
    kept = sorted(range(len(findings)), key=lambda index: findings[index].severity is not Severity.ERROR)[
        :most
    ]
    more = Diagnostic(
        code=Code.BUILD_LIMIT,
        severity=Severity.INFO,
        message=f"{len(findings) - most} more findings are not shown",
        hint=way_out("findings"),
    )
    return (*(findings[index] for index in sorted(kept)), more)
