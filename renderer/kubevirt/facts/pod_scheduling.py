"""What Kubernetes rejects in the tolerations and node selectors of a pod (``pkg/apis/core/validation``)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from renderer.kubevirt.facts.kubernetes_names import label_key_errors, label_value_errors
from renderer.model.kube.field_path import Segment
from renderer.model.kube.json import JsonObject, text_at

#: A field below the checked value, the problem, and a hint.
SchedulingProblem: TypeAlias = tuple[tuple[Segment, ...], str, str | None]

#: The operators of a toleration.
EQUAL, EXISTS = "Equal", "Exists"
#: The operators of a node selector.
NODE_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")

#: The fields of an affinity, by what the scheduler does if no node fits.
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def toleration_problems(toleration: JsonObject) -> Iterator[SchedulingProblem]:
    """Yield the errors of ``ValidateTolerations``, except for unknown operators and effects."""
    key, value = text_at(toleration, "key"), text_at(toleration, "value")
    operator, effect = text_at(toleration, "operator"), text_at(toleration, "effect")
    if operator not in ("", EQUAL, EXISTS):
        return
    if not key and operator != EXISTS:
        yield (), "a toleration without a key needs the operator Exists", "add operator: Exists, or a key"
    if operator == EXISTS and value:
        message = "a toleration with the operator Exists cannot have a value"
        yield ("value",), message, "remove the value, or write operator: Equal"
    if operator in ("", EQUAL):
        for error in label_value_errors(value):
            yield ("value",), f"invalid toleration value {value!r}: it {error}", None
    for error in label_key_errors(key) if key else ():
        yield ("key",), f"invalid toleration key {key!r}: it {error}", None
    if toleration.get("tolerationSeconds") is not None and effect != "NoExecute":
        message = "tolerationSeconds needs the effect NoExecute"
        yield ("tolerationSeconds",), message, "remove it, or write effect: NoExecute"


def node_selector_problems(selector: JsonObject) -> Iterator[SchedulingProblem]:
    """Yield the errors of the labels in a node selector (``ValidateLabels``)."""
    for key, value in selector.items():
        for error in label_key_errors(key):
            yield (key,), f"invalid node label {key!r}: it {error}", None
        for error in label_value_errors(value) if isinstance(value, str) else ():
            yield (key,), f"invalid value {value!r} of a node label: it {error}", None
