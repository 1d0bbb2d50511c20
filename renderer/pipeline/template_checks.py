"""Check VirtualMachineTemplates: as their webhook does, and the machine in each like any machine.

The machine has the values of the parameters; a parameter without a value is a placeholder. It stands beside
the objects of the overlay while it is checked, and is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.kubevirt.facts.confidential.parameters import confidential_values_of_parameters
from renderer.kubevirt.vm_template.findings import (
    is_of_virt_template,
    is_vm_template,
    request_findings,
    version_findings,
    webhook_findings,
)
from renderer.kubevirt.vm_template.machine import known_machine, parameter_places
from renderer.kubevirt.vm_template.template import MACHINE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Related, Severity
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.run.taint import taint

#: Not remarkable in a template: a parameter in place of a value, and what a sync would change of a machine,
#: as those that are made of the template are not in Git.
_NOT_OF_TEMPLATES = frozenset({Code.PLACEHOLDER, Code.RUN_STRATEGY})


def template_findings(
    resources: ResourceSet,
    release: Release,
    check: Callable[[ResourceSet], Outcome[ResourceSet]],
) -> Iterator[Diagnostic]:
    """Yield the findings about the templates among ``resources``; ``check`` runs the stages."""
    for resource in resources:
        if is_of_virt_template(resource):
            yield from version_findings(resource, release)
            yield from request_findings(resource)
    templates = [each for each in resources if is_vm_template(each)]
    for template in templates:
        taint(confidential_values_of_parameters(template.content, {}))
    machines = [known_machine(template) for template in templates]
    known = [machine for machine in machines if machine is not None]
    found = check(ResourceSet((*resources, *known))).diagnostics if known else ()
    for template, machine in zip(templates, machines, strict=True):
        of_machine = [] if machine is None else [each for each in found if _is_about(each, machine)]
        of_machine = [_about_template(each, template) for each in of_machine]
        yield from of_machine
        is_sound = not any(each.severity is Severity.ERROR for each in of_machine)
        yield from webhook_findings(template, release, is_machine_sound=is_sound)


def _is_about(finding: Diagnostic, machine: Resource) -> bool:
    """Return True for a finding about the machine."""
    is_here = any(site.is_within(machine.origin) for site in finding.sites)
    return finding.resource == machine.current_id and is_here and finding.code not in _NOT_OF_TEMPLATES


def _about_template(finding: Diagnostic, template: Resource) -> Diagnostic:
    """Return a finding about a machine as one about its template, with the parameters that made the value."""
    if finding.field is None:
        return finding._replace(resource=template.current_id)
    places = parameter_places(template, finding.field)
    related = (Related(f"the value of {name}", template.sites(place)) for name, place in places)
    return finding._replace(
        resource=template.current_id,
        field=MACHINE.child(*finding.field.segments),
        related=(*finding.related, *related),
    )
