"""The summary of an import as JSON: ``import`` in ``schemas/vmrender/report.json``."""

from __future__ import annotations

from renderer.adopt.fit.values import FitReport
from renderer.adopt.import_summary import ImportSummary
from renderer.model.kube.json import JsonObject
from renderer.report.json_document import resource_json


def as_json(summary: ImportSummary) -> JsonObject:
    """Return everything that the text says, with all names."""
    return {
        "release": summary.release.as_target,
        **({"cluster": summary.cluster} if summary.cluster else {}),
        "dryRun": summary.is_dry_run,
        "objects": dict(summary.objects),
        "inGit": summary.known,
        "inGitElsewhere": list(summary.elsewhere),
        "leftOut": [
            {"kind": kind, "reason": reason, "count": count}
            for (kind, reason), count in sorted(summary.left_out.items())
        ],
        "nodes": list(summary.nodes),
        "fieldsLeftOut": summary.fields,
        "pins": summary.pins,
        "files": list(summary.written),
        "toSeal": [
            {"file": each.path, "inCluster": each.in_cluster, "machines": list(each.machines)}
            for each in summary.to_seal
        ],
        "restarts": list(summary.restarts),
        "appliedBy": [
            {"by": engine, "objects": list(objects)} for engine, objects in summary.applied_by.items()
        ],
        "autoscaled": [{"pool": each.pool, "by": each.scaler} for each in summary.autoscaled],
        "inProgress": [
            {"machine": each.machine, "operation": each.operation, "name": each.name}
            for each in summary.in_progress
        ],
        "fits": [_fit(each) for each in summary.fits],
        "sizes": [{"name": each.name, "machines": each.uses} for each in summary.sizes],
        "grouped": {"machines": summary.grouped, "bases": summary.bases},
        "output": summary.output,
        "rendered": summary.rendered,
        "entries": list(summary.entries),
        "unorderedPins": list(summary.unordered),
    }


def _fit(report: FitReport) -> JsonObject:
    return {
        "machine": resource_json(report.id),
        "quality": report.quality,
        "instancetype": report.instancetype,
        "preference": report.preference,
        "written": report.is_written,
        "differing": [str(field) for field in report.differing],
        "obstacle": report.obstacle,
    }
