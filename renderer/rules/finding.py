"""What a rule finds, before it is known how severe the project takes it."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.record import Record
from renderer.model.resource import Resource


class Finding(Record):
    """``field`` of ``resource`` is probably a mistake."""

    resource: Resource
    field: FieldPath
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()

    def diagnostic(self, code: Code, severity: Severity) -> Diagnostic:
        return Diagnostic(
            code=code,
            message=self.message,
            severity=severity,
            sites=self.resource.sites(self.field),
            resource=self.resource.current_id,
            field=self.field,
            hint=self.hint,
            related=self.related,
        )


def related_to(resource: Resource, message: str, field: FieldPath = ROOT) -> Related:
    """The other side of a finding, in another resource."""
    return Related(message, resource.sites(field))
