"""OpenShift Templates, processed as ``oc process --local`` does.

openshift/library-go ``pkg/template/templateprocessing/template.go``: ``${NAME}`` may be anywhere in a string;
``${{NAME}}`` must be the whole string and can become any value; a namespace without a parameter is dropped;
labels of the Template are added to all of its objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from renderer.kubevirt.facts.kubernetes_identity import check_identity
from renderer.kubevirt.vm_template.references import (
    TEXT_REFERENCE,
    VALUE_REFERENCE,
    json_or_text,
    substituted_text,
)
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import (
    Json,
    JsonObject,
    array_at,
    object_at,
    scalar_text,
    text_at,
    without,
)
from renderer.model.kube.resource import Resource, ResourceSet

_GROUP = "template.openshift.io"


def is_template(resource: Resource) -> bool:
    """Return True for an OpenShift Template; ``oc`` also reads Templates of API version ``v1``."""
    return resource.kind == "Template" and resource.gvk.group in (_GROUP, "")


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


def process(
    template: Resource, parameters: Mapping[str, str]
) -> Iterator[tuple[Resource, Resource, JsonObject]]:
    """Yield the objects of one Template: as written, as made, and the labels to add.

    Raises ``DiagnosticError``: openshift-template, resource-invalid.
    """
    values = _values(template, parameters)
    labels = object_at(_substituted(template.content.get("labels"), values))
    for index, each in enumerate(_objects(template)):
        layers = tuple(layer.below("objects", index) for layer in template.layers)
        written = Resource(object_at(each), template.origin.below("objects", index), layers)
        content = check_identity(written).content
        metadata = object_at(content, "metadata")
        if "namespace" in metadata and not TEXT_REFERENCE.search(scalar_text(metadata["namespace"])):
            content = without(content, "metadata", "namespace")
        made = Resource(object_at(_substituted(content, values)), written.origin, layers)
        yield written.with_content(content), check_identity(made), labels


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
    return json_or_text(values[whole[1]])
