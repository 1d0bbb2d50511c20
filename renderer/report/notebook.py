"""Fragments of HTML for notebooks: findings, a difference, and tables of anything else.

They have no style and no script: a notebook has its own style. All text is escaped, and shortened as in a
terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from renderer.findings.located import Located
from renderer.model.difference import Difference, OverlayDifference, ResourceChange
from renderer.report.diff_summary import summary, verdict
from renderer.report.diff_words import EFFECTS, member_name, own_reason, release_text, side_texts
from renderer.report.plain_text import printable

#: The maximum number of rows of a table: a notebook file keeps all of its output.
MOST_ROWS = 1000


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of at most ``MOST_ROWS`` rows; a last line counts the omitted rows."""
    all_rows = tuple(rows)
    lines = ["<table>", f"<thead>{_row('th', columns)}</thead>", "<tbody>"]
    lines += (_row("td", row) for row in all_rows[:MOST_ROWS])
    lines += ["</tbody>", "</table>"]
    if len(all_rows) > MOST_ROWS:
        lines.append(f"<p>and {len(all_rows) - MOST_ROWS} more</p>")
    return "\n".join(lines)


def paragraph(text: str) -> str:
    """Return a paragraph of plain text."""
    return f"<p>{escape(printable(text))}</p>"


def findings_table(findings: Iterable[Located]) -> str:
    """Return findings as a table, or a sentence if there are no findings."""
    rows = [
        (
            found.severity.value,
            found.code.value,
            str(found.location or found.field or ""),
            str(found.resource or ""),
            found.message,
            found.hint or "",
        )
        for found in findings
    ]
    if not rows:
        return paragraph("no findings")
    return table(("severity", "code", "place", "resource", "message", "hint"), rows)


def difference_tables(difference: Difference) -> str:
    """Return a difference: its summary, and a table for each overlay with differences."""
    lines = [paragraph(verdict(difference)), paragraph(f"{difference.before} -> {difference.after}")]
    for overlay in filter(None, difference.overlays):
        lines.append(paragraph(f"{overlay.path} ({release_text(overlay)})"))
        if overlay.incomparable:
            lines.append(paragraph(overlay.incomparable))
        else:
            lines.append(table(("resource", "change", "effect", "field", "before", "after"), _rows(overlay)))
    lines += map(paragraph, summary(difference))
    return "\n".join(lines)


def _rows(overlay: OverlayDifference) -> Iterator[Sequence[str]]:
    for change in overlay.changes:
        name = f"{change.id.gvk.kind} {member_name(change)}"
        yield name, change.type.value, _effect_cell(change), "", "", ""
        for field in change.fields:
            effect = EFFECTS[field.impact.effect] if field.impact else ""
            yield name, "", effect, str(field.field), *side_texts(field)


def _effect_cell(change: ResourceChange) -> str:
    if change.impact is None:
        return ""
    reason = own_reason(change)
    effect = EFFECTS[change.impact.effect]
    return f"{effect}: {reason}" if reason else effect


def _row(tag: str, cells: Iterable[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(printable(cell))}</{tag}>" for cell in cells) + "</tr>"
