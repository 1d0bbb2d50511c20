"""Causes as diagnostics: with the files and lines of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from renderer.instancetype.api.types import later_fields
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import INSTANCETYPE_GROUP
from renderer.instancetype.cause import Cause, CauseError
from renderer.instancetype.find import spec_type_of
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.matcher_warnings import deciding_placeholder
from renderer.instancetype.object_admission import admit_object
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity
from renderer.model.field_path import ROOT, FieldPath
from renderer.model.location import BUILTIN_SCHEME
from renderer.model.release import Release
from renderer.model.resource import Resource, ResourceSet

_MATCHER_TYPES = {
    kind: matcher_type for matcher_type in (INSTANCETYPE, PREFERENCE) for kind in matcher_type.kinds
}


def vm_diagnostics(error: CauseError | DiagnosticError, vm: VirtualMachine) -> tuple[Diagnostic, ...]:
    """What is wrong with the VirtualMachine."""
    if isinstance(error, CauseError):
        return tuple(_of_vm(cause, vm) for cause in error.causes)
    return tuple(_placed(diagnostic, vm) for diagnostic in error.diagnostics)


def check_objects(own: ResourceSet, used: Iterable[Resource], behaviour: Behaviour) -> Iterator[Diagnostic]:
    """What KubeVirt refuses in instance types and preferences: the overlay's own, and all that are used.

    What it only warns of is told of the own ones; those of catalogs are not the user's to change. Of these,
    what the release does not know yet is told, as machines go without it and no schema is asked.
    """
    for resource in own:
        yield from _check_object(resource, behaviour)
    owned = {id(resource) for resource in own}
    for resource in used:
        if id(resource) not in owned:
            yield from (d for d in _check_object(resource, behaviour) if d.severity is Severity.ERROR)
            if not resource.origin.path.startswith(BUILTIN_SCHEME):
                yield from _left_out(resource, behaviour.release)


def _check_object(resource: Resource, behaviour: Behaviour) -> Iterator[Diagnostic]:
    kind = resource.content.get("kind")
    matcher_type = _MATCHER_TYPES.get(kind) if isinstance(kind, str) else None
    if matcher_type is None or resource.gvk.group != INSTANCETYPE_GROUP:
        return
    try:
        admission = admit_object(resource.content, matcher_type, behaviour)
    except CauseError as error:
        yield from _refusals(error.causes, resource)
        return
    yield from _refusals(admission.causes, resource)
    for warning in admission.warnings:
        yield replace(_diagnostic(warning, resource, warning.at), severity=Severity.WARNING)


def _left_out(resource: Resource, release: Release) -> Iterator[Diagnostic]:
    """What virtual machines do not get from an instance type or preference, as the release is too old."""
    spec_type = spec_type_of(_MATCHER_TYPES[resource.kind], resource.gvk.version)
    for below, since in later_fields(spec_type, resource.content.get("spec"), release):
        field = FieldPath.of("spec", *below.segments)
        yield Diagnostic(
            code=Code.UNKNOWN_FIELD,
            severity=Severity.WARNING,
            message=f"{field} needs KubeVirt {since}; for {release} virtual machines are expanded without it",
            sites=resource.sites(field),
            resource=resource.current_id,
            field=field,
        )


def _refusals(causes: Iterable[Cause], resource: Resource) -> Iterator[Diagnostic]:
    """What is wrong with an object; of a placeholder its schema tells."""
    for cause in causes:
        if deciding_placeholder(cause, resource.content) is None:
            yield _diagnostic(cause, resource, cause.at)


def _of_vm(cause: Cause, vm: VirtualMachine) -> Diagnostic:
    found = _diagnostic(cause, vm.resource, vm.field(cause.at))
    placeholder = deciding_placeholder(cause, vm.content)
    if placeholder:
        message = f"the VM is not expanded, as it depends on the placeholder {placeholder}"
        return replace(found, code=Code.PLACEHOLDER, severity=Severity.WARNING, message=message, hint=None)
    beside = (Related(str(at), vm.resource.sites(at)) for at in map(vm.field, cause.beside))
    return replace(found, related=(*beside, *found.related))


def _diagnostic(cause: Cause, resource: Resource, at: FieldPath) -> Diagnostic:
    return Diagnostic(
        code=cause.code,
        message=cause.message,
        sites=resource.sites(at),
        resource=resource.current_id,
        field=at,
        hint=cause.hint,
        related=cause.related,
    )


def _placed(diagnostic: Diagnostic, vm: VirtualMachine) -> Diagnostic:
    """A diagnostic of a value, which knows no file, with the VirtualMachine that has the value."""
    if diagnostic.sites or diagnostic.location:
        return diagnostic
    at = vm.field(diagnostic.field or ROOT)
    return replace(diagnostic, sites=vm.resource.sites(at), resource=vm.resource.current_id, field=at)
