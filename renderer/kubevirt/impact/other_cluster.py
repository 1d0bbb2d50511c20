"""What another cluster does to a machine, whatever its manifest: an upgrade, or another ``KubeVirt`` object.

After an upgrade, KubeVirt moves the instances that the old release runs to the new one, as
``workloadUpdateMethods`` say (``pkg/virt-controller/watch/workload-updater``).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.virtual_machine import HALTED
from renderer.kubevirt.impact.migratable import obstacle_in_cluster, unknown_claims
from renderer.kubevirt.impact.state import InstanceState, Update, VmChange
from renderer.model.difference import Effect, Impact

UPDATER = "pkg/virt-controller/watch/workload-updater/workload-updater.go getUpdateData"


def lost_start(change: VmChange) -> Impact | None:
    """Return the impact of a cluster that refuses the next instance, where the one before would not."""
    is_halted = change.after.run_strategy == HALTED
    if not change.start_refusal or not change.was_startable or is_halted:
        return None
    return Impact(Effect.NO_START, f"the next instance is refused: {change.start_refusal}")


def workload_update(change: VmChange, cluster: Cluster) -> Impact | None:
    """Return what KubeVirt does to a running machine after its upgrade to the release of ``cluster``."""
    methods = cluster.workload_update_methods or ()
    if change.before.run_strategy == HALTED or not methods:
        return None
    instance = InstanceState(change.before.instance)
    obstacle = obstacle_in_cluster(cluster, change.access_modes, instance)
    if "LiveMigrate" in methods and not obstacle:
        update = Update(change.before, change.after, cluster, change.access_modes)
        reason = "KubeVirt live-migrates it after the upgrade"
        return Impact(Effect.MIGRATION, "; ".join((reason, *_doubts(update, instance, methods))), UPDATER)
    if "Evict" not in methods:
        return None
    reason = "KubeVirt evicts the instance after the upgrade (workloadUpdateMethods: Evict)"
    return Impact(Effect.EVICTED, f"{reason}: {obstacle}" if obstacle else reason, UPDATER)


def _doubts(update: Update, instance: InstanceState, methods: tuple[str, ...]) -> Iterator[str]:
    claims = " and ".join(dict.fromkeys(unknown_claims(update, instance)))
    if claims:
        others = "evicts it" if "Evict" in methods else "leaves it as it is"
        yield f"unless {claims} can be mounted by many nodes (ReadWriteMany), it {others}"
