"""A difference as one JSON document, ``schemas/vmrender/diff.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping

from renderer.model.difference import (
    Amounts,
    Difference,
    FieldChange,
    Impact,
    OverlayDifference,
    ResourceChange,
    Totals,
)
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
        "overlays": [_overlay(overlay) for overlay in difference.overlays],
    }
    return json.dumps(document, indent=2) + "\n"


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
        "fields": [_field(field) for field in change.fields],
    }


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
