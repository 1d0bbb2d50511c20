"""Whether a size that a VirtualMachine gives itself stays within what its instance type allows.

What KubeVirt asks of every VirtualMachine (``pkg/virt-api/webhooks/validating-webhook/admitters``,
``validateCPUHotplug``, ``validateHugepagesMemoryRequests``; ``pkg/liveupdate/memory``), asked here as the
sizes of instance types are chosen to meet it, and as both files can be named.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.cause import Cause
from renderer.instancetype.custom.size import MEMORY, VCPUS
from renderer.instancetype.find import Found
from renderer.instancetype.resolve import Selected
from renderer.instancetype.sizes import count_of_vcpus
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.quantity import Quantity

_MAX_SOCKETS = ("cpu", "maxSockets")
_MAX_GUEST = ("memory", "maxGuest")
_PAGE_SIZE = ("memory", "hugepages", "pageSize")


def limit_causes(selected: Selected, template: JsonObject) -> Iterator[Cause]:
    """Why the size does not fit into ``template``, a VM's ``spec.template`` with everything applied."""
    domain = object_at(template, "spec", "domain")
    if selected.custom_size.vcpus is not None:
        yield from _socket_causes(selected, object_at(domain, "cpu"))
    guest = _bytes(selected.custom_size.memory)
    if guest is not None:
        memory = object_at(domain, "memory")
        yield from _max_guest_causes(selected, memory, guest)
        yield from _page_causes(selected, memory, guest)


def _socket_causes(selected: Selected, cpu: JsonObject) -> Iterator[Cause]:
    sockets, most = cpu.get("sockets"), cpu.get("maxSockets")
    if isinstance(sockets, int) and isinstance(most, int) and 0 < most < sockets:
        vcpus = count_of_vcpus(selected.custom_size.vcpus)
        message = f"{vcpus} are {sockets} sockets, more than {most}, the maxSockets"
        yield _cause(selected.instancetype, VCPUS, message, f"lower {VCPUS}", _MAX_SOCKETS)


def _max_guest_causes(selected: Selected, memory: JsonObject, guest: int) -> Iterator[Cause]:
    most = _bytes(memory.get("maxGuest"))
    if most is not None and guest > most:
        message = f"{selected.custom_size.memory} of memory are more than {memory['maxGuest']}, the maxGuest"
        yield _cause(selected.instancetype, MEMORY, message, f"lower {MEMORY}", _MAX_GUEST)


def _page_causes(selected: Selected, memory: JsonObject, guest: int) -> Iterator[Cause]:
    page_size = object_at(memory, "hugepages").get("pageSize")
    page = _bytes(page_size)
    if page is not None and page > 0 and guest % page:
        message = f"{selected.custom_size.memory} of memory are no multiple of {page_size}, the huge pages"
        yield _cause(selected.instancetype, MEMORY, message, f"write a multiple of {page_size}", _PAGE_SIZE)


def _cause(
    instancetype: Found | None, at: FieldPath, message: str, hint: str, limit: tuple[str, ...]
) -> Cause:
    """At the VM's field ``at``, due to ``limit`` of its instance type, or else of its own domain."""
    if instancetype is None or object_at(instancetype.spec, *limit[:-1]).get(limit[-1]) is None:
        return Cause.at_field(at, Code.CUSTOM_SIZE, f"{message} of the VM", hint)
    return Cause(
        code=Code.CUSTOM_SIZE,
        field=str(at),
        at=at,
        message=f"{message} of {instancetype}",
        hint=hint,
        related=(instancetype.related(FieldPath.of("spec", *limit)),),
    )


def _bytes(quantity: Json) -> int | None:
    """None for nothing, and for what is no quantity, such as a placeholder."""
    if quantity is None:
        return None
    try:
        return Quantity.of(quantity).value()
    except DiagnosticError:
        return None
