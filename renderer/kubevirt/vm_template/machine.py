"""The machine in a template as far as it is known before somebody processes the template."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import VM
from renderer.kubevirt.vm_template.processing import substituted_machine
from renderer.kubevirt.vm_template.references import names_in
from renderer.kubevirt.vm_template.refusal import TemplateRefusedError
from renderer.kubevirt.vm_template.template import MACHINE, PARAMETERS, read_template
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource

#: The name of a machine that has none: who makes it gives one.
_SOME_NAME = "${NAME}"


def known_machine(template: Resource) -> Resource | None:
    """Return the machine with the values of the parameters that have one; references to others stay.

    It is in the namespace of the template, where the subresource makes it. None if there is no machine, or if
    the values cannot be put in, which is reported about the template.
    """
    try:
        read = read_template(template.content)
        if not isinstance(read.machine, dict):
            return None
        values = {parameter.name: parameter.value for parameter in read.parameters if parameter.value}
        machine = substituted_machine(read.machine, values)
    except TemplateRefusedError:
        return None
    metadata = machine.get("metadata", {})
    if not isinstance(metadata, dict):
        return None
    namespace = text_at(metadata, "namespace") or template.namespace
    named = {} if metadata.get("name") or metadata.get("generateName") else {"name": _SOME_NAME}
    content = as_machine({**machine, "metadata": {**metadata, **named}})
    if namespace:
        content = {**content, "metadata": {**object_at(content, "metadata"), "namespace": namespace}}
    return Resource(
        content,
        template.origin.child(MACHINE),
        layers=tuple(layer.child(MACHINE) for layer in template.layers),
    )


def as_machine(substituted: JsonObject) -> JsonObject:
    """Return a tree with the API version and kind that the engine forces."""
    forced: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": VM}
    return {**forced, **{key: value for key, value in substituted.items() if key not in forced}}


def parameter_places(template: Resource, field: FieldPath) -> Iterator[tuple[str, FieldPath]]:
    """Yield the parameters with a value that a field of the machine refers to, each with its place."""
    written = value_at(template.content, (*MACHINE.segments, *field.segments))
    names = {*names_in(written)} if isinstance(written, str) else set()
    for index, parameter in enumerate(array_at(template.content, "spec", "parameters")):
        if text_at(parameter, "name") in names and text_at(parameter, "value"):
            yield text_at(parameter, "name"), PARAMETERS.child(index, "value")
