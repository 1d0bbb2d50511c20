"""A rule, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.record import Record
from renderer.model.resource import Resource
from renderer.model.rule_settings import Level
from renderer.rules.context import Context


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


Check = Callable[[Context], Iterable[Finding]]


class Rule(Record):
    """What to look for, and how it is reported where the project does not say.

    ``documentation`` is the docstring of the rule's module, which ``vmrender explain CODE`` prints: a
    heading, what the rule finds and why, an example that is wrong and one that is right. ``strict`` looks
    for more than ``check``, in projects that ask for it.
    """

    code: Code
    level: Level
    check: Check
    documentation: str | None
    strict: Check | None = None
