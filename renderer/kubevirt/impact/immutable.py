"""Updates that a cluster refuses, since the field does not change once the object is there.

One row for each group of fields: who refuses, and the upstream function. A row without a condition refuses
every change. What only the cluster knows, such as the storage class that it chose, is not judged: a refusal
is reported only if it is certain from both manifests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.stored_values import as_stored
from renderer.model.difference import Effect, FieldChange, Impact, NoValue
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, scalar_text, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.quantity import lenient_quantity
from renderer.model.release import Release

_API_SERVER = "the API server"
_KUBEVIRT = "KubeVirt"
_CDI = "CDI"
_ADMITTERS = "pkg/storage/admitters"
_NEW_NAME = "it stays as the object was created; create another under a new name"
_VALIDATION = "kubernetes pkg/apis"
_CDI_WEBHOOKS = "containerized-data-importer pkg/apiserver/webhooks"
#: Sources of an import in several stages; its checkpoints may be added later.
_STAGED_SOURCES = ("vddk", "imageio")
#: Fields that the API server fills in, by their last name: writing this value is no change.
_DEFAULTS: Mapping[str, Json] = {
    "apiGroup": "rbac.authorization.k8s.io",
    "completionMode": "NonIndexed",
    "podManagementPolicy": "OrderedReady",
    "preemptionPolicy": "PreemptLowerPriority",
    "reclaimPolicy": "Delete",
    "volumeBindingMode": "Immediate",
    "volumeMode": "Filesystem",
}
#: Fields of a pod that the API server fills in with a value that depends on others.
_FILLED_IN_PODS = frozenset(
    {
        *("defaultMode", "dnsPolicy", "imagePullPolicy", "protocol", "schedulerName", "securityContext"),
        *("serviceAccount", "terminationGracePeriodSeconds", "terminationMessagePath"),
        "terminationMessagePolicy",
    }
)
_VOLUME_SOURCES = (
    *("awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "fc", "flexVolume", "flocker"),
    *("gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs", "photonPersistentDisk"),
    *("portworxVolume", "quobyte", "rbd", "scaleIO", "storageos", "vsphereVolume"),
)


class ObjectUpdate(NamedTuple):
    """An object before and after a change; ``objects`` are those that go to the same cluster with it."""

    before: Resource
    after: Resource
    objects: Sequence[Resource] = ()

    def values(self, *path: str) -> tuple[Json, Json]:
        """Return the value of a field on both sides; None if it is missing."""
        return value_at(self.before.content, path), value_at(self.after.content, path)


#: Returns why a change of a field is refused; empty if it is admitted, or if only the cluster knows.
Condition: TypeAlias = Callable[[ObjectUpdate, FieldChange], str]


class ImmutableRow(NamedTuple):
    """Fields of some kinds of a group, who refuses a change of them, and the function that does."""

    group: str
    kinds: tuple[str, ...]
    fields: tuple[str, ...]
    refuser: str
    source: str
    condition: Condition | None = None
    since: Release | None = None


def with_refusals(
    update: ObjectUpdate, changes: Iterable[FieldChange], release: Release
) -> tuple[FieldChange, ...] | None:
    """Return the changes, with an impact where the cluster refuses the update; None if it refuses none."""
    gvk = update.after.gvk
    rows = [
        row
        for row in ROWS
        if row.group == gvk.group and gvk.kind in row.kinds and (row.since is None or release >= row.since)
    ]
    if not rows:
        return None
    judged = tuple(change._replace(impact=_impact(rows, update, change)) for change in changes)
    return judged if any(change.impact for change in judged) else None


def _impact(rows: Iterable[ImmutableRow], update: ObjectUpdate, change: FieldChange) -> Impact | None:
    """Return the refusal of a change by the first row that refuses it."""
    if _is_default(change):
        return None
    for row in rows:
        if not any(_overlaps(change, field) for field in row.fields):
            continue
        reason = _NEW_NAME if row.condition is None else row.condition(update, change)
        if reason:
            return Impact(Effect.REFUSED, f"{row.refuser} does not let it change: {reason}", row.source)
    return None


def _is_default(change: FieldChange) -> bool:
    """Return True if one side only writes what the API server fills in on the other, or an empty value."""
    if NoValue.ABSENT not in (change.before, change.after):
        return False
    written = change.after if change.before is NoValue.ABSENT else change.before
    if written in ("", []):
        return True
    name = change.field.segments[-1] if change.field.segments else ""
    return isinstance(name, str) and name in _DEFAULTS and _DEFAULTS[name] == written


def _overlaps(change: FieldChange, field: str) -> bool:
    """Return True if a change is of ``field``, of something inside it, or of a mapping around it."""
    path = field.split(".")
    return all(one == other for one, other in zip(path, change.field.segments, strict=False))


def _unless_checkpoints(update: ObjectUpdate, _change: FieldChange) -> str:
    """Admit checkpoints that are added to an import in several stages; nothing else of the spec changes."""
    before, after = (object_at(each.content, "spec") for each in (update.before, update.after))
    source = object_at(after, "source")
    is_staged = bool(array_at(after, "checkpoints")) and any(key in source for key in _STAGED_SOURCES)
    if is_staged and _without_checkpoints(before) == _without_checkpoints(after):
        return ""
    return "the disk was filled from it; a DataVolume under another name is filled anew"


def _without_checkpoints(spec: JsonObject) -> JsonObject:
    return as_stored(
        {key: value for key, value in spec.items() if key not in ("checkpoints", "finalCheckpoint")}
    )


def _if_both(*path: str) -> Condition:
    """Refuse a change from one value to another or to none: the cluster may have chosen a missing one."""

    def condition(update: ObjectUpdate, _change: FieldChange) -> str:
        before, after = update.values(*path)
        return "" if before is None or before == after else "it stays as the object was created"

    return condition


def _if_other_mode(update: ObjectUpdate, _change: FieldChange) -> str:
    before, after = (value or "Filesystem" for value in update.values("spec", "volumeMode"))
    return "" if before == after else "the volume was made for it"


def _if_not_expandable(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse a smaller claim, and a larger one whose StorageClass is known not to expand volumes."""
    path = ("spec", "resources", "requests", "storage")
    before, after = map(lenient_quantity, update.values(*path))
    if before is None or after is None or before == after:
        return ""
    if after < before:
        return "a claim cannot become smaller"
    name = text_at(update.before.content, "spec", "storageClassName")
    classes = (each for each in update.objects if each.kind == "StorageClass" and name and each.name == name)
    found = next(classes, None)
    if found is None or found.content.get("allowVolumeExpansion") is True:
        return ""
    return f"StorageClass {name} does not have allowVolumeExpansion: true"


def _if_marked(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse other data of a Secret or ConfigMap that is marked immutable, and the removal of the mark."""
    if update.before.content.get("immutable") is not True or is_encrypted(update.before):
        return ""
    if update.after.content.get("immutable") is not True:
        return "the object is immutable: true, which stays"
    fields = ("data", "binaryData")
    if all(object_at(update.before.content, key) == object_at(update.after.content, key) for key in fields):
        return ""
    return "the object is immutable: true; give it another name, as a generator with a hash does"


def _if_other_type(update: ObjectUpdate, _change: FieldChange) -> str:
    before, after = (value or "Opaque" for value in update.values("type"))
    return "" if before == after else "the type of a Secret stays"


def _if_other_address(update: ObjectUpdate, _change: FieldChange) -> str:
    """Refuse another cluster IP, and None for a Service that has an address."""
    before, after = (object_at(each.content, "spec") for each in (update.before, update.after))
    if "ExternalName" in (text_at(before, "type"), text_at(after, "type")):
        return ""
    old, new = _address(before), _address(after)
    if not new or old == new or (not old and new != "None"):
        return ""
    return "a Service keeps the address that it has"


def _address(spec: JsonObject) -> str:
    addresses = array_at(spec, "clusterIPs")
    return text_at(spec, "clusterIP") or (scalar_text(addresses[0]) if addresses else "")


def _if_other_class(update: ObjectUpdate, _change: FieldChange) -> str:
    types = [text_at(each.content, "spec", "type") for each in (update.before, update.after)]
    if types != ["LoadBalancer", "LoadBalancer"]:
        return ""
    return _if_both("spec", "loadBalancerClass")(update, _change)


def _unless_suspended(update: ObjectUpdate, change: FieldChange) -> str:
    """Admit what a suspended Job may change before it starts, and fields that the API server fills in."""
    if value_at(update.before.content, ("spec", "suspend")) is True:
        return ""
    if NoValue.ABSENT in (change.before, change.after) and change.field.segments[-1] in _FILLED_IN_PODS:
        return ""
    return "a Job runs what it was created with; give it another name"


def _unless_elastic(update: ObjectUpdate, _change: FieldChange) -> str:
    """Admit other completions of an indexed Job that equal its parallelism."""
    spec = object_at(update.after.content, "spec")
    if text_at(spec, "completionMode") == "Indexed" and spec.get("completions") == spec.get("parallelism"):
        return ""
    return "a Job runs what it was created with; give it another name"


def _every_field_but(kept: Sequence[str], reason: str) -> Condition:
    """Refuse changes of the spec outside of the fields ``kept``."""

    def condition(update: ObjectUpdate, change: FieldChange) -> str:
        before, after = (object_at(each.content, "spec") for each in (update.before, update.after))
        changed = {key for key in (*before, *after) if before.get(key) != after.get(key)}
        segment = change.field.segments[1] if len(change.field.segments) > 1 else None
        return "" if segment in kept or (segment is None and changed <= set(kept)) else reason

    return condition


_SPEC = ("spec",)
_SELECTOR = ("spec.selector",)
_STATEFUL = (
    *("replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "minReadySeconds"),
    "persistentVolumeClaimRetentionPolicy",
)

ROWS: tuple[ImmutableRow, ...] = (
    ImmutableRow(
        "cdi.kubevirt.io",
        ("DataVolume", "VolumeImportSource"),
        _SPEC,
        _CDI,
        f"{_CDI_WEBHOOKS}/datavolume-validate.go Admit",
        _unless_checkpoints,
    ),
    ImmutableRow(
        "cdi.kubevirt.io",
        ("DataImportCron",),
        _SPEC,
        _CDI,
        f"{_CDI_WEBHOOKS}/dataimportcron-validate.go Admit",
    ),
    ImmutableRow(
        "cdi.kubevirt.io",
        ("VolumeUploadSource",),
        _SPEC,
        _CDI,
        f"{_CDI_WEBHOOKS}/populators-validate.go validateVolumeUploadSource",
    ),
    ImmutableRow(
        "cdi.kubevirt.io",
        ("ObjectTransfer",),
        _SPEC,
        _CDI,
        f"{_CDI_WEBHOOKS}/transfer-validate.go Admit",
    ),
    ImmutableRow(
        "snapshot.kubevirt.io",
        ("VirtualMachineSnapshot",),
        _SPEC,
        _KUBEVIRT,
        f"{_ADMITTERS}/vmsnapshot.go Admit",
    ),
    ImmutableRow(
        "snapshot.kubevirt.io",
        ("VirtualMachineRestore",),
        _SPEC,
        _KUBEVIRT,
        f"{_ADMITTERS}/vmrestore.go Admit",
    ),
    ImmutableRow(
        "export.kubevirt.io",
        ("VirtualMachineExport",),
        _SPEC,
        _KUBEVIRT,
        f"{_ADMITTERS}/vmexport.go Admit",
    ),
    ImmutableRow(
        "backup.kubevirt.io",
        ("VirtualMachineBackup", "VirtualMachineBackupTracker"),
        _SPEC,
        _KUBEVIRT,
        "staging/src/kubevirt.io/api/backup/v1alpha1/types.go",
        since=Release(1, 8),
    ),
    ImmutableRow(
        "template.kubevirt.io",
        ("VirtualMachineTemplateRequest",),
        _SPEC,
        _KUBEVIRT,
        "pkg/virt-operator/resource/generate/components/data/virt-template/install-virt-operator.yaml",
        since=Release(1, 8),
    ),
    ImmutableRow(
        "kubevirt.io",
        ("VirtualMachineInstanceMigration",),
        _SPEC,
        _KUBEVIRT,
        "pkg/virt-api/webhooks/validating-webhook/admitters/migration-update-admitter.go Admit",
    ),
    ImmutableRow(
        "pool.kubevirt.io",
        ("VirtualMachinePool",),
        _SELECTOR,
        _KUBEVIRT,
        "pkg/virt-api/webhooks/validating-webhook/admitters/vmpool-admitter.go ValidateVMPoolSpec",
    ),
    ImmutableRow(
        "snapshot.storage.k8s.io",
        ("VolumeSnapshot",),
        ("spec.source",),
        _API_SERVER,
        "external-snapshotter client/apis/volumesnapshot/v1/types.go",
    ),
    ImmutableRow(
        "",
        ("PersistentVolumeClaim",),
        (
            *("spec.accessModes", "spec.dataSource", "spec.dataSourceRef", "spec.selector"),
            "spec.resources.limits",
        ),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidatePersistentVolumeClaimUpdate",
    ),
    ImmutableRow(
        "",
        ("PersistentVolumeClaim",),
        ("spec.storageClassName",),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidatePersistentVolumeClaimUpdate",
        _if_both("spec", "storageClassName"),
    ),
    ImmutableRow(
        "",
        ("PersistentVolumeClaim",),
        ("spec.volumeName",),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidatePersistentVolumeClaimUpdate",
        _if_both("spec", "volumeName"),
    ),
    ImmutableRow(
        "",
        ("PersistentVolumeClaim", "PersistentVolume"),
        ("spec.volumeMode",),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidatePersistentVolumeClaimUpdate",
        _if_other_mode,
    ),
    ImmutableRow(
        "",
        ("PersistentVolumeClaim",),
        ("spec.resources.requests.storage",),
        _API_SERVER,
        "kubernetes plugin/pkg/admission/storage/persistentvolume/resize/admission.go",
        _if_not_expandable,
    ),
    ImmutableRow(
        "",
        ("PersistentVolume",),
        (*(f"spec.{source}" for source in _VOLUME_SOURCES), "spec.csi.driver", "spec.csi.volumeHandle"),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidatePersistentVolumeUpdate",
    ),
    ImmutableRow(
        "",
        ("Secret", "ConfigMap"),
        ("data", "binaryData", "stringData", "immutable"),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidateSecretUpdate, ValidateConfigMapUpdate",
        _if_marked,
    ),
    ImmutableRow(
        "",
        ("Secret",),
        ("type",),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go ValidateSecretUpdate",
        _if_other_type,
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.clusterIP", "spec.clusterIPs"),
        _API_SERVER,
        "kubernetes pkg/registry/core/service/strategy.go patchAllocatedValues",
        _if_other_address,
    ),
    ImmutableRow(
        "",
        ("Service",),
        ("spec.loadBalancerClass",),
        _API_SERVER,
        f"{_VALIDATION}/core/validation/validation.go validateLoadBalancerClassField",
        _if_other_class,
    ),
    ImmutableRow(
        "apps",
        ("Deployment", "DaemonSet", "ReplicaSet"),
        _SELECTOR,
        _API_SERVER,
        f"{_VALIDATION}/apps/validation/validation.go",
    ),
    ImmutableRow(
        "apps",
        ("StatefulSet",),
        _SPEC,
        _API_SERVER,
        f"{_VALIDATION}/apps/validation/validation.go ValidateStatefulSetUpdate",
        _every_field_but(_STATEFUL, f"of a StatefulSet only {', '.join(_STATEFUL)} change"),
    ),
    ImmutableRow(
        "apps",
        ("ControllerRevision",),
        ("data",),
        _API_SERVER,
        f"{_VALIDATION}/apps/validation/validation.go ValidateControllerRevisionUpdate",
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.selector", "spec.completionMode", "spec.podFailurePolicy", "spec.backoffLimitPerIndex"),
        _API_SERVER,
        f"{_VALIDATION}/batch/validation/validation.go ValidateJobSpecUpdate",
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.template",),
        _API_SERVER,
        f"{_VALIDATION}/batch/validation/validation.go validatePodTemplateUpdate",
        _unless_suspended,
    ),
    ImmutableRow(
        "batch",
        ("Job",),
        ("spec.completions",),
        _API_SERVER,
        f"{_VALIDATION}/batch/validation/validation.go validateCompletions",
        _unless_elastic,
    ),
    ImmutableRow(
        "rbac.authorization.k8s.io",
        ("RoleBinding", "ClusterRoleBinding"),
        ("roleRef",),
        _API_SERVER,
        f"{_VALIDATION}/rbac/validation/validation.go ValidateRoleBindingUpdate",
    ),
    ImmutableRow(
        "storage.k8s.io",
        ("StorageClass",),
        ("provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"),
        _API_SERVER,
        f"{_VALIDATION}/storage/validation/validation.go ValidateStorageClassUpdate",
    ),
    ImmutableRow(
        "scheduling.k8s.io",
        ("PriorityClass",),
        ("value", "preemptionPolicy"),
        _API_SERVER,
        f"{_VALIDATION}/scheduling/validation/validation.go ValidatePriorityClassUpdate",
    ),
)
