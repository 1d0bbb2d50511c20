"""Memory: requests and limits, huge pages, what the guest sees, and what is reserved."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid, required
from renderer.admitters.cluster import Cluster
from renderer.admitters.feature_gates import Gate, needs_gate
from renderer.admitters.vmi_spec import VmiSpec, has, quantity, section, text
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT
from renderer.model.quantity import Quantity, nearest_whole_pages

_RESOURCES = ("domain", "resources")
_MEMORY = ("domain", "memory")
_LEAST_REQUEST = Quantity.parse("1M")


def check_memory_request(vmi: VmiSpec, _: Cluster) -> Causes:
    request = quantity(vmi.requests, "memory")
    at = vmi.at(*_RESOURCES, "requests", "memory")
    if request.value() < 0:
        yield invalid(at, f"the memory request {request.json} is negative")
    elif request.value() > 0 and request.compare(_LEAST_REQUEST) < 0:
        hint = "write the unit: 1024Mi, 1Gi" if request.scale >= 0 else "a lower-case m is a thousandth"
        yield invalid(at, f"the memory request {request.json} is less than 1M", hint)


def check_memory_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    limit, request = quantity(vmi.limits, "memory"), quantity(vmi.requests, "memory")
    if limit.value() < 0:
        at = vmi.at(*_RESOURCES, "limits", "memory")
        yield invalid(at, f"the memory limit {limit.json} is negative")
    if 0 < limit.value() < request.value():
        at = vmi.at(*_RESOURCES, "requests", "memory")
        yield invalid(at, f"the memory request {request.json} is greater than the limit {limit.json}")


def check_huge_pages(vmi: VmiSpec, _: Cluster) -> Causes:
    if not has(vmi.memory, "hugepages"):
        return
    size = text(section(vmi.memory, "hugepages"), "pageSize")
    at = vmi.at(*_MEMORY, "hugepages", "pageSize")
    try:
        page = Quantity.parse(size)
    except DiagnosticError:
        yield invalid(at, f"the huge page size {size!r} is not a quantity", "write 2Mi or 1Gi")
        return
    if not page.value():
        yield invalid(at, "the huge page size is 0, on which KubeVirt itself crashes", "write 2Mi or 1Gi")
        return
    if not quantity(vmi.requests, "memory").value() and not has(vmi.memory, "guest"):
        # The defaults give a VirtualMachine one huge page; only a pool's template comes here without.
        message = "huge pages need memory, without which KubeVirt itself crashes"
        yield invalid(vmi.at(*_MEMORY, "guest"), message, "set memory.guest")
        return
    name, amount = _memory_of(vmi)
    if 0 != amount.value() < page.value():
        message = f"{name} {amount.json} is less than one huge page of {size}"
    elif amount.value() % page.value():
        message = f"{name} {amount.json} is not a multiple of the huge page size {size}"
    else:
        return
    reported = vmi.at(*_RESOURCES, "requests", "memory")
    hint = f"write {nearest_whole_pages(amount, page)}" if page.sign > 0 and amount.sign > 0 else None
    yield invalid(vmi.at(*_FIELDS[name]), message, hint, reported=reported)


_FIELDS = {
    "the memory request": (*_RESOURCES, "requests", "memory"),
    "the guest's memory": (*_MEMORY, "guest"),
    "the memory limit": (*_RESOURCES, "limits", "memory"),
}


def _memory_of(vmi: VmiSpec) -> tuple[str, Quantity]:
    """The amount that has to fit into huge pages, and which it is: the first that is not 0."""
    amounts = (
        quantity(vmi.requests, "memory"),
        quantity(vmi.memory, "guest"),
        quantity(vmi.limits, "memory"),
    )
    named = list(zip(_FIELDS, amounts, strict=True))
    return next(((name, amount) for name, amount in named if amount.value()), named[-1])


def check_guest_memory(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if cluster.updates_live or not has(vmi.memory, "guest"):
        return
    guest, limit = quantity(vmi.memory, "guest"), quantity(vmi.limits, "memory")
    if 0 != limit.value() < guest.value():
        at = vmi.at(*_MEMORY, "guest")
        yield invalid(at, f"the guest's memory {guest.json} is greater than the memory limit {limit.json}")


def check_reserved_overhead(vmi: VmiSpec, cluster: Cluster) -> Causes:
    if has(vmi.memory, "reservedOverhead") and Gate.RESERVED_OVERHEAD_MEMLOCK not in cluster.gates:
        yield needs_gate(
            vmi.at(*_MEMORY, "reservedOverhead"), "reservedOverhead", Gate.RESERVED_OVERHEAD_MEMLOCK
        )


def check_memory_is_given(vmi: VmiSpec, _: Cluster) -> Causes:
    """Of a VirtualMachineInstance; a VirtualMachine's defaults always give it some."""
    if quantity(vmi.requests, "memory").value() or has(vmi.memory, "guest") or has(vmi.memory, "hugepages"):
        return
    yield required(
        vmi.at(*_MEMORY, "guest"), "no memory is requested", "set domain.memory.guest", reported=ROOT
    )
