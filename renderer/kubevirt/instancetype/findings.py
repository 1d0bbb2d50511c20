"""Turn causes into diagnostics, with the files and lines of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.kubevirt.facts.kinds import INSTANCETYPE_GROUP, MATCHER_TYPE_OF
from renderer.kubevirt.instancetype.api.types import later_fields
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.find import spec_type_of
from renderer.kubevirt.instancetype.object_checks import check_object
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.field_edit import edit_below
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.location import BUILTIN_SCHEME
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.placeholders import placeholder_in
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode

#: The codes of causes that are certain, whatever value a placeholder gets.
_CERTAIN = frozenset({Code.CONFLICT, Code.CUSTOM_SIZE})


def vm_diagnostics(
    error: CauseError | DiagnosticError, vm: VirtualMachine, mode: ExpandMode | None = None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics for an error in a VirtualMachine.

    With a ``mode`` the VirtualMachine is written as it is if only the cluster knows what it infers.
    """
    if isinstance(error, CauseError):
        return tuple(_offline_level(_vm_diagnostic(cause, vm), cause, mode) for cause in error.causes)
    return tuple(_located(diagnostic, vm) for diagnostic in error.diagnostics)


def check_objects(
    resources: ResourceSet, used: Iterable[Resource], behaviour: Behaviour
) -> Iterator[Diagnostic]:
    """Yield KubeVirt's rejections of instance types and preferences: the overlay's own, and all used ones.

    KubeVirt's warnings are only reported for the overlay's own objects, because the user cannot change a
    catalog. Fields of catalog objects that the release does not know yet are reported: machines do not get
    them, and no schema checks them.
    """
    for resource in resources:
        yield from _object_diagnostics(resource, behaviour)
    checked = {id(resource) for resource in resources}
    for resource in used:
        if id(resource) not in checked:
            yield from (d for d in _object_diagnostics(resource, behaviour) if d.severity is Severity.ERROR)
            if not resource.origin.path.startswith(BUILTIN_SCHEME):
                yield from _unknown_field_warnings(resource, behaviour.release)


def _object_diagnostics(resource: Resource, behaviour: Behaviour) -> Iterator[Diagnostic]:
    kind = resource.content.get("kind")
    matcher_type = MATCHER_TYPE_OF.get(kind) if isinstance(kind, str) else None
    if matcher_type is None or resource.gvk.group != INSTANCETYPE_GROUP:
        return
    try:
        verdict = check_object(resource.content, matcher_type, behaviour)
    except CauseError as error:
        yield from _rejections(error.causes, resource)
        return
    yield from _rejections(verdict.causes, resource)
    for warning in verdict.warnings:
        yield _diagnostic(warning, resource)._replace(severity=Severity.WARNING)


def _unknown_field_warnings(resource: Resource, release: Release) -> Iterator[Diagnostic]:
    """Yield the fields that virtual machines do not get, because the release is too old for them."""
    spec_type = spec_type_of(MATCHER_TYPE_OF[resource.kind], resource.gvk.version)
    for below, since in later_fields(spec_type, resource.content.get("spec"), release):
        field = FieldPath.of("spec", *below.segments)
        message = (
            f"{field} needs KubeVirt {since.as_bound}; for {release} virtual machines are expanded without it"
        )
        yield Diagnostic.about(resource, field, Code.UNKNOWN_FIELD, message, severity=Severity.WARNING)


def _rejections(causes: Iterable[ExpansionCause], resource: Resource) -> Iterator[Diagnostic]:
    """Yield the diagnostics for causes; the schema stage reports values with a placeholder."""
    for cause in causes:
        if _deciding_placeholder(cause, resource.content) is None:
            yield _diagnostic(cause, resource)


def _vm_diagnostic(cause: ExpansionCause, vm: VirtualMachine) -> Diagnostic:
    found = _diagnostic(cause, vm.resource, vm.base)
    placeholder = _deciding_placeholder(cause, vm.content)
    if placeholder:
        message = f"the VM is not expanded, as it depends on the placeholder {placeholder}"
        return found._replace(
            code=Code.PLACEHOLDER, severity=Severity.WARNING, message=message, hint=None, fix=None
        )
    involved = (Related(str(at), vm.resource.sites(at)) for at in map(vm.field, cause.involved))
    return found._replace(related=(*involved, *found.related))


def _offline_level(found: Diagnostic, cause: ExpansionCause, mode: ExpandMode | None) -> Diagnostic:
    """Return a finding about an object that the cluster may have: an error only if it is needed here."""
    if mode is None or cause.offline is None or found.severity is not Severity.ERROR:
        return found
    if cause.offline is Severity.ERROR:
        if mode is not ExpandMode.OFF:
            return found
        message = f"{cause.message}; without it, KubeVirt rejects the VM"
        return found._replace(code=Code.NOT_INFERRED, severity=Severity.WARNING, message=message)
    if mode is ExpandMode.OFF:
        return found._replace(severity=Severity.INFO, message=f"{cause.message}; it is not checked")
    message = f"{cause.message}; the VM is not expanded"
    hint = f'{cause.hint}; expand: "off" leaves it to the cluster'
    return found._replace(severity=cause.offline, message=message, hint=hint)


def _diagnostic(cause: ExpansionCause, resource: Resource, base: FieldPath = ROOT) -> Diagnostic:
    """Return the cause as a diagnostic about ``resource``, whose object at ``base`` it is about."""
    return Diagnostic.about(
        resource,
        base.child(*cause.at.segments),
        cause.code,
        cause.message,
        cause.hint,
        related=cause.related,
        fix=None if cause.fix is None else edit_below(base, cause.fix),
    )


def _located(diagnostic: Diagnostic, vm: VirtualMachine) -> Diagnostic:
    """Locate a diagnostic of a value, which has no file, at the VirtualMachine that has the value."""
    if diagnostic.sites or diagnostic.location:
        return diagnostic
    at = vm.field(diagnostic.field or ROOT)
    return diagnostic._replace(sites=vm.resource.sites(at), resource=vm.resource.current_id, field=at)


def _deciding_placeholder(cause: ExpansionCause, content: JsonObject) -> str | None:
    """Return the placeholder that decides about the cause; None for a cause that is certain.

    It is in the value that the cause is about, next to a missing value, or in the message of the cause.
    """
    if cause.code in _CERTAIN:
        return None
    value = value_at(content, cause.at.segments)
    if value is None:
        value = value_at(content, cause.at.parent.segments)
    return placeholder_in(cause.message) or next(_placeholders(value), None)


def _placeholders(value: Json) -> Iterator[str]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _placeholders(child)
        return
    placeholder = placeholder_in(value)
    if placeholder:
        yield placeholder
