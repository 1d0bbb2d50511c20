"""Check that the vCPUs of an instance type can be spread as the preference requests.

KubeVirt ``pkg/instancetype/preference/validation/cpu.go``.
"""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.behaviour import Behaviour, SpreadCheck
from renderer.kubevirt.instancetype.cause import CrashError, ExpansionCause
from renderer.kubevirt.instancetype.find import MatchedObject
from renderer.kubevirt.instancetype.topology import (
    THREADS_PER_CORE,
    Across,
    SpreadOptions,
    Topology,
    count_of_vcpus,
    preferred_topology,
    spread_options,
)
from renderer.model.codes import Code
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at

_GUEST = FieldPath.of("spec", "cpu", "guest")
_TOPOLOGY = FieldPath.of("spec", "cpu", "preferredCPUTopology")


def check_spread(
    instancetype: MatchedObject | None, preference: MatchedObject | None, behaviour: Behaviour
) -> ExpansionCause | None:
    """Return the cause if vCPUs would be left over. Raises ``CrashError`` where KubeVirt crashes."""
    if preference is None or behaviour.spread_check is SpreadCheck.NONE:
        return None
    if preferred_topology(preference.spec, behaviour.topologies) is not Topology.SPREAD:
        return None
    if instancetype is None:
        if behaviour.spread_check is SpreadCheck.NEEDS_INSTANCETYPE:
            raise CrashError(
                ExpansionCause.at_field(
                    PREFERENCE.path,
                    Code.TOPOLOGY,
                    f"{preference} spreads vCPUs, and without an instance type crashes"
                    f" KubeVirt {behaviour.release}",
                    f"set {INSTANCETYPE.path}",
                )
            )
        return None
    options = spread_options(preference.spec)
    guest = object_at(instancetype.spec, "cpu").get("guest")
    vcpus = guest if isinstance(guest, int) else 0
    if is_spreadable(vcpus, options, preference):
        return None
    what = f"the {count_of_vcpus(guest)} of {instancetype}"
    requested_by = _TOPOLOGY if options.has_default_ratio else options.ratio_field
    return ExpansionCause.at_field(
        INSTANCETYPE.path,
        Code.TOPOLOGY,
        f"{what} cannot be spread by {divisor(options)} as {preference} requests",
        "use an instance type whose vCPUs can be divided, or another preference",
        reported="instancetype.spec.cpu.guest",  # it exists in neither object
        related=(instancetype.related(_GUEST), preference.related(requested_by)),
    )


def is_spreadable(vcpus: int, options: SpreadOptions, preference: MatchedObject) -> bool:
    """Return True if no vCPU is left over, or if the release does not know what to spread across.

    ``options`` are the spread options of ``preference``. Raises ``CrashError`` for a ratio of 0.
    """
    if options.across is None:
        return True
    left_over = 0
    if options.across is Across.SOCKETS_CORES_THREADS:
        vcpus, left_over = divmod(vcpus, THREADS_PER_CORE)
    ratio = options.ratio
    if not left_over:
        if not isinstance(ratio, int) or ratio == 0:
            raise CrashError(
                ExpansionCause.at_field(
                    PREFERENCE.path,
                    Code.TOPOLOGY,
                    f"{preference} spreads vCPUs in the ratio 0, which crashes KubeVirt",
                    f"set a ratio of at least 1 in {options.ratio_field}",
                    related=(preference.related(options.ratio_field),),
                )
            )
        left_over = vcpus % ratio
    return not left_over


def divisor(options: SpreadOptions) -> str:
    """Return the divisor of the vCPUs in words: ``2``, ``8, in sockets of 4 cores with 2 threads each,``."""
    ratio = options.ratio
    if options.across is not Across.SOCKETS_CORES_THREADS:
        return f"{ratio}"
    if not isinstance(ratio, int) or ratio < 1:
        return f"{THREADS_PER_CORE}, the threads of a core,"
    threads = THREADS_PER_CORE * ratio
    return f"{threads}, in sockets of {ratio} cores with {THREADS_PER_CORE} threads each,"
