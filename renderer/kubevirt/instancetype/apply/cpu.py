"""Apply ``spec.cpu`` of an instance type (KubeVirt ``pkg/instancetype/apply/cpu.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.instancetype.applied_specs import AppliedSpecs, ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.applier import Conflict, Conflicts, resource_conflicts
from renderer.kubevirt.instancetype.topology import (
    THREADS_PER_CORE,
    Across,
    Topology,
    preferred_topology,
    spread_options,
)
from renderer.kubevirt.instancetype.vmi_template import domain_of, is_zero, with_domain_section
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.sharing import once_for_same, share_part
from renderer.model.record import Record

_GUEST = FieldPath.of("spec", "cpu", "guest")
#: Fields of the VM, each with the field of the instance type that it is copied from.
_FIELDS = {
    "model": "model",
    "dedicatedCpuPlacement": "dedicatedCPUPlacement",
    "isolateEmulatorThread": "isolateEmulatorThread",
    "numa": "numa",
    "realtime": "realtime",
}
#: No release of KubeVirt knows ``guest``: a VM sets it if its instance type leaves the vCPUs to the VM.
_COUNTS = ("guest", "sockets", "cores", "threads")


class CpuTopology(Record):
    """The counts of ``domain.cpu``: integers, unless the instance type's vCPUs are a placeholder."""

    sockets: Json = 1
    cores: Json = 1
    threads: Json = 1


_FLAT = CpuTopology()


def apply_cpu(specs: AppliedSpecs, template: JsonObject) -> JsonObject | Conflicts:
    """Set model, placement, NUMA, realtime and the vCPUs in the topology that the preference requests."""
    domain = domain_of(template)
    changed = _section(specs, domain.get("cpu"), domain.get("resources"))
    return changed if isinstance(changed, tuple) else with_domain_section(template, "cpu", changed)


@once_for_same
def _section(specs: AppliedSpecs, present: Json, resources: Json) -> JsonObject | Conflicts:
    """Return the section ``domain.cpu`` that replaces the ``present`` one, or the conflicts."""
    sizes, cpu = object_at(specs.instancetype, "cpu"), object_at(present)
    conflicts = tuple(_conflicts(sizes, cpu, resources))
    if conflicts:
        return conflicts
    topology = cpu_topology(sizes.get("guest"), specs)
    changes: dict[str, Json] = {
        field: sizes[source] for field, source in _FIELDS.items() if sizes.get(source) is not None
    }
    if sizes.get("maxSockets") is not None:
        changes["maxSockets"] = sizes["maxSockets"]
    changes |= {"sockets": topology.sockets, "cores": topology.cores, "threads": topology.threads}
    return share_part(_with_changes(cpu, changes))


def _with_changes(cpu: JsonObject, changes: dict[str, Json]) -> JsonObject:
    """Return the changed section as Go writes it, without the zero values among the changes."""
    changed = {**cpu, **changes}
    for field, value in changes.items():
        if is_zero(value):
            del changed[field]
    return changed


def _conflicts(sizes: JsonObject, cpu: JsonObject, resources: Json) -> Iterator[Conflict]:
    yield from resource_conflicts("cpu", resources)
    if not cpu:
        return
    for field in _COUNTS:
        if not is_zero(cpu.get(field)):
            yield Conflict.of_vmi_spec(("domain", "cpu", field), ("cpu", "guest"))
    for field, source in _FIELDS.items():
        if not is_zero(cpu.get(field)) and sizes.get(source) is not None:
            yield Conflict.of_vmi_spec(("domain", "cpu", field), ("cpu", source))


def cpu_topology(vcpus: Json, specs: AppliedSpecs) -> CpuTopology:
    """Return ``vcpus`` in the topology that the preference requests; 1/1/1 if the release does not know it.

    Raises ``ApplyError`` for a spread if the ratio is 0 or not a number.
    """
    behaviour = specs.behaviour
    vcpus = 0 if vcpus is None else vcpus
    if vcpus == 1 and behaviour.single_vcpu_skips_topology:
        return _FLAT
    match preferred_topology(specs.preference, behaviour.topologies):
        case Topology.SOCKETS | Topology.ANY:
            return CpuTopology(sockets=vcpus)
        case Topology.CORES:
            return CpuTopology(cores=vcpus)
        case Topology.THREADS:
            return CpuTopology(threads=vcpus)
        case Topology.SPREAD:
            return _spread(vcpus, specs)
        case None:
            return _FLAT


def _spread(vcpus: Json, specs: AppliedSpecs) -> CpuTopology:
    options = spread_options(specs.preference)
    if options.across is None:
        return _FLAT
    count = _integer(vcpus, FieldOwner.INSTANCETYPE, _GUEST)
    ratio = _integer(options.ratio, FieldOwner.PREFERENCE, options.ratio_field)
    if is_zero(ratio):
        raise ApplyError(
            FieldOwner.PREFERENCE,
            Diagnostic(
                Code.TOPOLOGY,
                "vCPUs cannot be spread over a ratio of 0",
                hint="write a positive number, or use another topology",
                field=options.ratio_field,
            ),
        )
    match options.across:
        case Across.SOCKETS_CORES:
            return CpuTopology(sockets=count // ratio, cores=ratio)
        case Across.CORES_THREADS:
            return CpuTopology(cores=count // ratio, threads=ratio)
        case Across.SOCKETS_CORES_THREADS:
            return CpuTopology(count // THREADS_PER_CORE // ratio, ratio, THREADS_PER_CORE)


def _integer(value: Json, owner: FieldOwner, field: FieldPath) -> int:
    if isinstance(value, int):
        return value
    raise ApplyError(
        owner,
        Diagnostic(
            Code.TOPOLOGY,
            f"vCPUs cannot be spread, as {field} is not a number",
            hint="write a positive number, or use another topology",
            field=field,
        ),
    )
