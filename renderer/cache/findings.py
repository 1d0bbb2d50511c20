"""Findings that know their lines, as JSON and back."""

from __future__ import annotations

from typing import Any

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_path import ElementName, FieldPath, Segment
from renderer.model.gvk import Gvk
from renderer.model.json import Json
from renderer.model.location import Location
from renderer.model.release import Release
from renderer.model.res_id import ResId


def finding_json(found: Diagnostic) -> Json:
    """``found`` has no sites any more."""
    return [
        found.code,
        found.message,
        found.severity,
        found.location,
        found.resource,
        found.field and [_segment_json(segment) for segment in found.field.segments],
        found.hint,
        [[related.message, related.location] for related in found.related],
        found.overlays,
        found.target,
    ]


def finding_of(value: Any) -> Diagnostic:  # noqa: ANN401 - signed by the one who wrote it: of the form above
    code, message, severity, location, resource, field, hint, related, overlays, target = value
    return Diagnostic(
        code=Code(code),
        message=message,
        severity=Severity(severity),
        location=location and Location(*location),
        resource=resource and ResId(Gvk(*resource[0]), *resource[1:]),
        field=None if field is None else FieldPath(tuple(map(_segment_of, field))),
        hint=hint,
        related=tuple(Related(text, (), place and Location(*place)) for text, place in related),
        overlays=tuple(overlays),
        target=target and Release(*target),
    )


def _segment_json(segment: Segment) -> Json:
    return list(segment) if isinstance(segment, ElementName) else segment


def _segment_of(value: Any) -> Segment:  # noqa: ANN401 - as above
    return ElementName(*value) if isinstance(value, list) else value
