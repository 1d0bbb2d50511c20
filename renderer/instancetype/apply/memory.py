"""``spec.memory`` of an instance type (KubeVirt ``pkg/instancetype/apply/memory.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.apply.overcommit import overcommitted
from renderer.instancetype.apply.resource_conflicts import resource_conflicts
from renderer.instancetype.apply.size_quantity import size_quantity, written_size
from renderer.instancetype.conflict import Conflict, Conflicts
from renderer.instancetype.selection import Selection
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.quantity import INT64_MAX


def apply(selection: Selection, template: JsonObject) -> JsonObject | Conflicts:
    """Guest memory, its maximum, huge pages, and memory requests where memory is overcommitted.

    Raises ``ApplyError`` for sizes that are no quantities.
    """
    sizes = object_at(selection.instancetype, "memory")
    domain = domain_of(template)
    conflict = next(_conflicts(sizes, domain, selection), None)
    if conflict:
        return (conflict,)
    memory = {**object_at(domain, "memory"), **_memory(sizes)}
    if selection.vm_gives_memory:
        memory["guest"] = sizes["guest"]  # which stays as it was written
    template = with_domain_section(template, "memory", memory)
    percent = sizes.get("overcommitPercent")
    if isinstance(percent, int) and 0 < percent <= INT64_MAX:
        return _with_requests(template, sizes, percent)
    return template


def _memory(sizes: JsonObject) -> dict[str, Json]:
    memory: dict[str, Json] = {"guest": written_size(sizes, "guest")}
    if sizes.get("hugepages") is not None:
        memory["hugepages"] = sizes["hugepages"]
    if sizes.get("maxGuest") is not None:
        memory["maxGuest"] = written_size(sizes, "maxGuest")
    return memory


def _with_requests(template: JsonObject, sizes: JsonObject, percent: int) -> JsonObject:
    requested = overcommitted(size_quantity(sizes, "guest"), percent).json
    resources = object_at(domain_of(template), "resources")
    requests = {**object_at(resources, "requests"), "memory": requested}
    return with_domain_section(template, "resources", {**resources, "requests": requests})


def _conflicts(sizes: JsonObject, domain: JsonObject, selection: Selection) -> Iterator[Conflict]:
    """All there are; KubeVirt reports the first."""
    memory = domain.get("memory")
    by_field = selection.behaviour.memory_conflicts_by_field or selection.vm_gives_memory
    if memory is not None and not by_field:
        yield Conflict.of_vmi_spec(("domain", "memory"), ("memory",))
    if object_at(memory).get("guest") is not None:
        yield Conflict.of_vmi_spec(("domain", "memory", "guest"), ("memory", "guest"))
    for field in ("hugepages", "maxGuest"):
        if object_at(memory).get(field) is not None and sizes.get(field) is not None:
            yield Conflict.of_vmi_spec(("domain", "memory", field), ("memory", field))
    yield from resource_conflicts("memory", domain)
