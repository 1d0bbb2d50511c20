"""Findings as one JSON document, ``schemas/vmrender/report.json``, and values that other documents share."""

from __future__ import annotations

import json
from collections.abc import Mapping

from renderer.findings.located import Located, LocatedFix
from renderer.model.diagnostic import Severity
from renderer.model.difference import NoValue, Value
from renderer.model.field_edit import AddField, AddItem, Edit, MoveField, RenameField, SetField
from renderer.model.kube.field_path import FieldPath, format_pointer
from renderer.model.kube.json import Json
from renderer.model.kube.location import Location
from renderer.model.kube.res_id import ResId
from renderer.report.fingerprint import fingerprints
from renderer.report.report import Report

#: Raised when readers of the document have to change; new fields may be added at any time.
VERSION = 1


def resource_json(resource: ResId | None) -> Json:
    """Return the identity of a resource; null for None."""
    if resource is None:
        return None
    return {
        "apiVersion": resource.gvk.api_version,
        "kind": resource.gvk.kind,
        "namespace": resource.namespace,
        "name": resource.name,
    }


def value_json(value: Value) -> Json:
    """Return ``{"value": …}`` or ``{"withheld": true}``; null without a value."""
    if value is NoValue.ABSENT:
        return None
    if value is NoValue.WITHHELD:
        return {"withheld": True}
    return {"value": value}


def write(report: Report) -> str:
    """Return the report as JSON: absent values are null, lines and columns count from 1, and 0 is unknown."""
    severities = [finding.severity for finding in report.findings]
    document: Mapping[str, Json] = {
        "version": VERSION,
        "summary": {severity: severities.count(severity) for severity in Severity},
        "overlays": list(report.overlays),
        "findings": [
            _finding(finding, fingerprint)
            for finding, fingerprint in zip(report.findings, fingerprints(report.findings), strict=True)
        ],
        **report.results,
    }
    return json.dumps(document, indent=2) + "\n"


def _finding(finding: Located, fingerprint: str) -> Json:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "message": finding.message,
        "location": _location(finding.location),
        "resource": resource_json(finding.resource),
        "field": str(finding.field) if finding.field else None,
        "hint": finding.hint,
        "related": [
            {"message": related.message, "location": _location(related.location)}
            for related in finding.related
        ],
        "overlays": list(finding.overlays),
        "fingerprint": fingerprint,
        "fix": finding.fix and fix_json(finding.fix),
        "otherObjects": finding.other_objects,
    }


def fix_json(fix: LocatedFix) -> Json:
    """Return the fix; its edits are a JSON patch of the document (RFC 6902)."""
    found: dict[str, Json] = {
        "path": fix.path,
        "document": fix.document,
        "inline": pointer(fix.inline) if fix.inline.segments else None,
        "old": fix.old,
        "patch": list(map(_operation, fix.edits)),
    }
    return {**found, "separators": list(fix.separators)} if fix.separators else found


def pointer(field: FieldPath) -> str:
    """Return the JSON pointer to a field that has no named elements (RFC 6901)."""
    return format_pointer(each if isinstance(each, int) else str(each) for each in field.segments)


def _operation(edit: Edit) -> Json:
    match edit:
        case SetField(field, value):
            return {"op": "replace", "path": pointer(field), "value": value}
        case RenameField(field, name):
            return {"op": "move", "from": pointer(field), "path": pointer(field.parent.child(name))}
        case MoveField(field, to):
            return {"op": "move", "from": pointer(field), "path": pointer(to)}
        case AddField(into, name, value):
            return {"op": "add", "path": pointer(into.child(name)), "value": value}
        case AddItem(into, value, before):
            return {
                "op": "add",
                "path": pointer(into.child("-" if before is None else before)),
                "value": value,
            }
        case _:
            return {"op": "remove", "path": pointer(edit.field)}


def _location(location: Location | None) -> Json:
    if location is None:
        return None
    return {
        "path": location.path,
        "line": location.line,
        "column": location.column,
        "endColumn": location.end_column,
    }
