"""LimitRanges that do not admit the pods of running machines, as these would be created again.

Kubernetes ``plugin/pkg/admission/limitranger/admission.go`` ``PodLimitFunc``; the limits that a container
gets are in ``pkg/apis/core/v1/defaults.go`` ``SetDefaults_LimitRangeItem``. The container that runs the
guest, ``compute``, is looked at.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from renderer.kubevirt.facts.compute_container import CPU, MEMORY, ComputeContainer
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.quantity import lenient_quantity
from renderer.model.run.work import spend

LIMIT_RANGE = "LimitRange"
LIMIT_RANGE_SOURCE = "kubernetes plugin/pkg/admission/limitranger/admission.go PodLimitFunc"
_CONTAINER, _POD = "Container", "Pod"
_FIELDS = ("max", "min", "maxLimitRequestRatio")
_STEPS_PER_LIMIT = 2


class _Amount(NamedTuple):
    """An amount as it is written, and in thousandths."""

    written: Json
    number: int


class _Limit(NamedTuple):
    """The limits that an item of a LimitRange sets for one resource of a container or pod."""

    whose: str
    name: str
    most: _Amount | None
    least: _Amount | None
    ratio: _Amount | None
    default: _Amount | None


def limit_refusal(limits: Resource | None, container: ComputeContainer, given: Collection[str] = ()) -> str:
    """Return why a LimitRange does not admit the pod of a container; empty if it may admit it.

    ``given`` are resources of which KubeVirt sets a limit by itself (``template.go``
    ``doesVMIRequireAutoResourceLimits``).
    """
    every = _limits_of(limits.content) if limits else ()
    spend(1 + _STEPS_PER_LIMIT * len(every), "comparing machines with LimitRanges")
    return next((found for each in every for found in _refusals(each, container, given)), "")


@once_for_same  # for all machines of its namespace
def _limits_of(content: JsonObject) -> Sequence[_Limit]:
    items = [object_at(each) for each in array_at(content, "spec", "limits")]
    defaults: dict[str, Json] = {}
    for each in items:
        if text_at(each, "type") == _CONTAINER:
            defaults |= {**object_at(each, "max"), **object_at(each, "default")}
    default = {name: _amount(defaults.get(name)) for name in (CPU, MEMORY)}
    return [
        _Limit(text_at(each, "type").lower(), name, *bounds)
        for each in items
        if text_at(each, "type") in (_CONTAINER, _POD)
        for name in (CPU, MEMORY)
        if any(bounds := [_amount(object_at(each, field).get(name)) for field in _FIELDS] + [default[name]])
    ]


def _refusals(limit: _Limit, container: ComputeContainer, given: Collection[str]) -> Iterator[str]:
    name, whose = limit.name, limit.whose
    request, own_limit = container.requests[name], container.limits.get(name)
    is_unlimited = own_limit is None and name not in given
    default = limit.default if is_unlimited else None
    if limit.most is not None:
        if max(request.least, own_limit.least if own_limit else 0) > limit.most.number:
            yield f"{name} of a {whose} is at most {limit.most.written}"
        if is_unlimited and default is None:
            yield f"a {whose} needs a limit of {name}"
    if limit.least is not None and request.most < limit.least.number:
        yield f"{name} of a {whose} is at least {limit.least.written}"
    if default is not None and default.number < request.least:
        yield f"a container gets a limit of {default.written} {name}, less than it requests"
    if limit.ratio is not None:
        amount = own_limit.least if own_limit else default and default.number
        if amount is None and is_unlimited:
            yield f"a {whose} needs a limit of {name}"
        elif amount and whose == _CONTAINER.lower() and 1000 * amount > limit.ratio.number * request.most:
            yield f"a limit of {name} is at most {limit.ratio.written} times the request"


def _amount(written: Json) -> _Amount | None:
    found = lenient_quantity(written)
    return None if found is None else _Amount(written, found.milli_value())
