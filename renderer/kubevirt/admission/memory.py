"""Memory: requests and limits, huge pages, guest memory, and reserved memory."""

from __future__ import annotations

from renderer.kubevirt.admission.causes import Causes, invalid, needs_gate, required
from renderer.kubevirt.admission.vmi_spec import VmiSpec, has, quantity, section, text
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.feature_gates import Gate
from renderer.kubevirt.facts.huge_pages import intended_page_size, is_unavailable_page_size
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_edit import SetField
from renderer.model.kube.field_path import ROOT
from renderer.model.quantity import Quantity, nearest_whole_pages

_RESOURCES = ("domain", "resources")
_MEMORY = ("domain", "memory")
_PAGE_SIZE = (*_MEMORY, "hugepages", "pageSize")
_LEAST_REQUEST = Quantity.parse("1M")
_FIELDS = {
    "the memory request": (*_RESOURCES, "requests", "memory"),
    "the guest's memory": (*_MEMORY, "guest"),
    "the memory limit": (*_RESOURCES, "limits", "memory"),
}


def check_memory_request(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject memory requests that are negative, or so small that the unit was probably forgotten."""
    request = quantity(vmi.requests, "memory")
    at = vmi.at(*_RESOURCES, "requests", "memory")
    if request.value() < 0:
        yield invalid(at, f"the memory request {request.json} is negative")
    elif request.value() > 0 and request.compare(_LEAST_REQUEST) < 0:
        hint = "write the unit: 1024Mi, 1Gi" if request.scale >= 0 else "a lower-case m is a thousandth"
        yield invalid(at, f"the memory request {request.json} is less than 1M", hint)


def check_memory_limit(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a negative memory limit, and a limit below the request."""
    limit, request = quantity(vmi.limits, "memory"), quantity(vmi.requests, "memory")
    if limit.value() < 0:
        at = vmi.at(*_RESOURCES, "limits", "memory")
        yield invalid(at, f"the memory limit {limit.json} is negative")
    if 0 < limit.value() < request.value():
        at = vmi.at(*_RESOURCES, "requests", "memory")
        yield invalid(at, f"the memory request {request.json} is greater than the limit {limit.json}")


def check_huge_pages_of_request(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the memory request is a multiple of the page size."""
    page = _page(vmi)
    if page is None:
        return
    request = quantity(vmi.requests, "memory")
    if request.value() < page.value():
        problem = f"is less than one huge page of {_size(vmi)}"
    elif page.value() and request.value() % page.value():
        problem = f"is not a multiple of the huge page size {_size(vmi)}"
    else:
        yield from _check_page_is_not_zero(vmi, page)
        return
    at = vmi.at(*_RESOURCES, "requests", "memory")
    hint, fix = _whole_pages_hint(vmi, request, page)
    yield invalid(at, f"the memory request {request.json} {problem}", hint, fix=fix)


def check_huge_pages(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that the memory, from whichever field, is a multiple of the page size."""
    page = _page(vmi)
    if page is None:
        return
    if not quantity(vmi.requests, "memory").value() and not has(vmi.memory, "guest"):
        # The defaults give a VirtualMachine one huge page; only a pool's template has no memory here.
        message = "huge pages need memory, without which KubeVirt itself crashes"
        yield invalid(vmi.at(*_MEMORY, "guest"), message, "set memory.guest")
        return
    name, amount = _memory_of(vmi)
    if 0 != amount.value() < page.value():
        message = f"{name} {amount.json} is less than one huge page of {_size(vmi)}"
    elif page.value() and amount.value() % page.value():
        message = f"{name} {amount.json} is not a multiple of the huge page size {_size(vmi)}"
    else:
        yield from _check_page_is_not_zero(vmi, page)
        return
    reported = vmi.at(*_RESOURCES, "requests", "memory")
    hint, fix = _whole_pages_hint(vmi, amount, page)
    yield invalid(vmi.at(*_FIELDS[name]), message, hint, reported=reported, fix=fix)


def _whole_pages_hint(vmi: VmiSpec, amount: Quantity, page: Quantity) -> tuple[str | None, SetField | None]:
    """Return the amounts that fill whole pages; if no node has pages of that size, a size that nodes have."""
    if page.sign <= 0 or amount.sign <= 0:
        return None, None
    size, architecture = _size(vmi), text(vmi.content, "architecture")
    meant = intended_page_size(size, architecture)
    if not is_unavailable_page_size(size, architecture) or meant is None:
        return f"write {nearest_whole_pages(amount, page)}", None
    hint = f"did you mean the page size {meant}? no node has huge pages of {size}"
    pages = Quantity.parse(meant).value()
    return hint, None if amount.value() % pages else SetField(vmi.at(*_PAGE_SIZE), meant)


def check_page_size(vmi: VmiSpec, _: Cluster, *, reported: tuple[str, ...]) -> Causes:
    """Check that the page size is a valid quantity; KubeVirt reports it at ``reported``."""
    if has(vmi.memory, "hugepages") and _page(vmi) is None:
        yield invalid(
            vmi.at(*_PAGE_SIZE),
            f"the huge page size {_size(vmi)!r} is not a quantity",
            "write 2Mi or 1Gi",
            reported=vmi.at(*reported),
        )


def _check_page_is_not_zero(vmi: VmiSpec, page: Quantity) -> Causes:
    if not page.value():
        message = "the huge page size is 0, on which KubeVirt itself crashes"
        yield invalid(vmi.at(*_PAGE_SIZE), message, "write 2Mi or 1Gi")


def _page(vmi: VmiSpec) -> Quantity | None:
    """Return the size of huge pages; None if they are not set, or the size is not a valid quantity."""
    if not has(vmi.memory, "hugepages"):
        return None
    try:
        return Quantity.parse(_size(vmi))
    except DiagnosticError:
        return None


def _size(vmi: VmiSpec) -> str:
    return text(section(vmi.memory, "hugepages"), "pageSize")


def _memory_of(vmi: VmiSpec) -> tuple[str, Quantity]:
    """Return the amount that has to fit into huge pages, with its field: the first that is not 0."""
    amounts = (
        quantity(vmi.requests, "memory"),
        quantity(vmi.memory, "guest"),
        quantity(vmi.limits, "memory"),
    )
    named = list(zip(_FIELDS, amounts, strict=True))
    return next(((name, amount) for name, amount in named if amount.value()), named[-1])


def check_guest_memory_unless_live(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Reject a guest larger than the memory limit, unless running machines are updated live."""
    if not cluster.updates_live:
        yield from check_guest_memory(vmi, cluster)


def check_guest_memory(vmi: VmiSpec, _: Cluster) -> Causes:
    """Reject a guest larger than the memory limit."""
    if not has(vmi.memory, "guest"):
        return
    guest, limit = quantity(vmi.memory, "guest"), quantity(vmi.limits, "memory")
    if 0 != limit.value() < guest.value():
        at = vmi.at(*_MEMORY, "guest")
        yield invalid(at, f"the guest's memory {guest.json} is greater than the memory limit {limit.json}")


def check_reserved_overhead(vmi: VmiSpec, cluster: Cluster) -> Causes:
    """Check the gate of ``reservedOverhead``."""
    if has(vmi.memory, "reservedOverhead") and Gate.RESERVED_OVERHEAD_MEMLOCK not in cluster.gates:
        yield needs_gate(
            vmi.at(*_MEMORY, "reservedOverhead"), "reservedOverhead", Gate.RESERVED_OVERHEAD_MEMLOCK
        )


def check_memory_is_given(vmi: VmiSpec, _: Cluster) -> Causes:
    """Check that some memory is requested; a VirtualMachine's defaults always request it."""
    if quantity(vmi.requests, "memory").value() or has(vmi.memory, "guest") or has(vmi.memory, "hugepages"):
        return
    yield required(
        vmi.at(*_MEMORY, "guest"), "no memory is requested", "set domain.memory.guest", reported=ROOT
    )
