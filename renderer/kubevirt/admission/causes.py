"""The causes for which a webhook rejects an object (``metav1.StatusCause``), in our words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TypeAlias

from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.kinds import HYPERCONVERGED
from renderer.model.diagnostic import Related, Severity
from renderer.model.field_edit import Edit
from renderer.model.kube.field_path import ElementName, FieldPath
from renderer.model.record import Record
from renderer.model.suggest import suggest
from renderer.model.text_enum import TextEnum

#: Ends the message about a gate that is not on.
NOT_TURNED_ON = "which no KubeVirt object that this repository has for its cluster turns on"


class CauseType(TextEnum):
    """KubeVirt's machine-readable reason."""

    INVALID = "FieldValueInvalid"
    REQUIRED = "FieldValueRequired"
    NOT_SUPPORTED = "FieldValueNotSupported"
    NOT_FOUND = "FieldValueNotFound"
    DUPLICATE = "FieldValueDuplicate"
    FORBIDDEN = "FieldValueForbidden"


class Cause(Record):
    """A reason why a webhook rejects an object.

    ``at`` is where the user finds the field; ``reported`` is KubeVirt's name for it, if different.
    ``unmatched_name`` is the name of an interface or network at ``at`` that has no counterpart. ``fix`` is
    the one right answer, if there is one; it names fields as ``at`` does. ``gate`` is the feature gate that
    the cluster does not have on, ``related`` what else is to be shown.
    """

    type: CauseType
    at: FieldPath
    message: str
    hint: str | None = None
    reported: FieldPath | None = None
    unmatched_name: str | None = None
    fix: Edit | None = None
    gate: Gate | None = None
    related: tuple[Related, ...] = ()

    @property
    def field(self) -> str:
        """The field as written in KubeVirt's answer (``k8s.io/apimachinery``, ``field.Path``)."""
        return kubernetes_text(self.at if self.reported is None else self.reported)


Causes: TypeAlias = Iterator[Cause]


class WebhookAnswer(Record):
    """The answer of a webhook to a request: the causes of a rejection, or the warnings."""

    request: AdmissionRequest
    causes: tuple[Cause, ...]
    severity: Severity


#: The causes for a value that is invalid, missing, not in the list of known values, or a duplicate.
invalid = partial(Cause, CauseType.INVALID)
required = partial(Cause, CauseType.REQUIRED)
not_supported = partial(Cause, CauseType.NOT_SUPPORTED)
duplicate = partial(Cause, CauseType.DUPLICATE)


def needs_gate(at: FieldPath, what: str, gate: Gate, *, reported: FieldPath | None = None) -> Cause:
    """Return the cause for a field whose feature is not enabled in the cluster."""
    message = f"{what} needs the feature gate {gate}, {NOT_TURNED_ON}"
    return Cause(CauseType.INVALID, at, message, gate_hint(gate), reported, gate=gate)


def with_listed_typo(cause: Cause, listed: Iterable[str]) -> Cause:
    """Return a cause about a feature gate that names the typo of it among the ``listed`` gates, if any."""
    if cause.gate is None:
        return cause
    gates = [str(gate) for gate in Gate]
    for name in listed:
        if name not in gates and suggest(name, gates, most=1) == (cause.gate,):
            message = cause.message.replace(NOT_TURNED_ON, f"which is listed as {name}")
            hint = f"write {cause.gate} in place of {name} where the feature gates are listed"
            return cause._replace(message=message, hint=hint)
    return cause


def with_setter_of_gate(cause: Cause, config: ClusterConfig) -> Cause:
    """Return a cause about a feature gate that names who leaves it off, or turns it off, if that is known."""
    if cause.gate is None or NOT_TURNED_ON not in cause.message or not config.set_by:
        return cause
    is_off = cause.gate in config.disabled_feature_gates
    verb = "turns off" if is_off else "does not turn on"
    message = cause.message.replace(NOT_TURNED_ON, f"which {config.set_by} {verb}")
    if not config.set_at:
        return cause._replace(message=message)
    change = f"move {cause.gate} from disabledFeatureGates" if is_off else f"add {cause.gate}"
    hint = f"{change} to featureGates of {config.set_by}"
    if config.set_by.startswith(HYPERCONVERGED):
        hint = (
            f"turn it on with a feature gate of {config.set_by}, if that has one; else {change} to the"
            " featureGates of KubeVirt in its annotation kubevirt.kubevirt.io/jsonpatch"
        )
    related = (Related(f"{config.set_by} is here", config.set_at),)
    return cause._replace(message=message, hint=hint, related=related)


def gate_hint(gate: Gate) -> str:
    """Return the hint that says how to enable the gate in the cluster."""
    return (
        f"if the cluster has it on, write featureGates: [{gate}] into vmrender.yaml,"
        " or keep its KubeVirt object in this repository"
    )


def kubernetes_text(path: FieldPath) -> str:
    """Return the path as Kubernetes writes it, ``spec.volumes[0].name``; no key is quoted."""
    text = ""
    for segment in path.segments:
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif isinstance(segment, ElementName):
            text += f"[{segment.value}]"
        else:
            text += f".{segment}" if text else segment
    return text
