"""The results of ``import --fit`` as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.adopt.fit.series import SizeProposal
from renderer.adopt.fit.values import FitQuality, FitReport
from renderer.model.kube.json import array_at
from renderer.model.plural import plural

_MOST_FIELDS = 4
_SHORTENED = "spec.template.spec."


def fit_lines(reports: Sequence[FitReport], proposals: Sequence[SizeProposal]) -> Iterator[str]:
    """Yield the number of fitted machines, the new sizes, and a line for each other machine."""
    if not reports:
        return
    written = [report for report in reports if report.is_written]
    fields = sum(report.supplied for report in written)
    yield f"fitted: {len(written)} of {len(reports)} virtual machines, which are {fields} fields shorter"
    for proposal in proposals:
        rows = len(array_at(proposal.manifest, "spec", "sizes"))
        what = f"series {proposal.name}: {plural(rows, 'size')}" if rows else f"preference {proposal.name}"
        yield f"shared: {what} for {plural(proposal.uses, 'virtual machine')}"
    for report in reports:
        yield f"fit: {report.id.namespace}/{report.id.name}: {_answer_line(report)}"


def _answer_line(report: FitReport) -> str:
    pair = " with ".join(filter(None, (report.instancetype, report.preference)))
    match report.quality:
        case FitQuality.EXACT:
            state = f" exactly, but is not written: {report.obstacle}" if report.obstacle else ""
            return f"{pair}{state}"
        case FitQuality.NEAREST:
            impact = f"; {report.impact.effect}: {report.impact.reason}" if report.impact else ""
            return f"nothing fits; {pair} comes nearest, but changes {_field_names(report)}{impact}"
        case FitQuality.NONE:
            return "nothing fits"


def _field_names(report: FitReport) -> str:
    names = [str(field).removeprefix(_SHORTENED) for field in report.differing]
    more = len(names) - _MOST_FIELDS
    shown = ", ".join(names[:_MOST_FIELDS])
    return f"{shown} and {more} more" if more > 0 else shown
