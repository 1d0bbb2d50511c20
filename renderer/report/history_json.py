"""The history of a resource's fields as one JSON document."""

from __future__ import annotations

import json

from renderer.model.history import FieldHistory, ResourceHistory, Step
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location
from renderer.report.json_document import resource_json, value_json

#: Raised when readers of the document have to change; new fields may be added at any time.
VERSION = 1


def write(history: ResourceHistory) -> str:
    """Return JSON, oldest steps first. A value is ``{"value": …}``, ``{"withheld": true}`` or null."""
    document: Json = {
        "version": VERSION,
        "overlay": history.overlay,
        **({"cluster": history.cluster} if history.cluster else {}),
        "resource": resource_json(history.resource),
        **({"atStart": True} if history.at_start else {}),
        "fields": [_field(field) for field in history.fields],
    }
    return json.dumps(document, indent=2) + "\n"


def _field(history: FieldHistory) -> dict[str, Json]:
    return {
        "field": str(history.field),
        "value": value_json(history.value),
        "steps": [_step(step) for step in history.steps],
    }


def _step(step: Step) -> Json:
    return {
        "act": step.act,
        "by": step.by,
        "location": _location(step.location),
        "before": value_json(step.before),
        "after": value_json(step.after),
        "sources": [
            {"resource": resource_json(source.resource), **_field(source)} for source in step.sources
        ],
    }


def _location(location: Location | None) -> Json:
    if location is None:
        return None
    return {"path": location.path, "line": location.line, "column": location.column}
