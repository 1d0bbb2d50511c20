"""Diagnostics as lines that people, editors and ``grep`` read."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from unicodedata import east_asian_width

from renderer.findings.located import Located
from renderer.findings.merged import without_own_name
from renderer.model.diagnostic import Severity
from renderer.model.kube.location import Location
from renderer.model.log_line import log_line
from renderer.model.plural import plural
from renderer.report.plain_text import printable
from renderer.report.report import Report

#: The maximum number of characters of a line to show; of a longer line, the part around the column.
_WIDTH = 100
_BEFORE = 60
_WORD = re.compile(r"""["']?[^\s:,\[\]{}"']+["']?|.""")
#: Styles the words of a line; gets a style's name and the words.
Paint = Callable[[str, str], str]
_STYLES = {"error": "1;31", "warning": "1;33", "info": "1;34", "bold": "1", "dim": "2", "hint": "36"}
#: The maximum number of places of findings that are similar to another one.
_MOST_PLACES = 10
#: The number of lines after which errors may have left a terminal, and of errors that are listed again then.
_SCREEN, _MOST_ERRORS = 24, 10


def excerpt(location: Location, line: str | None) -> Iterator[str]:
    """Yield the source line with its number and, if the column is known, a caret below it.

    ``line`` is None if it may be confidential; then a note replaces it.
    """
    number = f"{location.line:>5}"
    if line is None:
        yield f"{number} | (not shown, as it may be confidential)"
        return
    column = min(location.column - 1, len(line))
    start = max(0, column - _BEFORE) if len(line) > _WIDTH else 0
    window = line[start : start + _WIDTH]
    head, tail = "…" * (start > 0), "…" * (start + _WIDTH < len(line))
    yield f"{number} | {head}{printable(window)}{tail}".rstrip()
    if column >= 0 and line:
        indent = _spaces(head + printable(line[start:column]))
        marked = line[column : min(location.end_column - 1, start + _WIDTH)]
        if not location.end_column:
            word = _WORD.match(line[column : start + _WIDTH])
            marked = word[0] if word else ""
        yield f"{' ' * len(number)} | {indent}{'^' * len(_spaces(printable(marked or ' ')))}"


def _spaces(text: str) -> str:
    """Return spaces of the same width as the text on a terminal."""
    return "".join("  " if east_asian_width(character) in "WF" else " " for character in text)


def write(report: Report) -> str:
    """Return ``path:line:column: error[code]: message`` for each finding, and totals at the end.

    Below each are its source line, its related places, its hint, and the places of findings that differ only
    in the name of their object. A blank line separates files. If the findings fill more than a screen, and
    most are not errors, the errors among them are listed again at the end.
    """
    if not report.findings:
        return ""
    paint = _paint if report.colour else _no_paint
    alike = _grouped(report.findings)
    files = groupby(alike, lambda group: group[0].location and group[0].location.path)
    blocks = [
        "".join(block(group[0], report.lines, paint) + _other_places(group[1:]) for group in groups)
        for _, groups in files
    ]
    if sum(each.count("\n") + 1 for each in blocks) > _SCREEN:
        blocks += _errors_again(alike, paint)
    return "\n".join([*blocks, f"{summary(report.findings)}\n"])


def _errors_again(groups: Sequence[Sequence[Located]], paint: Paint) -> Iterator[str]:
    """Yield a block with a line for each error, if more than half of the findings are others."""
    errors = [group for group in groups if group[0].severity is Severity.ERROR]
    if not errors or 2 * len(errors) > len(groups):
        return
    lines = [paint("bold", "errors:")]
    for each, *others in errors[:_MOST_ERRORS]:
        place = f"{_place(each.location)}: " if each.location else ""
        more = f" (and {plural(len(others), 'more place')})" if others else ""
        lines.append(f"  {place}{paint(each.severity, each.code)}: {printable(each.message)}{more}")
    if len(errors) > _MOST_ERRORS:
        lines.append(f"  and {len(errors) - _MOST_ERRORS} more")
    yield "".join(f"{line}\n" for line in lines)


def quoted(findings: Iterable[Located]) -> list[Located]:
    """Return the findings whose source line is shown: the first of each group of similar ones."""
    return [group[0] for group in _grouped(findings)]


def block(
    diagnostic: Located, lines: Mapping[Location, str | None] | None = None, paint: Paint | None = None
) -> str:
    """Return the text of one finding with its related places, hint and source line."""
    return "".join(f"{line}\n" for line in _lines(diagnostic, lines or {}, paint or _no_paint))


def _grouped(findings: Iterable[Located]) -> list[list[Located]]:
    """Group findings that differ only in place and object name, in the order of their first findings."""
    groups: dict[Hashable, list[Located]] = {}
    for finding in findings:
        groups.setdefault(_grouping_key(finding), []).append(finding)
    return list(groups.values())


def _grouping_key(finding: Located) -> Hashable:
    related = tuple(each for each in finding.related if not each.is_row)
    return finding.code, finding.severity, *without_own_name(finding), related


def _other_places(findings: Sequence[Located]) -> str:
    """Return lines with the places of findings that are similar to an earlier one, at most the first few."""
    shown = findings if len(findings) <= _MOST_PLACES else findings[: _MOST_PLACES - 1]
    lines: list[str] = []
    for finding in shown:
        about = printable(str(finding.resource)) if finding.resource else ""
        place = about or "the project"
        if finding.location is not None:
            place = f"{_place(finding.location)} ({about})" if about else _place(finding.location)
        lines.append(f"  also: {place}")
    if len(shown) < len(findings):
        lines.append(f"  also: {len(findings) - len(shown)} more places; --format json has all of them")
    return "".join(f"{line}\n" for line in lines)


def summary(diagnostics: Iterable[Located]) -> str:
    """Return ``2 errors, 1 warning``; empty without findings."""
    return counted([diagnostic.severity for diagnostic in diagnostics])


def counted(severities: Sequence[Severity]) -> str:
    """Return ``2 errors, 1 warning`` of their levels."""
    counts = ((severity, severities.count(severity)) for severity in Severity)
    return ", ".join(
        f"{count} {severity}" if severity is Severity.INFO else plural(count, severity)
        for severity, count in counts
        if count
    )


def _lines(diagnostic: Located, lines: Mapping[Location, str | None], paint: Paint) -> Iterator[str]:
    location = diagnostic.location
    place = paint("bold", f"{_place(location)}: ") if location else ""
    label = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    yield f"{place}{label}: {printable(diagnostic.message)}"
    if location and location in lines:
        yield from (paint("dim", line) for line in excerpt(location, lines[location]))
    for related in diagnostic.related:
        at = f"{_place(related.location)}: " if related.location else ""
        yield f"  {at}{log_line(printable(related.message))}"
    if diagnostic.other_objects:
        yield f"  also: {plural(diagnostic.other_objects, 'other object')} made of this line"
    if diagnostic.hint:
        yield f"  {paint('hint', 'hint:')} {printable(diagnostic.hint)}"


def _place(location: Location) -> str:
    return log_line(printable(str(location)))


def _no_paint(_style: str, words: str) -> str:
    return words


def _paint(style: str, words: str) -> str:
    return f"\x1b[{_STYLES[style]}m{words}\x1b[0m"
