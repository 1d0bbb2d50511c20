"""The vCPUs that a VirtualMachine gives itself, in the topology of its preference."""

from __future__ import annotations

from renderer.instancetype.apply.cpu_topology import CpuTopology, cpu_topology
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.cause import Cause, CauseError
from renderer.instancetype.custom.size import VCPUS
from renderer.instancetype.find import Found
from renderer.instancetype.selection import Selection
from renderer.instancetype.sizes import count_of_vcpus
from renderer.instancetype.spread import divisor, is_spreadable
from renderer.instancetype.topology import Topology, preferred_topology, spread_options
from renderer.model.codes import Code
from renderer.model.field_path import FieldPath
from renderer.model.json import EMPTY, object_at

_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")


def shaped(vcpus: int, preference: Found | None, behaviour: Behaviour) -> CpuTopology:
    """``vcpus`` as KubeVirt shapes those of an instance type: by default sockets of one core.

    Raises ``CauseError`` (topology) when the topology would not have as many, which KubeVirt does not ask of
    instance types at every release.
    """
    if preference is None:
        return cpu_topology(vcpus, Selection(EMPTY, EMPTY, behaviour))
    if preferred_topology(preference.spec, behaviour.topologies) is Topology.SPREAD:
        options = spread_options(preference.spec)
        if not is_spreadable(vcpus, options, preference):
            raise CauseError(_not_spreadable(vcpus, divisor(options), preference))
    topology = cpu_topology(vcpus, Selection(EMPTY, preference.spec, behaviour))
    if _count(topology) != vcpus:
        raise CauseError(_unknown_topology(vcpus, topology, preference, behaviour))
    return topology


def _count(topology: CpuTopology) -> int:
    product = 1
    for count in topology:
        product *= count if isinstance(count, int) else 0
    return product


def _not_spreadable(vcpus: int, by: str, preference: Found) -> Cause:
    message = f"the {count_of_vcpus(vcpus)} of the VM cannot be spread by {by} as {preference} asks"
    hint = f"set {VCPUS} to a multiple, or take another preference"
    cause = Cause.at_field(VCPUS, Code.TOPOLOGY, message, hint)
    return cause._replace(related=(preference.related(spread_options(preference.spec).ratio_field),))


def _unknown_topology(vcpus: int, topology: CpuTopology, preference: Found, behaviour: Behaviour) -> Cause:
    name = object_at(preference.spec, "cpu").get("preferredCPUTopology")
    message = (
        f"KubeVirt {behaviour.release} does not know the CPU topology {name} of {preference},"
        f" and makes {count_of_vcpus(_count(topology))} of {vcpus}"
    )
    hint = f"take a preference with {', '.join(sorted(behaviour.topologies))}"
    cause = Cause.at_field(VCPUS, Code.TOPOLOGY, message, hint)
    return cause._replace(related=(preference.related(_TOPOLOGY),))
