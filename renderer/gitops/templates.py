"""Templates of an overlay with parameters: OpenShift's, and VirtualMachineTemplates."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from renderer.files.file_system import FileSystem
from renderer.gitops.openshift_template import is_template, process
from renderer.kubevirt.facts.confidential.parameters import confidential_values_of_parameters
from renderer.kubevirt.facts.confidential.scope import is_name
from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kubevirt.vm_template.findings import findings_of, is_vm_template
from renderer.kubevirt.vm_template.machine import as_machine
from renderer.kubevirt.vm_template.processing import (
    check_references,
    with_given,
    with_own_namespace,
)
from renderer.kubevirt.vm_template.processing import (
    process as process_template,
)
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import MACHINE, PARAMETERS, Template, read_template
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import EMPTY, Json, JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.location import GeneratedText, Location, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.made_of_template import MadeOfTemplate
from renderer.model.plural import listed
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.run.taint import taint
from renderer.model.suggest import did_you_mean
from renderer.yamlio.decode import taint_content


class GivenParameters(Record):
    """The values of parameters by name, and where each is given."""

    values: Mapping[str, str]
    sites: Mapping[str, Site]


class ProcessedTemplates(Record):
    """The resources with each template replaced by its objects, without and with the labels of Templates.

    ``made`` are the objects that templates make, before their labels.
    """

    unlabelled: ResourceSet
    labelled: ResourceSet
    made: tuple[MadeOfTemplate, ...]


def process_templates(
    resources: ResourceSet, parameters: Mapping[str, str], release: Release
) -> Outcome[ProcessedTemplates]:
    """Process the templates among the resources; ``parameters`` are values by name.

    Reports openshift-template or vm-template for parameters without a value, and for ones that no template
    declares.
    """
    findings: list[Diagnostic] = []
    found: list[tuple[Resource, JsonObject]] = []
    processed: list[MadeOfTemplate] = []
    templates = [each for each in resources if is_template(each) or is_vm_template(each)]
    for template in templates:
        taint(confidential_values_of_parameters(template.content, parameters))
    for resource in resources:
        declared_at = parameters_of(resource)
        try:
            if is_template(resource):
                for index, (written, made, labels) in enumerate(process(resource, parameters)):
                    place = FieldPath.of("objects", index)
                    processed.append(MadeOfTemplate(resource, declared_at, place, written, made))
                    found.append((made, labels))
            elif is_vm_template(resource):
                written, made = _process_vm_template(resource, parameters, release)
                processed.append(MadeOfTemplate(resource, declared_at, MACHINE, written, made))
                found.append((made, EMPTY))
            else:
                found.append((resource, EMPTY))
        except DiagnosticError as error:
            findings += error.diagnostics
    findings += _undeclared(templates, parameters)
    unlabelled = ResourceSet(tuple(resource for resource, _ in found))
    labelled = ResourceSet(tuple(_with_labels(resource, labels) for resource, labels in found))
    return Outcome(ProcessedTemplates(unlabelled, labelled, tuple(processed)), tuple(findings))


def _process_vm_template(
    resource: Resource, parameters: Mapping[str, str], release: Release
) -> tuple[Resource, Resource]:
    """Return the machine of a VirtualMachineTemplate as it is written, and as it is made with given values.

    Nothing is drawn. Raises ``DiagnosticError``: vm-template for parameters that need a value, admission,
    resource-invalid.
    """
    try:
        template = read_template(resource.content)
        names = {parameter.name for parameter in template.parameters}
        template = with_given(template, {name: value for name, value in parameters.items() if name in names})
        check_references(template)
        _check_vm_template_values(resource, template)
        made = process_template(template, types_of(release))
    except TemplateRefusedError as error:
        raise DiagnosticError(*findings_of(resource, error.refusals)) from None
    origin, layers = resource.origin.child(MACHINE), tuple(each.child(MACHINE) for each in resource.layers)
    written = Resource(as_machine(with_own_namespace(object_at(template.machine))), origin, layers)
    return written, check_identity(Resource(as_machine(made.substituted), origin, layers))


def _check_vm_template_values(resource: Resource, template: Template) -> None:
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


def read_parameters(fs: FileSystem, path: str, site: Site) -> GivenParameters:
    """Return the parameters in a file of ``NAME=value`` lines, as ``oc process --param-file`` reads it.

    ``site`` is where the file is named. Raises ``DiagnosticError``.
    """
    if not fs.is_file(path):
        if not is_name(path):  # ``NAME: value`` in the place of a path
            taint((path,))
        message, hint = f"no such file: {path}", "it is a path from the top of the repository on"
        raise Diagnostic.at(site, Code.FILE_NOT_FOUND, message, hint).error()
    values: dict[str, str] = {}
    lines: dict[str, int] = {}
    content = fs.read(path)
    for number, line in enumerate(content.decode(errors="replace").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            taint_content(content)
            location = Location(path, number)
            message, hint = "the line is not a parameter", "write NAME=value"
            raise Diagnostic.in_file(location, Code.OPENSHIFT_TEMPLATE, message, hint).error()
        name = name.strip()
        values[name], lines[name] = value.strip().strip("\"'"), number
    mapping = "".join(f"{json.dumps(name)}:\n" for name in lines)  # YAML, in which a name has a place
    text_of_names = GeneratedText(mapping, tuple(lines.values()), "", site)
    sites = {name: Site(path, 0, FieldPath.of(name), text_of_names) for name in lines}
    return GivenParameters(values, sites)


def parameters_without_value(template: Resource) -> list[str]:
    """Return the names of the parameters that need a value: none is drawn here."""
    return [
        text_at(each, "name")
        for each in _declared(template)
        if not scalar_text(object_at(each).get("value") or "")
        and (text_at(each, "generate") or object_at(each).get("required") is True)
    ]


def _undeclared(templates: list[Resource], parameters: Mapping[str, str]) -> list[Diagnostic]:
    """Return a finding for each parameter that no template declares."""
    if not templates:
        return []
    first = templates[0]
    known = [text_at(each, "name") for template in templates for each in _declared(template)]
    is_openshift = is_template(first)
    return [
        Diagnostic.about(
            first,
            parameters_of(first),
            Code.OPENSHIFT_TEMPLATE if is_openshift else Code.VM_TEMPLATE,
            f"no {first.kind} of the overlay has a parameter {name}",
            did_you_mean(name, known) or f"its parameters are {listed(known)}",
        )
        for name in parameters
        if name not in known
    ]


def parameters_of(template: Resource) -> FieldPath:
    """Return the field with the parameters of a template."""
    return FieldPath.of("parameters") if is_template(template) else PARAMETERS


def _declared(template: Resource) -> Sequence[Json]:
    return array_at(template.content, *parameters_of(template).keys)


def _with_labels(resource: Resource, labels: JsonObject) -> Resource:
    if not labels:
        return resource
    metadata: dict[str, Any] = dict(object_at(resource.content, "metadata"))
    metadata["labels"] = {**object_at(metadata, "labels"), **labels}
    return resource._replace(content={**resource.content, "metadata": metadata})
