"""Diagnostics about entry points: what is wrong, at the field of the object that says so."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import FieldPath, Segment
from renderer.model.resource import Resource


def refusal(
    code: Code, entry: Resource, message: str, *field: Segment, hint: str | None = None
) -> DiagnosticError:
    """Return the error about ``field`` of the object ``entry``."""
    path = FieldPath(field)
    return DiagnosticError(
        Diagnostic(
            code=code,
            message=message,
            sites=entry.sites(path),
            resource=entry.current_id,
            field=path,
            hint=hint,
        )
    )
