"""LimitRanges that do not admit the pods of running machines, as these would be created again.

Kubernetes ``plugin/pkg/admission/limitranger/admission.go`` ``PodLimitFunc``; the limits that a container
gets are in ``pkg/apis/core/v1/defaults.go`` ``SetDefaults_LimitRangeItem``. The container that runs the
guest, ``compute``, is looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from renderer.kubevirt.facts.compute_container import CPU, MEMORY, ComputeContainer
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import lenient_quantity

LIMIT_RANGE = "LimitRange"
LIMIT_RANGE_SOURCE = "kubernetes plugin/pkg/admission/limitranger/admission.go PodLimitFunc"
_CONTAINER, _POD = "Container", "Pod"


def limit_refusal(limits: Resource | None, container: ComputeContainer, given: Collection[str] = ()) -> str:
    """Return why a LimitRange does not admit the pod of a container; empty if it may admit it.

    ``given`` are resources of which KubeVirt sets a limit by itself (``template.go``
    ``doesVMIRequireAutoResourceLimits``).
    """
    items = [object_at(each) for each in array_at(limits.content, "spec", "limits")] if limits else []
    of_containers = [each for each in items if text_at(each, "type") == _CONTAINER]
    defaults: dict[str, Json] = {}
    for each in of_containers:
        defaults |= {**object_at(each, "max"), **object_at(each, "default")}
    judged = (each for each in items if text_at(each, "type") in (_CONTAINER, _POD))
    return next((found for each in judged for found in _refusals(each, defaults, container, given)), "")


def _refusals(
    item: JsonObject, defaults: Mapping[str, Json], container: ComputeContainer, given: Collection[str]
) -> Iterator[str]:
    whose = text_at(item, "type").lower()
    for name in (CPU, MEMORY):
        highest, lowest, ratio = (
            object_at(item, field).get(name) for field in ("max", "min", "maxLimitRequestRatio")
        )
        request, limit = container.requests[name], container.limits.get(name)
        is_unlimited = limit is None and name not in given
        default = _thousandths(defaults.get(name)) if is_unlimited else None
        if (most := _thousandths(highest)) is not None:
            if max(request.least, limit.least if limit else 0) > most:
                yield f"{name} of a {whose} is at most {highest}"
            if is_unlimited and default is None:
                yield f"a {whose} needs a limit of {name}"
        if (least := _thousandths(lowest)) is not None and request.most < least:
            yield f"{name} of a {whose} is at least {lowest}"
        if default is not None and default < request.least:
            yield f"a container gets a limit of {defaults[name]} {name}, less than it requests"
        if (most := _thousandths(ratio)) is not None:
            amount = limit.least if limit else default
            if amount is None and is_unlimited:
                yield f"a {whose} needs a limit of {name}"
            elif amount and whose == _CONTAINER.lower() and 1000 * amount > most * request.most:
                yield f"a limit of {name} is at most {ratio} times the request"


def _thousandths(written: Json) -> int | None:
    found = lenient_quantity(written)
    return None if found is None else found.milli_value()
