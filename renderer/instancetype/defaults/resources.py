"""Requests, guest memory and CPU topology that a VirtualMachine gets when it is silent.

KubeVirt ``pkg/defaults/defaults.go``. All functions take and return a template's spec.
"""

from __future__ import annotations

from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.vmi_template import with_section
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.quantity import INT64_MAX, Quantity

_REQUESTS = ("domain", "resources", "requests")
_LIMITS = ("domain", "resources", "limits")
_HUNDRED_PERCENT = 100
_DEFAULT_CPU_REQUEST = Quantity.parse("100m")
_UINT32 = 2**32


def default_requests(spec: JsonObject, config: ClusterConfig, behaviour: Behaviour) -> JsonObject:
    """``resources.requests`` from the limits and the cluster's defaults (``setDefaultResourceRequests``)."""
    spec = _request_from_limit(spec, "cpu")
    if behaviour.defaults_memory_request:
        spec = _default_memory_request(_request_from_limit(spec, "memory"), config)
    request = config.cpu_request
    if request is None or request.compare(_DEFAULT_CPU_REQUEST) == 0 or "cpu" in object_at(spec, *_REQUESTS):
        return spec
    if object_at(spec, "domain", "cpu").get("dedicatedCpuPlacement"):
        return spec
    return with_section(spec, (*_REQUESTS, "cpu"), request.json)


def _request_from_limit(spec: JsonObject, name: str) -> JsonObject:
    limit = object_at(spec, *_LIMITS).get(name)
    if _is_zero(limit) or not _is_zero(object_at(spec, *_REQUESTS).get(name)):
        return spec
    return with_section(spec, (*_REQUESTS, name), Quantity.of(limit).json)


def _default_memory_request(spec: JsonObject, config: ClusterConfig) -> JsonObject:
    if "memory" in object_at(spec, *_REQUESTS):
        return spec
    memory = object_at(spec, "domain", "memory")
    guest = memory.get("guest")
    guest = _page_size(memory) if guest is None else guest
    amount = 0 if guest is None else Quantity.of(guest).value()
    if amount <= 0:
        return spec
    if config.memory_overcommit == _HUNDRED_PERCENT:
        return with_section(spec, (*_REQUESTS, "memory"), Quantity.of(guest).json)
    request = _truncated(_wrapped(amount * _HUNDRED_PERCENT), config.memory_overcommit)
    written = Quantity.of_integer(request, Quantity.of(guest).form).json
    return with_section(spec, (*_REQUESTS, "memory"), written)


def default_guest_memory(spec: JsonObject) -> JsonObject:
    """``memory.guest`` from the request, the limit or one huge page (``setGuestMemory``)."""
    memory = object_at(spec, "domain", "memory")
    if memory.get("guest") is not None:
        return spec
    for source in (_REQUESTS, _LIMITS):
        amount = object_at(spec, *source).get("memory")
        if not _is_zero(amount):
            return with_section(spec, ("domain", "memory", "guest"), Quantity.of(amount).json)
    page = _page_size(memory)
    if page is not None:
        return with_section(spec, ("domain", "memory", "guest"), page)
    if object_at(spec, "domain").get("memory") is None:
        return with_section(spec, ("domain", "memory"), {})
    return spec


def default_cpu_topology(spec: JsonObject) -> JsonObject:
    """``cpu.sockets`` from the limit or request, if no topology is set (``SetDefaultGuestCPUTopology``)."""
    cpu = object_at(spec, "domain", "cpu")
    if cpu.get("cores") or cpu.get("sockets") or cpu.get("threads"):
        return spec
    sockets = 1
    for source in (_LIMITS, _REQUESTS):
        amounts = object_at(spec, *source)
        if "cpu" in amounts:
            sockets = Quantity.of(amounts["cpu"]).value() % _UINT32
            break
    for count, value in (("cores", 1), ("threads", 1), ("sockets", sockets)):
        if value:
            spec = with_section(spec, ("domain", "cpu", count), value)
    return spec


def _page_size(memory: JsonObject) -> str | None:
    """The huge page size, when it is a quantity."""
    size = object_at(memory, "hugepages").get("pageSize")
    if not isinstance(size, str):
        return None
    try:
        return Quantity.parse(size).json
    except DiagnosticError:
        return None


def _is_zero(amount: Json) -> bool:
    return amount is None or Quantity.of(amount).sign == 0


def _wrapped(number: int) -> int:
    """As an int64 overflows."""
    return (number + INT64_MAX + 1) % (2 * (INT64_MAX + 1)) - INT64_MAX - 1


def _truncated(dividend: int, divisor: int) -> int:
    """Go's division, which rounds towards zero."""
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient
