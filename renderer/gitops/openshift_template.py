"""OpenShift Templates, processed as ``oc process --local`` does.

openshift/library-go ``pkg/template/templateprocessing/template.go``: ``${NAME}`` may be anywhere in a string;
``${{NAME}}`` must be the whole string and can become any value; a namespace without a parameter is dropped;
labels of the Template are added to all of its objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from renderer.files.file_system import FileSystem
from renderer.kubevirt.facts.confidential_parts import confidential_parameters
from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kubevirt.vm_template.references import (
    TEXT_REFERENCE,
    VALUE_REFERENCE,
    json_or_text,
    substituted_text,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import (
    EMPTY,
    Json,
    JsonObject,
    array_at,
    object_at,
    scalar_text,
    text_at,
    without,
)
from renderer.model.kube.location import Location, Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.run.taint import taint, taint_masking, taint_new_parts
from renderer.model.suggest import did_you_mean

_GROUP = "template.openshift.io"

#: Accepts the resources before and after a step.
Observe: TypeAlias = Callable[[ResourceSet, ResourceSet], None]


def is_template(resource: Resource) -> bool:
    """Return True for an OpenShift Template; ``oc`` also reads Templates of API version ``v1``."""
    return resource.kind == "Template" and resource.gvk.group in (_GROUP, "")


def process_templates(
    resources: ResourceSet, parameters: Mapping[str, str], observe: Observe = lambda _before, _after: None
) -> Outcome[ResourceSet]:
    """Return the resources with each Template replaced by its objects; ``parameters`` are values by name.

    ``observe`` is called with the resources before and after the labels of Templates are added. Reports
    openshift-template for parameters without a value, and for parameters that no Template declares.
    """
    findings: list[Diagnostic] = []
    found: list[tuple[Resource, JsonObject]] = []
    templates = [each for each in resources if is_template(each)]
    for template in templates:
        taint(_confidential_values(template, parameters))
    for resource in resources:
        if not is_template(resource):
            found.append((resource, EMPTY))
            continue
        try:
            found += process(resource, parameters)
        except DiagnosticError as error:
            findings += error.diagnostics
    findings += _undeclared(templates, parameters)
    unlabelled = ResourceSet(tuple(resource for resource, _ in found))
    labelled = ResourceSet(tuple(_with_labels(resource, labels) for resource, labels in found))
    observe(unlabelled, labelled)
    return Outcome(labelled, tuple(findings))


def unprocessed_templates(resources: ResourceSet) -> Iterator[Diagnostic]:
    """Yield a note for each Template that is not processed: its objects are neither expanded nor checked."""
    for resource in resources:
        is_openshift = resource.kind == "Template" and resource.gvk.group == _GROUP
        kinds = Counter(text_at(each, "kind") for each in _objects(resource)) if is_openshift else {}
        if kinds:
            counts = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
            yield Diagnostic.about(
                resource,
                None,
                Code.OPENSHIFT_TEMPLATE,
                f"the Template {resource.name} stays as it is: its objects ({counts}) are not checked",
                "to render its objects, list its file under overlays in vmrender.yaml, with parameters",
                severity=Severity.INFO,
            )


def read_parameters(fs: FileSystem, path: str, site: Site) -> dict[str, str]:
    """Return the parameters in a file of ``NAME=value`` lines, as ``oc process --param-file`` reads it.

    ``site`` is where the file is named. Raises ``DiagnosticError``.
    """
    if not fs.is_file(path):
        message, hint = f"no such file: {path}", "it is a path from the top of the repository on"
        raise Diagnostic.at(site, Code.FILE_NOT_FOUND, message, hint).error()
    values: dict[str, str] = {}
    for number, line in enumerate(fs.read(path).decode(errors="replace").splitlines(), start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        name, equals, value = text.partition("=")
        if not equals:
            location = Location(path, number)
            message, hint = "the line is not a parameter", "write NAME=value"
            raise Diagnostic.in_file(location, Code.OPENSHIFT_TEMPLATE, message, hint).error()
        values[name.strip()] = value.strip().strip("\"'")
    return values


def process(template: Resource, parameters: Mapping[str, str]) -> Iterator[tuple[Resource, JsonObject]]:
    """Yield the objects of one Template, each with the labels to add to it.

    Raises ``DiagnosticError``: openshift-template, resource-invalid.
    """
    values = _values(template, parameters)
    labels = object_at(_substituted(template.content.get("labels"), values))
    for index, written in enumerate(_objects(template)):
        origin = template.origin.below("objects", index)
        content = check_identity(Resource(object_at(written), origin)).content
        metadata = object_at(content, "metadata")
        if "namespace" in metadata and not TEXT_REFERENCE.search(scalar_text(metadata["namespace"])):
            content = without(content, "metadata", "namespace")
        content = object_at(_substituted(content, values))
        yield check_identity(Resource(content, origin)), labels


def _confidential_values(template: Resource, parameters: Mapping[str, str]) -> Iterator[str]:
    """Yield the values of parameters that go into confidential fields of the Template's objects."""
    own = {text_at(each, "name"): each for each in array_at(template.content, "parameters")}
    for name in confidential_parameters(template.content):
        if name in parameters or name in own:
            yield parameters.get(name, scalar_text(object_at(own.get(name)).get("value", "")))


def _objects(template: Resource) -> Sequence[Json]:
    return array_at(template.content, "objects")


def _values(template: Resource, parameters: Mapping[str, str]) -> dict[str, str]:
    """Return each parameter's value. Raises ``DiagnosticError`` naming all required ones without a value."""
    values: dict[str, str] = {}
    findings: list[Diagnostic] = []
    for index, parameter in enumerate(array_at(template.content, "parameters")):
        name = text_at(parameter, "name")
        value = parameters.get(name, scalar_text(object_at(parameter).get("value", "")))
        values[name] = value
        if value:
            continue
        if text_at(parameter, "generate"):
            problem = "would get a random value"
        elif object_at(parameter).get("required") is True:
            problem = "is required and has no value"
        else:
            continue
        findings.append(
            Diagnostic.about(
                template,
                FieldPath.of("parameters", index),
                Code.OPENSHIFT_TEMPLATE,
                f"the parameter {name} of the Template {template.name} {problem}",
                f"give it a value under parameters of the overlay in vmrender.yaml: {name}: …",
            )
        )
    if findings:
        raise DiagnosticError(*findings)
    return values


def _undeclared(templates: list[Resource], parameters: Mapping[str, str]) -> list[Diagnostic]:
    """Return a finding for each parameter that no Template declares."""
    known = [
        text_at(each, "name") for template in templates for each in array_at(template.content, "parameters")
    ]
    return [
        Diagnostic.about(
            templates[0],
            FieldPath.of("parameters"),
            Code.OPENSHIFT_TEMPLATE,
            f"no Template of the overlay has a parameter {name}",
            did_you_mean(name, known) or f"its parameters are {', '.join(known)}",
        )
        for name in parameters
        if templates and name not in known
    ]


def _substituted(value: Json, values: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return _substituted_text(value, values)
    if isinstance(value, dict):
        return {
            scalar_text(_substituted_text(key, values)): _substituted(each, values)
            for key, each in value.items()
        }
    if isinstance(value, list):
        return [_substituted(each, values) for each in value]
    return value


def _substituted_text(text: str, values: Mapping[str, str]) -> Json:
    whole = VALUE_REFERENCE.fullmatch(text)
    if whole is None or whole[1] not in values:
        return substituted_text(text, values)
    value = values[whole[1]]
    read = json_or_text(value)
    if taint_masking().is_in(value):
        taint_new_parts(read, None)
    return read


def _with_labels(resource: Resource, labels: JsonObject) -> Resource:
    if not labels:
        return resource
    metadata: dict[str, Any] = dict(object_at(resource.content, "metadata"))
    metadata["labels"] = {**object_at(metadata, "labels"), **labels}
    return resource._replace(content={**resource.content, "metadata": metadata})
