"""vCPUs as sockets, cores and threads (KubeVirt ``pkg/instancetype/apply/cpu.go``)."""

from __future__ import annotations

from renderer.instancetype.apply_error import ApplyError, Party
from renderer.instancetype.selection import Selection
from renderer.instancetype.topology import (
    THREADS_PER_CORE,
    Across,
    Topology,
    preferred_topology,
    spread_options,
)
from renderer.instancetype.zero_value import is_zero
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.field_path import FieldPath
from renderer.model.json import Json
from renderer.model.record import Record

_GUEST = FieldPath.of("spec", "cpu", "guest")


class CpuTopology(Record):
    """Fields of ``domain.cpu``; integers, unless the instance type's vCPUs are a placeholder."""

    sockets: Json = 1
    cores: Json = 1
    threads: Json = 1


_FLAT = CpuTopology()


def cpu_topology(vcpus: Json, selection: Selection) -> CpuTopology:
    """``vcpus`` in the topology that the preference asks for; 1/1/1 when the release does not know it.

    Raises ``ApplyError`` for a spread over a ratio of 0 or of something that is no number.
    """
    behaviour = selection.behaviour
    vcpus = 0 if vcpus is None else vcpus
    if vcpus == 1 and behaviour.single_vcpu_skips_topology:
        return _FLAT
    match preferred_topology(selection.preference, behaviour.topologies):
        case Topology.SOCKETS | Topology.ANY:
            return CpuTopology(sockets=vcpus)
        case Topology.CORES:
            return CpuTopology(cores=vcpus)
        case Topology.THREADS:
            return CpuTopology(threads=vcpus)
        case Topology.SPREAD:
            return _spread(vcpus, selection)
        case None:
            return _FLAT


def _spread(vcpus: Json, selection: Selection) -> CpuTopology:
    options = spread_options(selection.preference)
    if options.across is None:
        return _FLAT
    count = _integer(vcpus, Party.INSTANCETYPE, _GUEST)
    ratio = _integer(options.ratio, Party.PREFERENCE, options.ratio_field)
    if is_zero(ratio):
        raise ApplyError(
            Party.PREFERENCE, _not_spreadable("vCPUs cannot be spread over a ratio of 0", options.ratio_field)
        )
    match options.across:
        case Across.SOCKETS_CORES:
            return CpuTopology(sockets=count // ratio, cores=ratio)
        case Across.CORES_THREADS:
            return CpuTopology(cores=count // ratio, threads=ratio)
        case Across.SOCKETS_CORES_THREADS:
            return CpuTopology(count // THREADS_PER_CORE // ratio, ratio, THREADS_PER_CORE)


def _integer(value: Json, party: Party, field: FieldPath) -> int:
    if isinstance(value, int):
        return value
    raise ApplyError(party, _not_spreadable(f"vCPUs cannot be spread, as {field} is not a number", field))


def _not_spreadable(message: str, field: FieldPath) -> Diagnostic:
    return Diagnostic(
        code=Code.TOPOLOGY,
        message=message,
        field=field,
        hint="write a positive number, or take another topology",
    )
