"""Warnings about matchers: a placeholder in one, one with nothing after it, and one whose revision holds another object."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.cause import Cause
from renderer.instancetype.find import Found
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE, Matcher
from renderer.instancetype.resolve import Matchers, ResolvedMatchers
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.placeholders import placeholder_in
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at, text_at

#: What is wrong whatever the value may be.
_CERTAIN = frozenset({Code.CONFLICT, Code.CUSTOM_SIZE})


def unresolved_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """A warning for each text in the matchers of ``vm`` that holds a placeholder."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        for key, value in object_at(vm.spec, matcher_type.key).items():
            placeholder = placeholder_in(value)
            if placeholder:
                at = vm.field(matcher_type.path.child(key))
                yield Diagnostic(
                    code=Code.PLACEHOLDER,
                    severity=Severity.WARNING,
                    message=f"{at} holds the placeholder {placeholder}, so that the VM is not expanded",
                    sites=vm.resource.sites(at),
                    resource=vm.resource.current_id,
                    field=at,
                )


def deciding_placeholder(cause: Cause, content: JsonObject) -> str | None:
    """The placeholder in ``content`` that decides about the cause; None for one that holds in any case.

    It is in the value that the cause is about, beside one that is missing, or, of an instance type, in what
    the cause quotes.
    """
    if cause.code in _CERTAIN:
        return None
    value = _value(content, cause.at)
    if value is None:
        value = _value(content, cause.at.parent)
    return placeholder_in(cause.message) or next(_placeholders(value), None)


def _placeholders(value: Json) -> Iterator[str]:
    if isinstance(value, dict | list):
        for child in value.values() if isinstance(value, dict) else value:
            yield from _placeholders(child)
        return
    placeholder = placeholder_in(value)
    if placeholder:
        yield placeholder


def _value(content: JsonObject, at: FieldPath) -> Json:
    value: Json = content
    for segment in at.segments:
        if isinstance(value, dict) and isinstance(segment, str):
            value = value.get(segment)
        elif isinstance(value, list) and isinstance(segment, int) and segment < len(value):
            value = value[segment]
        else:
            return None
    return value


def empty_matchers(vm: VirtualMachine) -> Iterator[Diagnostic]:
    """A warning for each matcher of ``vm`` that is null, which no schema sees once the VM is expanded."""
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        if matcher_type.key in vm.spec and vm.spec[matcher_type.key] is None:
            at = vm.field(matcher_type.path)
            yield Diagnostic(
                code=Code.SCHEMA,
                severity=Severity.WARNING,
                message=f"{at} has nothing after it",
                sites=vm.resource.sites(at),
                resource=vm.resource.current_id,
                field=at,
                hint=f"set {at}.name, or leave {at} out; the API server drops it as it is",
            )


def mismatches(vm: VirtualMachine, matchers: Matchers, selected: ResolvedMatchers) -> Iterator[Diagnostic]:
    """A warning for each matcher whose name has no effect, as its ``revisionName`` holds something else.

    KubeVirt takes the revision, but refuses the change of a VirtualMachine that leads there
    (``pkg/instancetype/webhooks/vm``, #9132).
    """
    pairs = ((matchers.instancetype, selected.instancetype), (matchers.preference, selected.preference))
    for matcher, found in pairs:
        if matcher is not None and found is not None and found.is_revision:
            held = text_at(found.resource.content, "data", "metadata", "name")
            if held and held != matcher.name:
                yield _mismatch(vm, matcher, found, held)


def _mismatch(vm: VirtualMachine, matcher: Matcher, found: Found, held: str) -> Diagnostic:
    noun, name = found.matcher_type.noun, vm.field(found.matcher_type.path.child("name"))
    return Diagnostic(
        code=Code.REVISION_MISMATCH,
        severity=Severity.WARNING,
        message=f"{noun} {matcher.name} has no effect: the revision that counts holds {held}",
        sites=vm.resource.sites(name),
        resource=vm.resource.current_id,
        field=name,
        hint="pin it anew (vmrender pin --update), or take revisionName away",
        related=(Related(f"the revision: {found.resource.name}", found.resource.sites(found.field)),),
    )
