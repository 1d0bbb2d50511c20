"""Rules about memory in huge pages."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.checks.rules.context import INSTANCETYPE, INSTANCETYPES, Context, not_named_by_machines
from renderer.checks.rules.rule import Finding, MachineCheck, Rule, related_to
from renderer.kubevirt.facts.huge_pages import intended_page_size, is_unavailable_page_size
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import lenient_quantity, nearest_whole_pages
from renderer.model.rule_settings import Level

_GUEST = FieldPath.of("spec", "memory", "guest")
_PAGE_SIZE = FieldPath.of("spec", "memory", "hugepages", "pageSize")


def _overcommit(_: Context, machine: VirtualMachineView) -> Iterator[Finding]:
    memory = object_at(machine.domain, "memory")
    if memory.get("hugepages") is None:
        return
    guest = lenient_quantity(memory.get("guest"))
    requested = lenient_quantity(object_at(machine.domain, "resources", "requests").get("memory"))
    if guest is None or requested is None or requested.sign <= 0 or requested.compare(guest) >= 0:
        return
    message = f"the guest has {guest.json} on huge pages, and only {requested.json} are requested for it"
    related = related_to(
        machine.resource, f"memory.guest: {guest.json}", machine.in_instance("domain", "memory", "guest")
    )
    at = machine.in_instance("domain", "resources", "requests", "memory")
    yield Finding(machine.resource, at, message, "request as much as the guest has, or nothing", (related,))


OVERCOMMIT = Rule(Code.HUGEPAGES_OVERCOMMIT, Level.WARNING, MachineCheck(_overcommit))


def _with_remainder(context: Context) -> Iterator[Finding]:
    wrong = {
        id(resource): whole
        for resource in context.of_kind(*INSTANCETYPES)
        if (whole := _nearest_whole_pages(resource)) is not None
    }
    if not wrong:
        return
    resources = [resource for resource in context.of_kind(*INSTANCETYPES) if id(resource) in wrong]
    for resource in not_named_by_machines(context, INSTANCETYPE, resources):
        memory = object_at(resource.content, "spec", "memory")
        page_size = object_at(memory, "hugepages").get("pageSize")
        message = f"memory.guest {memory.get('guest')} is not a multiple of the huge page size {page_size}"
        related = related_to(resource, f"pageSize: {page_size}", _PAGE_SIZE)
        meant = (
            intended_page_size(str(page_size), "") if is_unavailable_page_size(str(page_size), "") else None
        )
        todo = f"did you mean the page size {meant}?" if meant else f"write {wrong[id(resource)]};"
        hint = f"{todo} KubeVirt refuses every machine of this instance type"
        yield Finding(resource, _GUEST, message, hint, (related,))


def _nearest_whole_pages(resource: Resource) -> str | None:
    """Return the multiples of the page size nearest to the guest's memory; None if that is a multiple."""
    memory = object_at(resource.content, "spec", "memory")
    hugepages = memory.get("hugepages")
    if not isinstance(hugepages, dict) or not isinstance(memory.get("overcommitPercent", 0), int):
        return None
    guest, page_size = lenient_quantity(memory.get("guest")), lenient_quantity(hugepages.get("pageSize"))
    if guest is None or page_size is None or page_size.value() <= 0:
        return None
    return nearest_whole_pages(guest, page_size) if guest.value() % page_size.value() else None


REMAINDER = Rule(Code.HUGEPAGES_REMAINDER, Level.WARNING, _with_remainder)

RULES = (OVERCOMMIT, REMAINDER)
