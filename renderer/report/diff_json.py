"""A difference as one JSON document, ``schemas/vmrender/diff.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from renderer.model.difference import (
    ORDER,
    Amounts,
    Difference,
    FieldChange,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
)
from renderer.model.field_path import FieldPath
from renderer.model.json import Json
from renderer.model.release import Release
from renderer.report.diff_words import counts_of, effects_of
from renderer.report.json_values import resource_json, value_json

#: Grows when a reader of the document would have to change; new fields may come at any time.
VERSION = 1


def write(difference: Difference) -> str:
    """All overlays that were compared, also those without a difference; what is absent is null."""
    changes = [change for overlay in difference.overlays for change in overlay.changes]
    document: Mapping[str, Json] = {
        "version": VERSION,
        "before": difference.before,
        "after": difference.after,
        "summary": {
            "resources": {str(change_type): count for change_type, count in counts_of(changes).items()},
            "virtualMachines": {str(effect): count for effect, count in effects_of(changes).items()},
        },
        "commits": [
            {"commit": commit.name, "subject": commit.subject, "virtualMachines": _effects(commit.overlays)}
            for commit in difference.commits
        ],
        "overlays": [_overlay(overlay) for overlay in difference.overlays],
    }
    return json.dumps(document, indent=2) + "\n"


def _effects(overlays: Sequence[OverlayDifference]) -> Json:
    changes = [change for overlay in overlays for change in overlay.changes]
    return {str(effect): count for effect, count in effects_of(changes).items()}


def _overlay(overlay: OverlayDifference) -> Json:
    return {
        "path": overlay.path,
        "name": overlay.name,
        "kubevirt": dict(zip(("before", "after"), map(_release, overlay.releases), strict=True)),
        "incomparable": overlay.incomparable or None,
        "changes": [_change(change) for change in overlay.changes],
        "equal": overlay.equal,
        "totals": dict(zip(("before", "after"), map(_totals, overlay.totals), strict=True)),
    }


def _release(release: Release | None) -> Json:
    return str(release) if release else None


def _change(change: ResourceChange) -> Json:
    return {
        "type": change.type,
        "before": resource_json(change.before),
        "after": resource_json(change.after),
        "impact": _impact(change.impact),
        "effects": [str(effect) for effect in change.effects],
        "pending": [_pending(field) for field in change.pending],
        "startRefusal": change.start_refusal or None,
        "fields": [_field(field) for field in change.fields],
    }


def _pending(field: FieldPath) -> str:
    """Return ``spec.volumes#order`` for a list in another order, and any other path as it is."""
    *parents, last = field.segments
    if not isinstance(last, str) or not last.endswith(ORDER):
        return str(field)
    return f"{FieldPath((*parents, last.removesuffix(ORDER)))}{ORDER}"


def _field(change: FieldChange) -> Json:
    return {
        "field": str(change.field),
        "before": value_json(change.before),
        "after": value_json(change.after),
        "reordered": change.reordered,
        "inherited": change.inherited,
        "impact": _impact(change.impact),
    }


def _impact(impact: Impact | None) -> Json:
    if impact is None:
        return None
    return {"effect": impact.effect, "reason": impact.reason, "source": impact.source or None}


def _totals(totals: Totals | None) -> Json:
    if totals is None:
        return None
    return {"running": _amounts(totals.running), "halted": _amounts(totals.halted)}


def _amounts(amounts: Amounts) -> Json:
    return {
        "virtualMachines": amounts.machines,
        "vcpus": amounts.vcpus,
        "memoryBytes": amounts.memory,
        "hugepagesBytes": amounts.hugepages,
        "gpus": amounts.gpus,
    }
