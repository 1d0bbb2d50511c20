"""What is wrong in one place of a resource, before it is known where that place was written."""

from __future__ import annotations

from dataclasses import dataclass

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_path import FieldPath
from renderer.model.release import Release
from renderer.model.resource import Resource


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem of ``field``; ``parent``: it is missing, only the mapping it should be in can be shown.

    ``target`` is the release that it is a problem for, where there is one for which it is none.
    """

    field: FieldPath
    message: str
    hint: str | None = None
    code: Code = Code.SCHEMA
    severity: Severity = Severity.ERROR
    parent: bool = False
    target: Release | None = None

    def of(self, resource: Resource) -> Diagnostic:
        return Diagnostic(
            code=self.code,
            message=self.message,
            severity=self.severity,
            sites=resource.sites(self.field.parent if self.parent else self.field),
            resource=resource.current_id,
            field=self.field,
            hint=self.hint,
            target=self.target,
        )
