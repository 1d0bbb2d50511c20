"""Causes as diagnostics: where the user wrote the field, or which object set it."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from renderer.kubevirt.admission.causes import Cause, WebhookAnswer
from renderer.kubevirt.facts.placeholders import has_placeholder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at, text_at
from renderer.model.res_id import ResId
from renderer.model.resource import ResourceSet
from renderer.model.suggest import suggest

_PARTIES = {"instancetype": "instance type", "preference": "preference"}
#: Fields that an instance type sets in a VM; others that the files lack come from a preference or a default.
_OF_INSTANCETYPES = frozenset(
    {
        "cpu",
        "memory",
        "ioThreads",
        "ioThreadsPolicy",
        "gpus",
        "hostDevices",
        "nodeSelector",
        "schedulerName",
    }
)
_OF_BOTH = frozenset({"annotations", "launchSecurity"})
_CPU_FEATURES = "features"
_CODES = {Severity.ERROR: Code.ADMISSION, Severity.WARNING: Code.DEPRECATED}


def findings(answers: Iterable[WebhookAnswer], composed: ResourceSet) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each cause; a cause shared by a pool and its VirtualMachine is reported once.

    A value that another tool fills in later is not judged.
    """
    written = {resource.current_id: resource.content for resource in composed}
    reported: set[tuple[ResId, FieldPath, str]] = set()
    for request, causes, severity in answers:
        resource = request.resource
        base = [str(segment) for segment in request.base.segments]
        files = object_at(written.get(resource.current_id, resource.content), *base)
        for cause in without_consequences(causes):
            at = request.base.child(*cause.at.segments)
            finding = (resource.current_id, at, cause.message)
            if finding in reported or has_placeholder(_value(request.content, cause.at)):
                continue
            reported.add(finding)
            yield Diagnostic.about(
                resource,
                at,
                _CODES[severity],
                f"{cause.message}{_origin(request.content, files, cause.at)}",
                cause.hint,
                severity=severity,
            )


def without_consequences(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Yield the causes without the ones that only follow from an unmatched interface or network.

    KubeVirt gives up to three causes for one wrong name: the interface has no network, the network has no
    interface, and the binding does not fit the missing network.
    """
    lone = [cause for cause in causes if cause.lone is not None]
    if not lone:
        yield from causes
        return
    interfaces = {cause.at: cause for cause in lone if "interfaces" in cause.at.segments}
    networks = {cause.lone or "": cause for cause in lone if cause.at not in interfaces}
    meant = {at: _counterpart(cause, networks, len(interfaces)) for at, cause in interfaces.items()}
    taken = [name for name in meant.values() if name]
    for cause in causes:
        if cause.at in interfaces:
            if cause is interfaces[cause.at]:
                name = meant[cause.at]
                yield cause._replace(hint=f"did you mean the network {name}?") if name else cause
        elif cause.lone is None or cause.lone not in taken:
            yield cause


def _counterpart(interface: Cause, networks: Mapping[str, Cause], interfaces: int) -> str | None:
    """Return the network without an interface that the interface probably belongs to."""
    if interfaces == 1 and len(networks) == 1:
        return next(iter(networks))
    return next(iter(suggest(interface.lone or "", networks, most=1)), None)


def _origin(seen: JsonObject, files: JsonObject, at: FieldPath) -> str:
    """Return the origin of a field that KubeVirt sees but that the files do not have."""
    if _value(seen, at) is None or _value(files, at) is not None:
        return ""
    spec = object_at(files, "spec")
    spec = object_at(spec, "virtualMachineTemplate", "spec") or spec  # of a pool
    parties = [
        f"{noun} {text_at(spec, key, 'name')}" if text_at(spec, key, "name") else f"the inferred {noun}"
        for key, noun in _PARTIES.items()
        if spec.get(key) is not None and key in _givers(at)
    ]
    return f" (set by {' or '.join(parties)})" if parties else " (set by default)"


def _givers(at: FieldPath) -> Container[str]:
    if not _OF_BOTH.isdisjoint(at.segments):
        return _PARTIES
    is_size = not _OF_INSTANCETYPES.isdisjoint(at.segments) and _CPU_FEATURES not in at.segments
    return ("instancetype",) if is_size else ("preference",)


def _value(content: Json, at: FieldPath) -> Json:
    """Return the value at ``at``; None if it is missing."""
    value = content
    for segment in at.segments:
        if isinstance(segment, int) and isinstance(value, list):
            value = value[segment] if segment < len(value) else None
        elif isinstance(segment, str) and isinstance(value, dict):
            value = value.get(segment)
        else:
            return None
    return value
