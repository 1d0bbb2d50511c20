"""``spec.cpu`` of an instance type (KubeVirt ``pkg/instancetype/apply/cpu.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.apply.cpu_topology import cpu_topology
from renderer.instancetype.apply.resource_conflicts import resource_conflicts
from renderer.instancetype.conflict import Conflict, Conflicts
from renderer.instancetype.selection import Selection
from renderer.instancetype.vmi_template import domain_of, with_domain_section
from renderer.instancetype.zero_value import is_zero
from renderer.model.json import Json, JsonObject, object_at

#: The VM's fields, and the instance type's of which they get the value.
_FIELDS = {
    "model": "model",
    "dedicatedCpuPlacement": "dedicatedCPUPlacement",
    "isolateEmulatorThread": "isolateEmulatorThread",
    "numa": "numa",
    "realtime": "realtime",
}
#: The first is no field of KubeVirt's, but what a VM gives to an instance type that leaves it to the VM.
_COUNTS = ("guest", "sockets", "cores", "threads")


def apply(selection: Selection, template: JsonObject) -> JsonObject | Conflicts:
    """Model, placement, NUMA, realtime and the vCPUs in the topology that the preference asks for."""
    sizes = object_at(selection.instancetype, "cpu")
    domain = domain_of(template)
    conflicts = tuple(_conflicts(sizes, domain))
    if conflicts:
        return conflicts
    topology = cpu_topology(sizes.get("guest"), selection)
    changes: dict[str, Json] = {
        field: sizes[source] for field, source in _FIELDS.items() if sizes.get(source) is not None
    }
    if sizes.get("maxSockets") is not None:
        changes["maxSockets"] = sizes["maxSockets"]
    changes |= {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    return with_domain_section(template, "cpu", _changed(object_at(domain, "cpu"), changes))


def _changed(cpu: JsonObject, changes: dict[str, Json]) -> JsonObject:
    """As Go writes it, without the zero values among the changes."""
    changed = {**cpu, **changes}
    for field, value in changes.items():
        if is_zero(value):
            del changed[field]
    return changed


def _conflicts(sizes: JsonObject, domain: JsonObject) -> Iterator[Conflict]:
    yield from resource_conflicts("cpu", domain)
    cpu = object_at(domain, "cpu")
    if not cpu:
        return
    for field in _COUNTS:
        if not is_zero(cpu.get(field)):
            yield Conflict.of_vmi_spec(("domain", "cpu", field), ("cpu", "guest"))
    for field, source in _FIELDS.items():
        if not is_zero(cpu.get(field)) and sizes.get(source) is not None:
            yield Conflict.of_vmi_spec(("domain", "cpu", field), ("cpu", source))
