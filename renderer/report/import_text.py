"""The summary of an import as lines for people: as many as fit a screen, however large the cluster is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from renderer.adopt.fit.series import SizeProposal
from renderer.adopt.fit.values import FitQuality, FitReport
from renderer.adopt.import_summary import ImportSummary, ToSeal
from renderer.model.kube.json import array_at
from renderer.model.plural import listed, plural

#: How many names a line has, and how many lines there are about one thing; the rest is counted.
_FEW, _MOST_LINES = 5, 10
_MOST_FIELDS = 4
_SHORTENED = "spec.template.spec."


def lines(summary: ImportSummary) -> Iterator[str]:
    """Yield what was imported, what was left out and why, and what the first sync will do."""
    counts = ", ".join(f"{count} {kind}" for kind, count in summary.objects.items()) or "nothing new"
    origin = f" from the cluster {summary.cluster}" if summary.cluster else ""
    verb = "would import" if summary.is_dry_run else "imported"
    yield f"{verb}{origin} for KubeVirt {summary.release}: {counts}"
    if summary.known:
        places = f" (also in {_names(summary.elsewhere)})" if summary.elsewhere else ""
        yield f"in Git already: {plural(summary.known, 'object')}{places}, left as they are"
    yield from _left_out(summary)
    if summary.pins:
        yield f"pinned: {summary.pins} to instance types and preferences that differ from the catalogs"
    yield from _fit_lines(summary.fits, summary.sizes)
    if summary.group_by:
        bases = f"{plural(summary.grouped, 'machine')} in {plural(summary.bases, 'base')}"
        none = f"none, as no two machines of a namespace have the same value of the label {summary.group_by}"
        yield f"grouped: {bases if summary.bases else none}"
    yield from _first_sync(summary)
    if summary.unordered:
        yield (
            f"apply the ControllerRevisions of {_names(summary.unordered)} before the machines: neither waves"
            " nor dependsOn do that for you"
        )
    yield from _first_lines(list(map(_to_seal, summary.to_seal)), "files to seal")
    if summary.is_dry_run:
        yield from _first_lines([f"{path}: would be written" for path in summary.written], "files")
    yield f"{plural(len(summary.written), 'file')} {'would be written' if summary.is_dry_run else 'written'}"


def _left_out(summary: ImportSummary) -> Iterator[str]:
    rows = sorted(summary.left_out.items())
    if len(rows) > _MOST_LINES:
        rows = sorted(sorted(rows, key=lambda row: -row[1])[: _MOST_LINES - 1])
    for (kind, reason), count in rows:
        yield f"left out: {count} {kind}, as {reason}"
    rest = sum(summary.left_out.values()) - sum(count for _, count in rows)
    if rest:
        yield f"left out: {rest} more, for {plural(len(summary.left_out) - len(rows), 'other reason')}"
    if summary.nodes:
        yield f"nodes of other clusters: {_names(summary.nodes)}"
    if summary.fields:
        yield f"left out: {plural(summary.fields, 'field')} that the cluster writes"


def _first_sync(summary: ImportSummary) -> Iterator[str]:
    """Yield what happens when an engine applies these sources beside what is going on today."""
    found = [
        f"deployed today by {engine}: {_names(objects)}; stop one of the two before you sync these sources"
        for engine, objects in summary.applied_by.items()
    ]
    yield from _first_lines(found, "others who deploy")
    found = [
        f"in progress: {each.operation} {each.name} of {each.machine}, which changes the machine; import it"
        " again when this is complete"
        for each in summary.in_progress
    ]
    yield from _first_lines(found, "operations in progress")
    found = [
        f"autoscaled: {each.pool} by {each.scaler}; remove spec.replicas from its source, or each sync sets"
        " them back"
        for each in summary.autoscaled
    ]
    yield from _first_lines(found, "pools")
    if summary.restarts:
        yield (
            f"RestartRequired after the sync: {_names(summary.restarts)}, as start data moves to a Secret; it"
            " stays the same, so there is no hurry"
        )


def _to_seal(each: ToSeal) -> str:
    machines = f" for {_names(each.machines)}" if each.machines else ""
    needed = "" if each.in_cluster else ", before the machine is synced"
    return f"to seal: {each.path}{machines}{needed}"


def _first_lines(found: Sequence[str], noun: str) -> Iterator[str]:
    if len(found) <= _MOST_LINES:
        yield from found
        return
    yield from found[:_FEW]
    yield f"and {len(found) - _FEW} more {noun}; --format json names all"


def _names(names: Sequence[str]) -> str:
    """Return the first names, and the number of others."""
    rest = len(names) - _FEW
    return ", ".join(names) if rest <= 1 else f"{', '.join(names[:_FEW])} and {rest} more"


def _fit_lines(reports: Sequence[FitReport], proposals: Sequence[SizeProposal]) -> Iterator[str]:
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
