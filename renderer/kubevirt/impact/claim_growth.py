"""What happens to a larger PersistentVolumeClaim, where the cluster does not refuse it."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.kubevirt.facts.kinds import CLAIM
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity, lenient_quantity

_RESIZE = "kubernetes plugin/pkg/admission/storage/persistentvolume/resize/admission.go Validate"


def claim_growth(before: Resource, after: Resource, objects: Iterable[Resource]) -> Impact | None:
    """Return the impact of a larger claim; None for any other change. ``objects`` may have its class."""
    if after.kind != CLAIM:
        return None
    sizes = _size(before), _size(after)
    if sizes[0] is None or sizes[1] is None or sizes[0] >= sizes[1]:
        return None
    name = text_at(after.content, "spec", "storageClassName")
    classes = (each for each in objects if each.kind == "StorageClass" and each.name == name)
    if any(each.content.get("allowVolumeExpansion") is True for each in classes):
        return Impact(Effect.LIVE, "the volume grows", _RESIZE)
    of_claim = f"StorageClass {name}" if name else "its StorageClass"
    reason = (
        f"the volume grows if {of_claim} has allowVolumeExpansion; otherwise the cluster refuses the update"
    )
    return Impact(Effect.LIVE, reason, _RESIZE)


def _size(claim: Resource) -> Quantity | None:
    return lenient_quantity(object_at(claim.content, "spec", "resources", "requests").get("storage"))
