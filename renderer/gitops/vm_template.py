"""VirtualMachineTemplates of an overlay with parameters, processed as virt-template's subresource does."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kubevirt.vm_template.findings import findings_of
from renderer.kubevirt.vm_template.machine import as_machine
from renderer.kubevirt.vm_template.processing import (
    check_references,
    process,
    with_given,
    with_own_namespace,
)
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import MACHINE, PARAMETERS, Template, read_template
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource
from renderer.model.release import Release


def process_vm_template(
    resource: Resource, parameters: Mapping[str, str], release: Release
) -> tuple[Resource, Resource]:
    """Return the machine of a template as it is written, and as it is made with given values.

    Nothing is drawn. Raises ``DiagnosticError``: vm-template for parameters that need a value, admission,
    resource-invalid.
    """
    try:
        template = read_template(resource.content)
        names = {parameter.name for parameter in template.parameters}
        template = with_given(template, {name: value for name, value in parameters.items() if name in names})
        check_references(template)
        _check_values(resource, template)
        made = process(template, types_of(release))
    except TemplateRefusedError as error:
        raise DiagnosticError(*findings_of(resource, error.refusals)) from None
    origin, layers = resource.origin.child(MACHINE), tuple(each.child(MACHINE) for each in resource.layers)
    written = Resource(as_machine(with_own_namespace(object_at(template.machine))), origin, layers)
    return written, check_identity(Resource(as_machine(made.substituted), origin, layers))


def _check_values(resource: Resource, template: Template) -> None:
    """Raise ``DiagnosticError`` naming all parameters that need a value."""
    findings = []
    for index, parameter in enumerate(template.parameters):
        if parameter.is_drawn:
            problem = "would get a random value"
        elif parameter.required and not parameter.value:
            problem = "is required and has no value"
        else:
            continue
        findings.append(
            Diagnostic.about(
                resource,
                PARAMETERS.child(index),
                Code.VM_TEMPLATE,
                f"the parameter {parameter.name} of the VirtualMachineTemplate {resource.name} {problem}",
                f"give it a value under parameters of the overlay in vmrender.yaml: {parameter.name}: …",
            )
        )
    if findings:
        raise DiagnosticError(*findings)
