"""Causes as diagnostics: where the user wrote the field, or which object set it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from renderer.kubevirt.admission.causes import Cause, WebhookAnswer, with_listed_typo, with_setter_of_gate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import SetField, edit_below
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import ResourceSet
from renderer.model.placeholders import has_placeholder
from renderer.model.suggest import suggest

_NOUNS = {"instancetype": "instance type", "preference": "preference"}
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
        for each in without_consequences(causes):
            cause = with_listed_typo(each, request.config.feature_gates)
            cause = with_setter_of_gate(cause, request.config)
            at = request.base.child(*cause.at.segments)
            finding = (resource.current_id, at, cause.message)
            if finding in reported or has_placeholder(value_at(request.content, cause.at.segments)):
                continue
            reported.add(finding)
            yield Diagnostic.about(
                resource,
                at,
                _CODES[severity],
                f"{cause.message}{_origin(request.content, files, cause.at)}",
                cause.hint,
                severity=severity,
                fix=None if cause.fix is None else edit_below(request.base, cause.fix),
                related=cause.related,
            )


def without_consequences(causes: Sequence[Cause]) -> Iterator[Cause]:
    """Yield the causes without the ones that only follow from an unmatched interface or network.

    KubeVirt gives up to three causes for one wrong name: the interface has no network, the network has no
    interface, and the binding does not fit the missing network.
    """
    unmatched = [cause for cause in causes if cause.unmatched_name is not None]
    if not unmatched:
        yield from causes
        return
    interfaces = {cause.at: cause for cause in unmatched if "interfaces" in cause.at.segments}
    networks = {cause.unmatched_name or "": cause for cause in unmatched if cause.at not in interfaces}
    intended: dict[FieldPath, str] = {}  # the network that an interface probably belongs to
    for at, interface in interfaces.items():
        is_only_pair = len(interfaces) == len(networks) == 1
        for name in networks if is_only_pair else suggest(interface.unmatched_name or "", networks, most=1):
            intended[at] = name
    matched = frozenset(filter(None, intended.values()))
    for cause in causes:
        if cause.at in interfaces:
            if cause is interfaces[cause.at]:
                network = intended.get(cause.at)
                if network:
                    hint, fix = f"did you mean the network {network}?", SetField(cause.at, network)
                    cause = cause._replace(hint=hint, fix=fix)  # noqa: PLW2901 - the same with a hint
                yield cause
        elif cause.unmatched_name is None or cause.unmatched_name not in matched:
            yield cause


def _origin(seen: JsonObject, files: JsonObject, at: FieldPath) -> str:
    """Return the origin of a field that KubeVirt sees but that the files do not have."""
    if value_at(seen, at.segments) is None or value_at(files, at.segments) is not None:
        return ""
    spec = object_at(files, "spec")
    spec = object_at(spec, "virtualMachineTemplate", "spec") or spec  # of a pool
    owners: tuple[str, ...] = ("preference",)
    if not _OF_BOTH.isdisjoint(at.segments):
        owners = ("instancetype", "preference")
    elif not _OF_INSTANCETYPES.isdisjoint(at.segments) and _CPU_FEATURES not in at.segments:
        owners = ("instancetype",)
    owner_names = []
    for key in owners:
        if spec.get(key) is not None:
            noun, name = _NOUNS[key], text_at(spec, key, "name")
            owner_names.append(f"{noun} {name}" if name else f"the inferred {noun}")
    return f" (set by {' or '.join(owner_names)})" if owner_names else " (set by default)"
