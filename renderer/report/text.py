"""Diagnostics as lines that people, editors and ``grep`` read."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.diagnostic import Diagnostic, Severity


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """``path:line:column: error[code]: message`` for each finding; its other sides and its hint below it."""
    return "".join(f"{_printable(line)}\n" for diagnostic in diagnostics for line in _lines(diagnostic))


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """``2 errors, 1 warning``; empty when there is nothing to count."""
    severities = [diagnostic.severity for diagnostic in diagnostics]
    counts = ((severity, severities.count(severity)) for severity in Severity)
    return ", ".join(f"{count} {severity}{'s' if count > 1 else ''}" for severity, count in counts if count)


def _printable(line: str) -> str:
    """The line with control characters escaped: input may not move a cursor or begin a line of a CI log."""
    return line if line.isprintable() else "".join(map(_escaped, line))


def _escaped(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode()


def _lines(diagnostic: Diagnostic) -> Iterable[str]:
    place = f"{diagnostic.location}: " if diagnostic.location else ""
    yield f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"
    for related in diagnostic.related:
        yield f"  {related.location}: {related.message}" if related.location else f"  {related.message}"
    if diagnostic.hint:
        yield f"  hint: {diagnostic.hint}"
