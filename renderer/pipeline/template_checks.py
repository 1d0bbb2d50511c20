"""Check VirtualMachineTemplates: as their webhook does, and the machine in each like any machine.

The machine has the values of the parameters; a parameter without a value is a placeholder. It stands beside
the objects of the overlay while it is checked, and is not written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

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
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import ResId
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
    depths = {len(machine.origin.field.segments) for machine in known}
    found: dict[tuple[ResId, Site], dict[int, Diagnostic]] = {}
    for each in check(ResourceSet((*resources, *known))).diagnostics if known else ():
        if each.resource is not None and each.code not in _NOT_OF_TEMPLATES:
            for site, depth in product(each.sites, depths):
                outer = Site(site.path, site.document, FieldPath(site.field.segments[:depth]))
                found.setdefault((each.resource, outer), {})[id(each)] = each
    for template, machine in zip(templates, machines, strict=True):
        of_machine: list[Diagnostic] = []
        if machine is not None:
            at = machine.origin
            outer = Site(at.path, at.document, at.field)
            of_machine = [*found.get((machine.current_id, outer), {}).values()]
        of_machine = [_about_template(each, template) for each in of_machine]
        yield from of_machine
        is_sound = not any(each.severity is Severity.ERROR for each in of_machine)
        yield from webhook_findings(template, release, is_machine_sound=is_sound)


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
