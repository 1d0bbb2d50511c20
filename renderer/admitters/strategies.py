"""How a VirtualMachineInstance starts, and what becomes of it when its node is drained."""

from __future__ import annotations

from renderer.admitters.cause import Causes, invalid
from renderer.admitters.cluster import Cluster
from renderer.admitters.vmi_spec import VmiSpec, has

_EVICTION_STRATEGIES = ("LiveMigrate", "LiveMigrateIfPossible", "None", "External")


def check_start_strategy(vmi: VmiSpec, _: Cluster) -> Causes:
    strategy = vmi.content.get("startStrategy")
    if strategy is None:
        return
    at = vmi.at("startStrategy")
    if strategy != "Paused":
        yield invalid(at, f"{strategy!r} is no startStrategy", "use Paused, or drop it")
    elif has(vmi.content, "livenessProbe"):
        yield invalid(at, "a VM with a livenessProbe cannot start paused", "drop one of the two")


def check_eviction_strategy(vmi: VmiSpec, cluster: Cluster) -> Causes:
    strategy = vmi.content.get("evictionStrategy")
    if strategy is None:
        strategy = cluster.config.eviction_strategy
    if strategy not in _EVICTION_STRATEGIES:
        hint = f"one of {', '.join(_EVICTION_STRATEGIES)}"
        yield invalid(vmi.at("evictionStrategy"), f"{strategy!r} is no evictionStrategy", hint)
