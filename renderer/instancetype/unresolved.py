"""What another tool has yet to fill in: what depends on it is not known, and so nobody's mistake."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.cause import Cause
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.kubevirt.placeholders import placeholder_in
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at

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


def depends_on(cause: Cause, content: JsonObject) -> str | None:
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
