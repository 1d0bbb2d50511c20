"""What the shell is told."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from renderer.model.codes import UNREADABLE
from renderer.model.diagnostic import Diagnostic, Severity


class ExitCode(IntEnum):
    CLEAN = 0
    FINDINGS = 1  # or differences
    UNREADABLE = 2  # or wrong usage
    BUG = 3  # of ours
    INTERRUPTED = 130


def exit_code_of(diagnostics: Iterable[Diagnostic]) -> ExitCode:
    """The worst that the errors among the diagnostics amount to."""
    codes = {diagnostic.code for diagnostic in diagnostics if diagnostic.severity is Severity.ERROR}
    if codes & UNREADABLE:
        return ExitCode.UNREADABLE
    return ExitCode.FINDINGS if codes else ExitCode.CLEAN
