"""Admit a VirtualMachineTemplate: the schema of its definition, then its webhook, for create and for update.

``internal/webhook`` of kubevirt/virt-template: references, and then processing, unless a required parameter
has neither value nor generator.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.golang.go_types import GoTypes
from renderer.kubevirt.vm_template.processing import (
    Processed,
    UndefinedParametersError,
    UnusedParameter,
    check_references,
    process,
)
from renderer.kubevirt.vm_template.refusal import Refusal, RefusalCode, TemplateRefusedError
from renderer.kubevirt.vm_template.template import MACHINE, PARAMETERS, Template, read_template
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at
from renderer.model.pattern import pattern
from renderer.model.record import Record

_GENERATORS = ("expression",)
_FROM = pattern(r"\[([a-zA-Z0-9\-\\]+)\](\{(\w+)\})")
_SPEC_FIELDS = ("virtualMachine", "parameters", "message")
_PARAMETER_FIELDS = ("name", "displayName", "description", "value", "generate", "from", "required")


class Admission(Record):
    """The decision about a template; it is not processed if the parameters ``skipped`` have no value."""

    schema: tuple[Refusal, ...] = ()
    webhook: tuple[Refusal, ...] = ()
    unused: tuple[UnusedParameter, ...] = ()
    skipped: tuple[str, ...] = ()
    processed: Processed | None = None

    @property
    def is_allowed(self) -> bool:
        """True if neither the schema nor the webhook refuses the template."""
        return not self.schema and not self.webhook


def admit(content: JsonObject, types: GoTypes) -> Admission:
    """Return the decision about a template that is created or updated: the old one is not read."""
    problems = tuple(schema_problems(content))
    return Admission(schema=problems) if problems else review(read_template(content), types)


def review(template: Template, types: GoTypes) -> Admission:
    """Return the decision of the webhook."""
    try:
        unused = check_references(template)
    except UndefinedParametersError as error:
        return Admission(webhook=error.refusals, unused=error.unused)
    except TemplateRefusedError as error:
        return Admission(webhook=error.refusals)
    skipped = tuple(
        parameter.name
        for parameter in template.parameters
        if parameter.required and not parameter.value and not parameter.generate
    )
    if skipped:
        return Admission(unused=unused, skipped=skipped)
    try:
        return Admission(unused=unused, processed=process(template, types))
    except TemplateRefusedError as error:
        return Admission(webhook=error.refusals, unused=unused)


def schema_problems(content: JsonObject) -> Iterator[Refusal]:
    """Yield what the schema of the definition refuses in the spec; a null is like an absent field."""
    spec = content.get("spec")
    if spec is None:
        yield Refusal(RefusalCode.SCHEMA_REQUIRED, FieldPath.of("spec"))
        return
    if not isinstance(spec, dict):
        yield Refusal(RefusalCode.SCHEMA_TYPE, FieldPath.of("spec"))
        return
    machine = spec.get("virtualMachine")
    if machine is None:
        yield Refusal(RefusalCode.SCHEMA_REQUIRED, MACHINE)
    elif not isinstance(machine, dict):
        yield Refusal(RefusalCode.SCHEMA_TYPE, MACHINE)
    yield from _check_type(spec.get("message"), str, FieldPath.of("spec", "message"))
    parameters = spec.get("parameters")
    if not isinstance(parameters, list | None):
        yield Refusal(RefusalCode.SCHEMA_TYPE, PARAMETERS)
        return
    for index, parameter in enumerate(parameters or ()):
        yield from _parameter_problems(parameter, PARAMETERS.child(index))


def _parameter_problems(parameter: Json, at: FieldPath) -> Iterator[Refusal]:
    if not isinstance(parameter, dict):
        yield Refusal(RefusalCode.SCHEMA_TYPE, at)
        return
    if parameter.get("name") is None:
        yield Refusal(RefusalCode.SCHEMA_REQUIRED, at.child("name"))
    for name in ("name", "displayName", "description", "value", "generate", "from"):
        yield from _check_type(parameter.get(name), str, at.child(name))
    yield from _check_type(parameter.get("required"), bool, at.child("required"))
    generate, expression = parameter.get("generate"), parameter.get("from")
    if isinstance(generate, str) and generate not in _GENERATORS:
        yield Refusal(RefusalCode.SCHEMA_ENUM, at.child("generate"))
    if isinstance(expression, str) and not _FROM.search(expression):
        yield Refusal(RefusalCode.SCHEMA_PATTERN, at.child("from"))


def _check_type(value: Json, type_: type, at: FieldPath) -> Iterator[Refusal]:
    if value is not None and not isinstance(value, type_):
        yield Refusal(RefusalCode.SCHEMA_TYPE, at)


def pruned(content: JsonObject) -> Iterator[FieldPath]:
    """Yield the fields that the API server drops, in the order of the document."""
    yield from (ROOT.child(name) for name in content if name not in _TOP_FIELDS)
    spec = object_at(content, "spec")
    yield from (FieldPath.of("spec", name) for name in spec if name not in _SPEC_FIELDS)
    for index, parameter in enumerate(array_at(spec, "parameters")):
        for name in object_at(parameter):
            if name not in _PARAMETER_FIELDS:
                yield PARAMETERS.child(index, name)


_TOP_FIELDS = ("apiVersion", "kind", "metadata", "spec", "status")
