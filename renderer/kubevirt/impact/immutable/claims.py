"""Claims, volumes, their classes and their snapshots."""

from __future__ import annotations

from renderer.kubevirt.impact.immutable.claim_size import RESIZE, SIZE, if_not_resizable, if_smaller
from renderer.kubevirt.impact.immutable.row import (
    API_SERVER,
    APIS,
    STAYS,
    Condition,
    ImmutableRow,
    ObjectUpdate,
    if_both,
    if_kept,
    if_other,
    with_cluster_value,
)
from renderer.model.difference import FieldChange
from renderer.model.kube.json import Json, object_at, text_at

_CLAIM = ("PersistentVolumeClaim",)
_CORE = f"{APIS}/core/validation/validation.go"
_CLAIM_UPDATE = f"{_CORE} ValidatePersistentVolumeClaimUpdate"
_VOLUME_UPDATE = f"{_CORE} ValidatePersistentVolumeUpdate"
_STORAGE = f"{APIS}/storage/validation/validation.go"
_SNAPSHOTTER = "external-snapshotter client/apis"
#: CDI's webhook fills in the access and volume modes of a claim with this label (``pvc-mutate.go``).
_APPLY_PROFILE = "cdi.kubevirt.io/applyStorageProfile"
_MADE_FOR_IT = "the volume was made for it"
_VOLUME_SOURCES = (
    *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc", "flexVolume", "flocker"),
    *("gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs", "photonPersistentDisk"),
    *("portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"),
)
_CSI_FIELDS = (
    *("driver", "volumeHandle", "fsType", "readOnly", "volumeAttributes", "controllerPublishSecretRef"),
    *("nodeStageSecretRef", "nodePublishSecretRef", "nodeExpandSecretRef"),
)
_OTHER_CLASS_ONLY = "it may become another class, but not none"
_GROUP_CLASS_FIELDS = ("driver", "parameters", "deletionPolicy")
_GROUP_CONTENT_FIELDS = (
    *("spec.driver", "spec.volumeGroupSnapshotClassName"),
    *("spec.volumeGroupSnapshotRef.name", "spec.volumeGroupSnapshotRef.namespace"),
)


def _if_other_in_claim(field: str) -> Condition:
    """Refuse another value than the claim has; the cluster may have chosen it where Git had none."""
    refused = if_both("spec", field)

    def condition(update: ObjectUpdate, change: FieldChange) -> str:
        return with_cluster_value(update, "spec", field, reason=STAYS) if refused(update, change) else ""

    return condition


def _if_other_mode(update: ObjectUpdate, change: FieldChange) -> str:
    path = ("spec", "volumeMode")
    if update.before.labels.get(_APPLY_PROFILE) == "true":
        refused = if_both(*path)(update, change)
    else:
        refused = if_other("Filesystem", _MADE_FOR_IT, *path)(update, change)
    return with_cluster_value(update, *path, reason=_MADE_FOR_IT) if refused else ""


def _if_other_source(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another source; the API server fills in ``dataSource`` and ``dataSourceRef`` from each other."""
    before, after = (_source(spec.get("dataSourceRef") or spec.get("dataSource")) for spec in update.specs)
    return "" if before == after else "the volume was filled from it"


def _source(reference: Json) -> tuple[str, ...]:
    return tuple(text_at(object_at(reference), key) for key in ("apiGroup", "kind", "name", "namespace"))


def _if_no_attributes(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse to leave out a class that is applied, and another one for a claim that is not bound."""
    before, after = update.values("spec", "volumeAttributesClassName")
    if before == after:
        return ""
    if update.phase not in ("", "Bound"):
        return f"only the class of a bound claim changes, and this one is {update.phase}"
    is_applied = update.status is None or bool(update.status.get("currentVolumeAttributesClassName"))
    return _OTHER_CLASS_ONLY if before and not after and is_applied else ""


def _if_other_nodes(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse other nodes than a volume has; deprecated labels in them may become those that replace them."""
    before, after = update.values("spec", "nodeAffinity")
    is_free = before is None or before == after or "beta.kubernetes.io" in str(before)
    return "" if is_free else "the volume is on these nodes"


def _except_v1beta1(*fields: str) -> Condition:
    """Refuse as the rules of a definition do, which its version v1beta1 does not have."""
    kept = if_kept(*fields)

    def condition(update: ObjectUpdate, change: FieldChange) -> str:
        return "" if update.after.gvk.version == "v1beta1" else kept(update, change)

    return condition


CLAIM_ROWS = (
    ImmutableRow(
        "",
        _CLAIM,
        ("spec.storageClassName",),
        API_SERVER,
        _CLAIM_UPDATE,
        _if_other_in_claim("storageClassName"),
        "a class where Git had none",
        is_chosen=True,
    ),
    ImmutableRow(
        "",
        _CLAIM,
        ("spec.accessModes",),
        API_SERVER,
        _CLAIM_UPDATE,
        _if_other_in_claim("accessModes"),
        "modes where Git had none",
        is_chosen=True,
    ),
    ImmutableRow(
        "", _CLAIM, ("spec.volumeMode",), API_SERVER, _CLAIM_UPDATE, _if_other_mode, "Filesystem for none"
    ),
    ImmutableRow(
        "",
        _CLAIM,
        ("spec.dataSource", "spec.dataSourceRef"),
        API_SERVER,
        _CLAIM_UPDATE,
        _if_other_source,
        "the same source in the other field",
    ),
    ImmutableRow("", _CLAIM, ("spec.selector", "spec.resources.limits"), API_SERVER, _CLAIM_UPDATE),
    ImmutableRow(
        "",
        _CLAIM,
        ("spec.volumeName",),
        API_SERVER,
        _CLAIM_UPDATE,
        if_both("spec", "volumeName"),
        "a name where Git had none",
        is_chosen=True,
    ),
    ImmutableRow(
        "",
        _CLAIM,
        ("spec.volumeAttributesClassName",),
        API_SERVER,
        _CLAIM_UPDATE,
        _if_no_attributes,
        "another class of a bound claim; none, until one is applied",
    ),
    ImmutableRow(
        "",
        _CLAIM,
        (".".join(SIZE),),
        API_SERVER,
        _CLAIM_UPDATE,
        if_smaller,
        "more; less, down to what a failed expansion left",
    ),
    ImmutableRow(
        "",
        _CLAIM,
        (".".join(SIZE),),
        API_SERVER,
        RESIZE,
        if_not_resizable,
        "more, if the claim is bound and its StorageClass has allowVolumeExpansion",
        is_forbidden=True,
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        (*(f"spec.{source}" for source in _VOLUME_SOURCES), *(f"spec.csi.{key}" for key in _CSI_FIELDS)),
        API_SERVER,
        _VOLUME_UPDATE,
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        ("spec.volumeMode",),
        API_SERVER,
        _VOLUME_UPDATE,
        if_other("Filesystem", _MADE_FOR_IT, "spec", "volumeMode"),
        "Filesystem for none",
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        ("spec.csi.controllerExpandSecretRef",),
        API_SERVER,
        _VOLUME_UPDATE,
        if_both("spec", "csi", "controllerExpandSecretRef"),
        "a Secret where there was none",
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        ("spec.nodeAffinity",),
        API_SERVER,
        _VOLUME_UPDATE,
        _if_other_nodes,
        "nodes where there were none, other names of deprecated labels",
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        ("spec.volumeAttributesClassName",),
        API_SERVER,
        _VOLUME_UPDATE,
        _if_no_attributes,
        "another class",
    ),
    ImmutableRow(
        "storage.k8s.io",
        ("StorageClass",),
        ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
        API_SERVER,
        f"{_STORAGE} ValidateStorageClassUpdate",
    ),
    ImmutableRow(
        "storage.k8s.io",
        ("VolumeAttributesClass",),
        ("driverName", "parameters"),
        API_SERVER,
        f"{_STORAGE} ValidateVolumeAttributesClassUpdate",
    ),
    ImmutableRow(
        "storage.k8s.io",
        ("CSIDriver",),
        ("spec.attachRequired",),
        API_SERVER,
        f"{_STORAGE} ValidateCSIDriverUpdate",
        if_other(True, STAYS, "spec", "attachRequired"),  # noqa: FBT003 - the value of a field
        "true for none",
    ),
    ImmutableRow(
        "storage.k8s.io",
        ("CSIDriver",),
        ("spec.volumeLifecycleModes",),
        API_SERVER,
        f"{_STORAGE} ValidateCSIDriverUpdate",
        if_other(["Persistent"], STAYS, "spec", "volumeLifecycleModes"),
        "Persistent for none",
    ),
    ImmutableRow(
        "snapshot.storage.k8s.io",
        ("VolumeSnapshot", "VolumeSnapshotContent"),
        ("spec.source",),
        API_SERVER,
        f"{_SNAPSHOTTER}/volumesnapshot/v1/types.go VolumeSnapshotSource, VolumeSnapshotContentSource",
    ),
    ImmutableRow(
        "snapshot.storage.k8s.io",
        ("VolumeSnapshotContent",),
        ("spec.sourceVolumeMode",),
        API_SERVER,
        f"{_SNAPSHOTTER}/volumesnapshot/v1/types.go VolumeSnapshotContentSpec",
        if_both("spec", "sourceVolumeMode"),
        "a mode where there was none",
    ),
    ImmutableRow(
        "groupsnapshot.storage.k8s.io",
        ("VolumeGroupSnapshot", "VolumeGroupSnapshotContent"),
        ("spec.source",),
        API_SERVER,
        f"{_SNAPSHOTTER}/volumegroupsnapshot/v1/types.go VolumeGroupSnapshotSource,"
        " VolumeGroupSnapshotContentSource",
    ),
    ImmutableRow(
        "groupsnapshot.storage.k8s.io",
        ("VolumeGroupSnapshotClass",),
        _GROUP_CLASS_FIELDS,
        API_SERVER,
        f"{_SNAPSHOTTER}/volumegroupsnapshot/v1/types.go VolumeGroupSnapshotClass",
        _except_v1beta1(*_GROUP_CLASS_FIELDS),
        "parameters where there were none, everything in v1beta1",
    ),
    ImmutableRow(
        "groupsnapshot.storage.k8s.io",
        ("VolumeGroupSnapshotContent",),
        _GROUP_CONTENT_FIELDS,
        API_SERVER,
        f"{_SNAPSHOTTER}/volumegroupsnapshot/v1/types.go VolumeGroupSnapshotContentSpec",
        _except_v1beta1(*_GROUP_CONTENT_FIELDS),
        "a class where there was none, everything in v1beta1",
    ),
)
