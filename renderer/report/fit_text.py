"""The results of ``import --fit`` as lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.adopt.fit.series import SizeProposal
from renderer.adopt.fit.values import FitQuality, FitReport
from renderer.model.kube.json import array_at
from renderer.model.plural import listed, plural

_MOST_FIELDS = 4
_MOST_LINES, _FEW = 10, 5
_SHORTENED = "spec.template.spec."


def fit_lines(reports: Sequence[FitReport], proposals: Sequence[SizeProposal]) -> Iterator[str]:
    """Yield the number of fitted machines, the new sizes, and a line for each machine.

    Of many machines, those with the same answer share a line.
    """
    if not reports:
        return
    written = [report for report in reports if report.is_written]
    fields = sum(report.supplied for report in written)
    yield f"fitted: {len(written)} of {len(reports)} virtual machines, which are {fields} fields shorter"
    for proposal in proposals:
        rows = len(array_at(proposal.manifest, "spec", "sizes"))
        what = f"series {proposal.name}: {plural(rows, 'size')}" if rows else f"preference {proposal.name}"
        yield f"shared: {what} for {plural(proposal.uses, 'virtual machine')}"
    answers: dict[str, list[str]] = {}
    for report in reports:
        answers.setdefault(_answer_line(report), []).append(f"{report.id.namespace}/{report.id.name}")
    if len(reports) <= _MOST_LINES:
        for report in reports:
            yield f"fit: {report.id.namespace}/{report.id.name}: {_answer_line(report)}"
        return
    common = sorted(answers.items(), key=lambda each: -len(each[1]))[:_FEW]
    for answer, machines in common:
        others = f" and {len(machines) - 1} more" if len(machines) > 1 else ""
        yield f"fit: {machines[0]}{others}: {answer}"
    rest = len(reports) - sum(len(machines) for _, machines in common)
    if rest:
        yield f"fit: {plural(rest, 'other machine')}; --format json names all"


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
    return listed(names, _MOST_FIELDS)
