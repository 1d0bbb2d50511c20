"""A template's refusals as findings: where the user wrote the field, and what to write there.

No value of a parameter is quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from renderer.kubevirt.facts.kinds import VM_TEMPLATE, VM_TEMPLATE_GROUP
from renderer.kubevirt.vm_template.admission import review
from renderer.kubevirt.vm_template.expression import BadExpressionReason
from renderer.kubevirt.vm_template.references import names_in
from renderer.kubevirt.vm_template.refusal import TOO_LARGE, Refusal, RefusalCode, TemplateRefusedError
from renderer.kubevirt.vm_template.template import (
    MACHINE,
    PARAMETERS,
    SERVED_SINCE,
    read_template,
)
from renderer.kubevirt.vm_template.typed_machine import types_of
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from renderer.model.suggest import did_you_mean, suggest

_API_VERSION = FieldPath.of("apiVersion")
_LENGTH = "write [set]{n} with a length from 1 to 255"
_ORDER = "a range goes forward in the order a-z, A-Z, 0-9, as in a-9"
_EXPRESSIONS = {
    BadExpressionReason.LENGTH_NOT_A_NUMBER: ("its length is not a number", _LENGTH),
    BadExpressionReason.LENGTH_TOO_LARGE: ("its length is too large", _LENGTH),
    BadExpressionReason.LENGTH_OUT_OF_RANGE: ("its length is not between 1 and 255", _LENGTH),
    BadExpressionReason.REVERSED_RANGE: ("a range goes backwards", _ORDER),
    BadExpressionReason.RANGE_START: ("a range does not start with a letter or digit", _ORDER),
    BadExpressionReason.RANGE_END: ("a range does not end with a letter or digit", _ORDER),
    BadExpressionReason.NO_CHARACTER: ("a set has no character", "write a set such as [a-z0-9]"),
}
#: What the schema of the template reports at the same field.
_OF_THE_SCHEMA = frozenset(
    {
        RefusalCode.TEMPLATE_DOES_NOT_DECODE,
        RefusalCode.MACHINE_MISSING,
        RefusalCode.MACHINE_NOT_OBJECT,
        RefusalCode.UNKNOWN_GENERATOR,
    }
)


def is_of_virt_template(resource: Resource) -> bool:
    """Return True for an object of virt-template's API."""
    return resource.gvk.group == VM_TEMPLATE_GROUP


def is_vm_template(resource: Resource) -> bool:
    """Return True for a VirtualMachineTemplate."""
    return resource.kind == VM_TEMPLATE and resource.gvk.group == VM_TEMPLATE_GROUP


def version_findings(resource: Resource, release: Release) -> Iterator[Diagnostic]:
    """Yield a warning for an API version that the virt-template of a release does not serve."""
    version = resource.gvk.version
    since = SERVED_SINCE.get(version)
    if since is None or release >= since:
        return
    deployed = f"KubeVirt {release.number}"
    served = next((name for name, first in SERVED_SINCE.items() if release >= first), None)
    if served is None:
        message = f"{deployed} has no {resource.kind}: virt-template comes with KubeVirt 1.8"
        yield Diagnostic.about(
            resource,
            _API_VERSION,
            Code.VM_TEMPLATE,
            message,
            "install virt-template beside it, or wait for that release",
            severity=Severity.WARNING,
        )
        return
    yield Diagnostic.about(
        resource,
        _API_VERSION,
        Code.VM_TEMPLATE,
        f"the virt-template of {deployed} does not serve {resource.api_version}",
        f"write apiVersion: {VM_TEMPLATE_GROUP}/{served}",
        severity=Severity.WARNING,
        fix=SetField(_API_VERSION, f"{VM_TEMPLATE_GROUP}/{served}"),
    )


def request_findings(resource: Resource) -> Iterator[Diagnostic]:
    """Yield what the definition of a VirtualMachineTemplateRequest refuses, or later its controller."""
    for label in object_at(resource.content, "spec", "templateLabels"):
        if label.startswith(f"{VM_TEMPLATE_GROUP}/"):
            yield Diagnostic.about(
                resource,
                FieldPath.of("spec", "templateLabels", label),
                Code.ADMISSION,
                f"the API server refuses the label {label}: its prefix is reserved",
                "drop it, or use a prefix of your own",
            )
    reference = object_at(resource.content, "spec", "virtualMachineRef")
    if reference.get("namespace") == "":
        yield Diagnostic.about(
            resource,
            FieldPath.of("spec", "virtualMachineRef", "namespace"),
            Code.ADMISSION,
            "virt-template fails the request: the namespace of the machine is empty",
            "name the namespace that the machine is in",
        )


def webhook_findings(resource: Resource, release: Release, *, is_machine_sound: bool) -> Iterator[Diagnostic]:
    """Yield what the webhook warns about and refuses, except what the template's own schema reports.

    If the machine is not sound, its own findings already say what does not fit.
    """
    try:
        admission = review(read_template(resource.content), types_of(release))
    except TemplateRefusedError:  # it does not decode, which the schema reports
        return
    for unused in admission.unused:
        if unused.name:
            yield Diagnostic.about(
                resource,
                unused.at,
                Code.VM_TEMPLATE,
                f"nothing in the template refers to the parameter {unused.name}",
                f"drop it, or write ${{{unused.name}}} where its value belongs",
                severity=Severity.WARNING,
            )
    reported = _OF_THE_SCHEMA if is_machine_sound else {*_OF_THE_SCHEMA, RefusalCode.DOES_NOT_FIT}
    yield from findings_of(resource, [each for each in admission.webhook if each.code not in reported])


def findings_of(resource: Resource, refusals: Iterable[Refusal]) -> Iterator[Diagnostic]:
    """Yield refusals as errors about the template."""
    places: dict[str, FieldPath] = {}
    for refusal in refusals:
        if refusal.code is RefusalCode.UNDEFINED_PARAMETER and not places:
            places = {**_references(resource)}
        yield _finding_of(resource, refusal, places)


def _finding_of(resource: Resource, refusal: Refusal, places: Mapping[str, FieldPath]) -> Diagnostic:
    name, at = text_at(refusal.details, "parameter"), refusal.at
    fix: SetField | None = None
    match refusal.code:
        case RefusalCode.UNDEFINED_PARAMETER:
            at = places[name]
            known = [text_at(each, "name") for each in array_at(resource.content, "spec", "parameters")]
            message = f"the template has no parameter {name}"
            fix = _corrected(resource, at, name, suggest(name, known))
            hint = did_you_mean(name, known) or (
                f"add it under spec.parameters; there is no escape, so a script has to write ${name}"
            )
        case RefusalCode.TEMPLATE_DOES_NOT_DECODE:
            at, message = FieldPath.of("spec"), "one of its fields has another type than in the API"
            hint = "correct it; without parameters in vmrender.yaml, its schema says which one"
        case RefusalCode.MACHINE_MISSING | RefusalCode.MACHINE_NOT_OBJECT:
            at, message = MACHINE, "spec.virtualMachine is not a mapping"
            hint = "write the VirtualMachine there, with metadata and spec"
        case RefusalCode.UNKNOWN_GENERATOR:
            message, hint = "there is no such generator", "write generate: expression, or give a value"
        case RefusalCode.EMPTY_PARAMETER_NAME:
            message, hint = "the parameter has no name", "give it one"
        case RefusalCode.DUPLICATE_PARAMETER:
            message, hint = f"another parameter is named {name}, too", "rename one of them"
        case RefusalCode.EMPTY_FROM:
            message = "the generator has no expression"
            hint = "write one, such as from: '[a-z0-9]{8}'"
        case RefusalCode.BAD_EXPRESSION:
            why, hint = _EXPRESSIONS[BadExpressionReason(text_at(refusal.details, "reason"))]
            message = f"the generator cannot read the expression: {why}"
        case RefusalCode.REQUIRED_PARAMETER:
            message = f"the parameter {name} is required and has no value"
            hint = "give it a value or a generator"
        case RefusalCode.NON_STRING_FORM:
            at, message, hint = _non_string_form(resource, refusal)
        case _:
            at, message, hint = _misfit(refusal)
    message = f"virt-template refuses the template: {message}"
    return Diagnostic.about(resource, at, Code.ADMISSION, message, hint, fix=fix)


def _corrected(resource: Resource, at: FieldPath, name: str, suggested: Sequence[str]) -> SetField | None:
    """Return the edit that refers to the only parameter of a similar name; None for a key."""
    written = value_at(resource.content, at.segments)
    if len(suggested) != 1 or not isinstance(written, str) or name not in names_in(written):
        return None
    right = suggested[0]
    corrected = written.replace(f"${{{name}}}", f"${{{right}}}").replace(
        f"${{{{{name}}}}}", f"${{{{{right}}}}}"
    )
    return SetField(at, corrected)


def _non_string_form(resource: Resource, refusal: Refusal) -> tuple[FieldPath, str, str]:
    name = refusal.parameter
    names = [text_at(each, "name") for each in array_at(resource.content, "spec", "parameters")]
    at = PARAMETERS.child(names.index(name)) if name in names else PARAMETERS
    if text_at(refusal.details, "reason") == "null":
        message = f"the parameter {name} is null where ${{{{{name}}}}} is written"
        return at, message, f"give it another value, or write ${{{name}}} for the text null"
    message = f"the parameter {name} is not a text where ${{{{{name}}}}} is a key"
    return at, message, f"write ${{{name}}} in the key"


def _misfit(refusal: Refusal) -> tuple[FieldPath, str, str]:
    """Return the field in the machine that does not fit, in what words, and what to do."""
    details, at = refusal.details, MACHINE
    if refusal.in_machine is not None:
        at = MACHINE.child(*refusal.in_machine.segments)
    if details.get("fields"):
        names = ", ".join(map(str, array_at(details, "fields")))
        return at, f"a VirtualMachine has no field {names}", "correct the name, or drop the field"
    if text_at(details, "reason") == TOO_LARGE:
        return at, "a number is too large for JSON in Go (float64)", "write a smaller one, or a text"
    where = text_at(details, "at") or "the machine"
    want = text_at(details, "want")
    kind = f"of the Go type {want}" if want else "of the type of that field"
    kind = {"quantity": "a quantity", "time": "a time", "duration": "a duration"}.get(
        text_at(details, "reason"), kind
    )
    message = f"{where} is not {kind} once parameters have their values"
    return at, message, "correct it; ${{NAME}} gives a number or a boolean, ${NAME} always a text"


def _references(resource: Resource) -> dict[str, FieldPath]:
    """Return the first field that refers to each parameter."""
    places: dict[str, FieldPath] = {}
    machine = value_at(resource.content, MACHINE.segments)
    for name, at in _referring(machine, MACHINE):
        places.setdefault(name, at)
    for name in names_in(text_at(resource.content, "spec", "message")):
        places.setdefault(name, FieldPath.of("spec", "message"))
    return places


def _referring(value: Json, at: FieldPath) -> Iterator[tuple[str, FieldPath]]:
    if isinstance(value, str):
        yield from ((name, at) for name in names_in(value))
    elif isinstance(value, dict):
        for key, child in value.items():
            yield from ((name, at.child(key)) for name in names_in(key))
            yield from _referring(child, at.child(key))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from _referring(child, at.child(index))
