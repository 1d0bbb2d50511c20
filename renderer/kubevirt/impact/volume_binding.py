"""A PersistentVolume that is reserved for another claim than the one that it is bound to.

The API server lets ``claimRef`` change. Git has its namespace and name, and the UID of the bound claim stays
in the cluster; so the controller finds no claim with both. It releases the volume and does what the reclaim
policy says (Kubernetes ``pkg/controller/volume/persistentvolume/pv_controller.go`` ``syncVolume``).
"""

from __future__ import annotations

from renderer.kubevirt.impact.storage_objects import RETAIN, StorageObjects, reclaim_policy
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource

SOURCE = "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go syncVolume"


def released_volume(before: Resource, after: Resource, storage: StorageObjects) -> Impact | None:
    """Return the impact of a change by which a PersistentVolume leaves its claim; None if it stays.

    ``storage`` has the claims before the change: one of them may name a volume without ``claimRef``.
    """
    if after.gvk.group or after.kind != "PersistentVolume":
        return None
    old, new = (object_at(each.content, "spec", "claimRef") for each in (before, after))
    claim = (text_at(old, "namespace"), text_at(old, "name")) if old else storage.claim_of(before.name)
    if claim is None or (not old and not new):
        return None
    uids = {text_at(each, "uid") for each in (old, new)} - {""}
    if claim == (text_at(new, "namespace"), text_at(new, "name")) and len(uids) < 2:  # noqa: PLR2004 - two claims
        return None
    name, policy = "/".join(claim), reclaim_policy(after)
    reason = f"claimRef no longer names claim {name}: if the volume is bound to it, it is released"
    setting = f"persistentVolumeReclaimPolicy: {policy}"
    if policy == RETAIN:
        reason = f"{reason}, and the claim may be lost: no machine starts with it then ({setting})"
        return Impact(Effect.NO_START, reason, SOURCE)
    return Impact(Effect.AT_RISK, f"{reason}, and deleted with what is on it ({setting})", SOURCE)
