"""The operator's validating webhook: what it refuses in a new HyperConverged object, and warns about.

Read in ``pkg/webhooks/validator`` of each release. What the webhook finds by making the objects of the
operator for a trial is in ``objects``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from renderer.golang.duration import parse_duration
from renderer.kubevirt.facts.boot_images import ENABLE_ANNOTATION
from renderer.kubevirt.facts.kubernetes_names import label_key_errors, label_value_errors
from renderer.kubevirt.facts.pod_scheduling import NODE_OPERATORS, REQUIRED
from renderer.kubevirt.facts.tls_versions import TLS_1_3, TLS_VERSIONS
from renderer.kubevirt.hyperconverged.feature_gates import (
    REPLACED_BY_FIELDS,
    Phase,
    gate_names,
    listed_gates,
    phase_of,
)
from renderer.kubevirt.hyperconverged.mutating_webhook import MOVED_TO_FIELDS
from renderer.kubevirt.hyperconverged.object_fields import HIGH_BURST, V1, Setting, version_of
from renderer.kubevirt.hyperconverged.release import OperatorFacts, OperatorRelease
from renderer.model.field_edit import Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.record import Record
from renderer.model.suggest import did_you_mean, suggest
from renderer.model.text_enum import TextEnum

_SHORTEST_LIFETIME = 10 * 60 * 10**9
_SPEC = FieldPath.of("spec")
#: HTTP/2 needs one of them up to TLS 1.2.
_HTTP2_CIPHERS = ("ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256")
#: The fields of v1 in place of the gates.
_FIELDS_OF_GATES = {gate.name: gate.field for gate in MOVED_TO_FIELDS}
_SINCE_1_11, _SINCE_1_12, _SINCE_1_14 = (OperatorRelease(1, minor) for minor in (11, 12, 14))
_SINCE_1_15, _SINCE_1_16, _SINCE_1_17 = (OperatorRelease(1, minor) for minor in (15, 16, 17))
_SINCE_1_18, _SINCE_1_19 = (OperatorRelease(1, minor) for minor in (18, 19))


class ObjectionCode(TextEnum):
    """What is wrong, in one word."""

    LIFETIME_TOO_SHORT = "certConfig.tooSmall"
    LIFETIME_ORDER = "certConfig.order"
    IMPORT_TEMPLATE = "dataImportCronTemplate"
    TLS_PROFILE = "tlsSecurityProfile"
    TWO_LISTS_OF_TYPES = "mediatedDevicesTypesBesideMediatedDeviceTypes"
    TENANT_QUOTA = "enableManagedTenantQuota"
    AFFINITY = "affinity"


class Objection(Record):
    """A reason to refuse an object.

    ``at`` is where the user finds the field, ``reported`` the field in the answer of the webhook, if it names
    one. ``reason`` tells objections with one code apart. ``fix`` is the one right answer, if there is one.
    """

    code: ObjectionCode
    at: FieldPath
    message: str
    hint: str
    reported: FieldPath | None = None
    reason: str = ""
    fix: Edit | None = None


class WarningCode(TextEnum):
    """What a warning of the operator's webhooks says about a gate or field."""

    DEPRECATED = "deprecated"
    DEPRECATED_AND_IGNORED = "deprecatedAndIgnored"
    UNKNOWN = "unknown"


class WebhookWarning(Record):
    """A warning: ``about`` is a feature gate, or a field where it begins with ``spec``."""

    about: str
    code: WarningCode
    at: FieldPath
    message: str
    hint: str


class Review(Record):
    """The answer of the webhook. Up to 1.18 a warning ends the review: ``skips_trial``."""

    objections: tuple[Objection, ...]
    warnings: tuple[WebhookWarning, ...]
    skips_trial: bool


class _Reviewed(Record):
    """An object with the release that reviews it, and its cluster."""

    content: JsonObject
    release: OperatorRelease
    facts: OperatorFacts

    def place(self, setting: Setting) -> FieldPath:
        return setting.place_in(self.content)

    def value(self, place: FieldPath) -> Json:
        return value_at(self.content, place.segments)


_Objections: TypeAlias = Iterator[Objection]
_Check: TypeAlias = Callable[[_Reviewed], _Objections]


def review(content: JsonObject, release: OperatorRelease, facts: OperatorFacts) -> Review:
    """Return the answer to a new object that the mutating webhook has changed.

    Up to 1.18 the first objection or warning is the whole answer. From then on warnings come with it.
    """
    reviewed = _Reviewed(content, release, facts)
    objections = [each for check in _CHECKS for each in check(reviewed)]
    warnings: list[WebhookWarning] = []
    if release >= _SINCE_1_19:
        warnings = [] if objections else list(_tuning_warnings(content, release))
        return Review(tuple(objections), (*warnings, *_gate_warnings(content, release)), skips_trial=False)
    before = [each for check in _CHECKS_BEFORE_WARNINGS for each in check(reviewed)]
    if version_of(content) == V1:
        before = [*before, *objections]
    if before:
        return Review(tuple(objections), (), skips_trial=False)
    warnings = list(_gate_warnings(content, release)) or list(_tuning_warnings(content, release))
    if warnings:
        return Review((), tuple(warnings), skips_trial=True)
    return Review(tuple(objections), (), skips_trial=False)


def _check_lifetimes(reviewed: _Reviewed) -> _Objections:
    """Check the lifetimes of certificates. From 1.19 on, the answer has the fields of v1beta1 for v1, too."""
    at = reviewed.place(Setting.CERTIFICATES)
    named = at if reviewed.release < _SINCE_1_19 else _SPEC.child("certConfig")
    lifetimes: dict[tuple[str, str], int] = {}
    for certificate in ("ca", "server"):
        for name in ("duration", "renewBefore"):
            place = at.child(certificate, name)
            lifetime = parse_duration(str(reviewed.value(place))) or 0
            lifetimes[certificate, name] = lifetime
            if lifetime < _SHORTEST_LIFETIME:
                yield Objection(
                    ObjectionCode.LIFETIME_TOO_SHORT,
                    place,
                    "certificates cannot be valid, or renewed, for less than 10 minutes",
                    "write 10m or more",
                    named.child(certificate, name),
                )
    for certificate in ("ca", "server"):
        if lifetimes[certificate, "duration"] < lifetimes[certificate, "renewBefore"]:
            yield Objection(
                ObjectionCode.LIFETIME_ORDER,
                at.child(certificate, "renewBefore"),
                "renewBefore is longer than the duration of the certificate",
                "write less than its duration, which has a default where it is not written",
                named.child(certificate),
            )
    if lifetimes["ca", "duration"] < lifetimes["server", "duration"]:
        yield Objection(
            ObjectionCode.LIFETIME_ORDER,
            at.child("server", "duration"),
            "server certificates outlive their CA",
            "make server.duration at most ca.duration; the default of ca.duration is 48h",
            named,
        )


def _check_import_templates(reviewed: _Reviewed) -> _Objections:
    templates = reviewed.place(Setting.DATA_IMPORT_CRON_TEMPLATES)
    for index, template in enumerate(array_at(reviewed.value(templates))):
        at = templates.child(index)
        annotations = object_at(template, "metadata", "annotations")
        enabled = text_at(annotations, ENABLE_ANNOTATION).lower()
        if ENABLE_ANNOTATION in annotations and enabled not in ("true", "false"):
            yield Objection(
                ObjectionCode.IMPORT_TEMPLATE,
                at.child("metadata", "annotations", ENABLE_ANNOTATION),
                f"the annotation {ENABLE_ANNOTATION} is neither true nor false",
                'write "true" or "false"',
                reason="annotation",
            )
        elif enabled != "false" and not isinstance(object_at(template).get("spec"), dict):
            yield Objection(
                ObjectionCode.IMPORT_TEMPLATE,
                at,
                "a data import cron template without spec is enabled",
                f'add its spec, or turn off a common one by the annotation {ENABLE_ANNOTATION}: "false"',
                reason="noSpec",
            )


def _check_tls(reviewed: _Reviewed) -> _Objections:
    place = reviewed.place(Setting.TLS_SECURITY_PROFILE)
    profile = object_at(reviewed.value(place))
    custom, at = profile.get("custom"), place.child("custom")
    code = ObjectionCode.TLS_PROFILE
    if not isinstance(custom, dict):
        if reviewed.release >= _SINCE_1_18 and profile.get("type") == "Custom":
            yield Objection(code, place, "the type Custom needs the section custom", "add custom")
        return
    least, ciphers = text_at(custom, "minTLSVersion"), array_at(custom, "ciphers")
    if reviewed.release >= _SINCE_1_11 and least not in TLS_VERSIONS:
        message = f"invalid minTLSVersion {least!r}" if least else "there is no minTLSVersion"
        yield Objection(code, at.child("minTLSVersion"), message, f"one of {', '.join(TLS_VERSIONS)}")
    elif least < TLS_1_3 and not any(cipher in ciphers for cipher in _HTTP2_CIPHERS):
        message = "the ciphers have none that HTTP/2 needs"
        yield Objection(code, at.child("ciphers"), message, f"add {' or '.join(_HTTP2_CIPHERS)}")
    elif reviewed.release >= _SINCE_1_11 and least == TLS_1_3 and ciphers:
        message = "ciphers cannot be chosen for TLS 1.3"
        yield Objection(code, at.child("ciphers"), message, "drop them, or write minTLSVersion: VersionTLS12")


def _check_mediated_types(reviewed: _Reviewed) -> _Objections:
    """Check the two names of one list in v1beta1."""
    devices = reviewed.place(Setting.MEDIATED_DEVICES)
    configuration = object_at(reviewed.value(devices))
    nodes = enumerate(array_at(configuration, "nodeMediatedDeviceTypes"))
    places = [(devices, configuration)]
    places += [(devices.child("nodeMediatedDeviceTypes", index), object_at(each)) for index, each in nodes]
    for at, section in places:
        old, new = array_at(section, "mediatedDevicesTypes"), array_at(section, "mediatedDeviceTypes")
        if old and new and old != new:
            yield Objection(
                ObjectionCode.TWO_LISTS_OF_TYPES,
                at.child("mediatedDevicesTypes"),
                "mediatedDevicesTypes, the old name of mediatedDeviceTypes, lists other types",
                "drop mediatedDevicesTypes",
                devices,
            )


def _check_tenant_quota(reviewed: _Reviewed) -> _Objections:
    at = _SPEC.child("featureGates", "enableManagedTenantQuota")
    is_on = reviewed.value(at) is True
    if reviewed.release < _SINCE_1_12 and is_on and not reviewed.facts.infrastructure_highly_available:
        message = "enableManagedTenantQuota needs a highly available cluster"
        yield Objection(ObjectionCode.TENANT_QUOTA, at, message, "drop it", at)


def _check_affinity(reviewed: _Reviewed) -> _Objections:
    """Check what nodes must have, as the scheduler reads it (``nodeaffinity.NewNodeSelector``)."""
    if reviewed.release < _SINCE_1_16:
        return
    for name, setting in (("workloads", Setting.WORKLOAD_PLACEMENT), ("infra", Setting.INFRA_PLACEMENT)):
        at = reviewed.place(setting).child("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms")
        reported = _SPEC.child(name, "nodePlacement", "affinity")
        for index, term in enumerate(array_at(reviewed.value(at))):
            for below, message, hint in _term_problems(object_at(term)):
                field = at.child(index, *below)
                near: Sequence[str] = ()
                if below[-1] == "operator":
                    near = suggest(str(reviewed.value(field)), NODE_OPERATORS, most=1)
                if near:
                    hint = f"did you mean {near[0]}?"  # noqa: PLW2901 - a better one
                fix = SetField(field, near[0]) if near else None
                yield Objection(ObjectionCode.AFFINITY, field, message, hint, reported, fix=fix)


_TermProblem: TypeAlias = tuple[tuple[str | int, ...], str, str]


def _term_problems(term: JsonObject) -> Iterator[_TermProblem]:
    for index, requirement in enumerate(array_at(term, "matchExpressions")):
        for below, message, hint in _requirement_problems(object_at(requirement)):
            yield ("matchExpressions", index, *below), message, hint
    for index, requirement in enumerate(array_at(term, "matchFields")):
        operator, values = text_at(requirement, "operator"), array_at(requirement, "values")
        if operator not in ("In", "NotIn"):
            message = f"{operator!r} is not an operator for fields"
            yield ("matchFields", index, "operator"), message, "use In or NotIn"
        elif len(values) != 1:
            message = f"for fields the operator {operator} needs one value"
            yield ("matchFields", index, "values"), message, "write the name of one node"


def _requirement_problems(requirement: JsonObject) -> Iterator[_TermProblem]:
    operator, values = text_at(requirement, "operator"), array_at(requirement, "values")
    if operator not in NODE_OPERATORS:
        message = f"{operator!r} is not an operator of a node selector"
        yield ("operator",), message, f"use {', '.join(NODE_OPERATORS)}"
        return
    for error in label_key_errors(text_at(requirement, "key")):
        yield ("key",), f"the label {text_at(requirement, 'key')!r} {error}", "correct the label"
    if operator in ("In", "NotIn") and not values:
        yield ("values",), f"the operator {operator} needs values", "add one"
    elif operator in ("Exists", "DoesNotExist") and values:
        yield ("values",), f"the operator {operator} accepts no values", "drop them"
    elif operator in ("Gt", "Lt") and (len(values) != 1 or not _is_int64(values[0])):
        yield ("values",), f"the operator {operator} needs one whole number", "write one"
    for index, value in enumerate(values):
        for error in label_value_errors(str(value)):
            yield ("values", index), f"the label value {value!r} {error}", "correct the value"


def _is_int64(value: Json) -> bool:
    digits = str(value).lstrip("+-")
    return digits.isascii() and digits.isdigit() and len(digits) <= len(str(1 << 63))


def _gate_warnings(content: JsonObject, release: OperatorRelease) -> Iterator[WebhookWarning]:
    gates = object_at(content, "spec").get("featureGates")
    found = _listed_gate_warnings if version_of(content) == V1 else _named_gate_warnings
    yield from sorted(found(gates, release), key=lambda warning: warning.about)


def _named_gate_warnings(gates: Json, release: OperatorRelease) -> Iterator[WebhookWarning]:
    """Yield the warnings about the gates of v1beta1; whether a gate is on or off does not matter."""
    ignored: tuple[str, ...] = ()
    if release >= _SINCE_1_14:
        ignored = (
            *("withHostPassthroughCPU", "deployTektonTaskResources", "nonRoot", "enableManagedTenantQuota"),
            *(REPLACED_BY_FIELDS if release >= _SINCE_1_15 else ()),
        )
    deprecated = _FIELDS_OF_GATES if release >= _SINCE_1_19 else ()
    for name, value in object_at(gates).items():
        at = _SPEC.child("featureGates", name)
        if value is None:
            continue
        if name in ignored:
            message, hint = f"the feature gate {name} has no effect", "drop it"
            if name in REPLACED_BY_FIELDS:  # up to 1.18 one of them still has an effect
                message, hint = f"the feature gate {name} is deprecated", f"use spec.{name} in its place"
            yield WebhookWarning(name, WarningCode.DEPRECATED_AND_IGNORED, at, message, hint)
        elif name in deprecated:
            message = f"the feature gate {name} is deprecated"
            field = _FIELDS_OF_GATES[name]
            hint = f"write the object as hco.kubevirt.io/v1, which has {field} in its place"
            if value is False:
                hint = "drop it: false is the default"
            yield WebhookWarning(name, WarningCode.DEPRECATED, at, message, hint)


def _listed_gate_warnings(gates: Json, release: OperatorRelease) -> Iterator[WebhookWarning]:
    for index, gate in enumerate(listed_gates(gates)):
        phase, at = phase_of(gate.name, release), _SPEC.child("featureGates", index, "name")
        if phase is None:
            message = f"the operator does not know the feature gate {gate.name}, and ignores it"
            hint = did_you_mean(gate.name, gate_names(release), most=1) or "drop it"
            yield WebhookWarning(gate.name, WarningCode.UNKNOWN, at, message, hint)
        elif phase is Phase.DISCONTINUED:
            message = f"the feature gate {gate.name} has no effect"
            yield WebhookWarning(gate.name, WarningCode.DEPRECATED_AND_IGNORED, at, message, "drop it")
        elif phase is Phase.DEPRECATED:
            message = f"the feature gate {gate.name} is deprecated"
            field = next(
                field for name, field in _FIELDS_OF_GATES.items() if name.lower() == gate.name.lower()
            )
            hint = f"write {field} in its place"
            yield WebhookWarning(gate.name, WarningCode.DEPRECATED, at, message, hint)


def _tuning_warnings(content: JsonObject, release: OperatorRelease) -> Iterator[WebhookWarning]:
    at = _SPEC.child("tuningPolicy")
    if release >= _SINCE_1_17 and value_at(content, at.segments) == HIGH_BURST:
        message = "the tuning policy highBurst is deprecated"
        hint = "drop it: its rates are the defaults of KubeVirt" if release >= _SINCE_1_19 else "drop it"
        yield WebhookWarning(str(at), WarningCode.DEPRECATED, at, message, hint)


_CHECKS_BEFORE_WARNINGS: tuple[_Check, ...] = (
    _check_lifetimes,
    _check_import_templates,
    _check_tls,
    _check_mediated_types,
    _check_tenant_quota,
)
_CHECKS: tuple[_Check, ...] = (*_CHECKS_BEFORE_WARNINGS, _check_affinity)
