"""A rule and its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeAlias

from renderer.checks.rules.context import Context
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_edit import Edit
from renderer.model.fix import Fix
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.rule_settings import Level


class Finding(Record):
    """``field`` of ``resource`` is probably a mistake; ``fix`` is its one right answer, if it has one.

    ``location`` is a line of the text in the field; with a path, it is a line of that file. ``site`` is the
    entry of a generator that wrote the field.
    """

    resource: Resource
    field: FieldPath
    message: str
    hint: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | Edit | None = None
    location: Location | None = None
    site: Site | None = None

    def diagnostic(self, code: Code, severity: Severity) -> Diagnostic:
        """Return the finding as a diagnostic."""
        found = Diagnostic.about(
            self.resource,
            self.field,
            code,
            self.message,
            self.hint,
            severity=severity,
            related=self.related,
            fix=self.fix,
        )
        if self.site is not None:
            found = found._replace(sites=(self.site,))
        if self.location is None:
            return found
        sites = () if self.location.path else found.sites
        return found._replace(location=self.location, sites=sites)


def related_to(resource: Resource, message: str, field: FieldPath = ROOT) -> Related:
    """Return the other side of a finding, in another resource."""
    return Related(message, resource.sites(field))


#: Finds mistakes in an overlay.
Check: TypeAlias = Callable[[Context], Iterable[Finding]]


def no_findings(_: Context) -> Iterable[Finding]:
    """Return no findings: the check of a rule whose mistakes are found elsewhere."""
    return ()


class MachineCheck:
    """A check of single machines, plus the findings of ``others`` in the rest of the overlay.

    All rules check a machine together, before they go on to the next one.
    """

    def __init__(
        self,
        of_machine: Callable[[Context, VirtualMachineView], Iterable[Finding]],
        others: Check = no_findings,
    ) -> None:
        self.of_machine: Final = of_machine
        self.others: Final = others

    def __call__(self, context: Context) -> Iterator[Finding]:
        """Yield the findings of this check alone in an overlay."""
        for machine in context.machines:
            yield from self.of_machine(context, machine)
        yield from self.others(context)


class Rule(Record):
    """A check, and the default level of its findings.

    ``documentation`` is the output of ``vmrender explain CODE``: a heading, what the rule finds and why, an
    example that is wrong and one that is right. It is the docstring of a module with one rule; the text about
    one of several rules is in ``explanations/CODE.md``. ``strict`` finds more than ``check``, in projects
    that request it.
    """

    code: Code
    level: Level
    check: Check
    documentation: str | None = None
    strict: Check | None = None
