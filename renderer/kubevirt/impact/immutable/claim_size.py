"""The size of a claim: who refuses another one, and what happens to a larger claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.kubevirt.facts.kinds import CLAIM, STORAGE_CLASS
from renderer.kubevirt.impact.immutable.row import ObjectUpdate, with_cluster_value
from renderer.model.difference import Effect, FieldChange, Impact
from renderer.model.kube.json import Json, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import Quantity, lenient_quantity

SIZE = ("spec", "resources", "requests", "storage")
RESIZE = "kubernetes plugin/pkg/admission/storage/persistentvolume/resize/admission.go Validate"


def if_smaller(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse a smaller claim, except to take back an expansion that has not happened."""
    before, after = _sizes(update)
    if before is None or after is None or before <= after:
        return ""
    capacity = lenient_quantity(value_at(update.status, ("capacity", "storage")))
    if capacity is not None and after > capacity:
        return ""
    return with_cluster_value(update, *SIZE, reason="a claim cannot become smaller")


def if_not_resizable(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse a larger claim that its class or its state does not let grow."""
    if not _grows(update):
        return ""
    if update.phase not in ("", "Bound"):
        return f"a claim grows only once it is bound, and this one is {update.phase}"
    name = value_at(update.before.content, ("spec", "storageClassName"))
    if name == "":
        return "only a volume of a StorageClass can grow, and the claim has none"
    found = _storage_class(update, name)
    if found is None or _allows_expansion(found):
        return ""
    return f"StorageClass {name} does not have allowVolumeExpansion: true"


def claim_growth(update: ObjectUpdate) -> Impact | None:
    """Return the impact of a larger claim that nothing is known to refuse; None for any other change."""
    if update.after.kind != CLAIM or not _grows(update):
        return None
    name = text_at(update.after.content, "spec", "storageClassName")
    found = _storage_class(update, name)
    if found is not None and _allows_expansion(found):
        return Impact(Effect.LIVE, "the volume grows", RESIZE)
    of_claim = f"StorageClass {name}" if name else "its StorageClass"
    reason = (
        f"the volume grows if {of_claim} has allowVolumeExpansion; otherwise the cluster refuses the update"
    )
    return Impact(Effect.LIVE, reason, RESIZE)


def _sizes(update: ObjectUpdate) -> tuple[Quantity | None, Quantity | None]:
    before, after = map(lenient_quantity, update.values(*SIZE))
    return before, after


def _grows(update: ObjectUpdate) -> bool:
    before, after = _sizes(update)
    return before is not None and after is not None and before < after


def _storage_class(update: ObjectUpdate, name: Json) -> Resource | None:
    return update.storage_classes.get(name) if isinstance(name, str) else None


def classes_by_name(objects: Iterable[Resource]) -> Mapping[str, Resource]:
    """Return the StorageClasses among objects, the first of each name."""
    found: dict[str, Resource] = {}
    for each in objects:
        if each.kind == STORAGE_CLASS:
            found.setdefault(each.name, each)
    return found


def _allows_expansion(storage_class: Resource) -> bool:
    return storage_class.content.get("allowVolumeExpansion") is True
