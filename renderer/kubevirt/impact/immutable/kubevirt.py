"""The kinds of KubeVirt and CDI.

Instance types, preferences, migration policies, DataSources, clones and replica sets may change in every
release: their webhooks compare nothing with the object before (``pkg/instancetype/webhooks``,
``migrationpolicy-admitter.go``, ``vmclone-admitter.go``, ``vmirs-admitter.go``).
"""

from __future__ import annotations

from renderer.kubevirt.facts.stored_values import as_stored
from renderer.kubevirt.facts.virtual_machine import HALTED, run_strategy_of
from renderer.kubevirt.impact.immutable.row import (
    CDI,
    KUBEVIRT,
    SELECTOR,
    SPEC,
    ImmutableRow,
    ObjectUpdate,
)
from renderer.model.difference import FieldChange
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.release import Release

_CDI_GROUP = "cdi.kubevirt.io"
_WEBHOOKS = "containerized-data-importer pkg/apiserver/webhooks"
_ADMITTERS = "pkg/virt-api/webhooks/validating-webhook/admitters"
_STORAGE_ADMITTERS = "pkg/storage/admitters"
_VM_STATUS = f"{_STORAGE_ADMITTERS}/vm-storage-status.go"
_VM = ("VirtualMachine",)
_STARTS = ("spec.running", "spec.runStrategy")
#: Sources of an import in several stages; its checkpoints may be added later.
_STAGED_SOURCES = ("vddk", "imageio")
_SINCE_SNAPSHOTS_OF_VOLUMES = Release(1, 4)
_SINCE_RESTORES_KEEP_STRATEGY = Release(1, 5, 2)


def _unless_checkpoints(update: ObjectUpdate, _change: FieldChange) -> str:
    """Admit checkpoints that are added to an import in several stages; nothing else of the spec changes."""
    before, after = update.specs
    source = object_at(after, "source")
    is_staged = bool(array_at(after, "checkpoints")) and any(key in source for key in _STAGED_SOURCES)
    if is_staged and _without_checkpoints(before) == _without_checkpoints(after):
        return ""
    filled = "the disk was filled from it; a DataVolume under another name is filled anew"
    if update.status is None:
        return filled
    return f"{filled}; write what the cluster has in Git"


def _without_checkpoints(spec: JsonObject) -> JsonObject:
    return as_stored(
        {key: value for key, value in spec.items() if key not in ("checkpoints", "finalCheckpoint")}
    )


def _while_snapshotting(update: ObjectUpdate, _change: FieldChange) -> str:
    snapshot = text_at(update.status, "snapshotInProgress")
    return (
        f"the VirtualMachineSnapshot {snapshot} is in progress: sync once it is complete" if snapshot else ""
    )


def _if_volumes_change(update: ObjectUpdate, change: FieldChange) -> str:
    refusal = _while_snapshotting(update, change)
    if not refusal:  # true of nearly all; each changed field asks, and volumes are long
        return ""
    volumes = (array_at(spec, "template", "spec", "volumes") for spec in update.specs)
    before, after = (as_stored({"volumes": each}) for each in volumes)
    return refusal if before != after else ""


def _while_restoring(update: ObjectUpdate, _change: FieldChange) -> str:
    restore = text_at(update.status, "restoreInProgress")
    before, after = map(run_strategy_of, update.specs)
    if not restore or before == after:
        return ""
    return _restoring(restore)


def _if_it_starts(update: ObjectUpdate, _change: FieldChange) -> str:
    restore = text_at(update.status, "restoreInProgress")
    return _restoring(restore) if restore and run_strategy_of(update.specs[1]) != HALTED else ""


def _restoring(restore: str) -> str:
    return f"the VirtualMachineRestore {restore} is in progress: sync once it is complete"


KUBEVIRT_ROWS = (
    ImmutableRow(
        _CDI_GROUP,
        ("DataVolume",),
        SPEC,
        CDI,
        f"{_WEBHOOKS}/datavolume-validate.go Admit",
        _unless_checkpoints,
        "checkpoints of an import in several stages",
    ),
    ImmutableRow(
        _CDI_GROUP,
        ("VolumeImportSource",),
        SPEC,
        CDI,
        f"{_WEBHOOKS}/populators-validate.go validateVolumeImportSourceUpdate",
        _unless_checkpoints,
        "checkpoints of an import in several stages",
    ),
    ImmutableRow(
        _CDI_GROUP,
        ("VolumeUploadSource",),
        SPEC,
        CDI,
        f"{_WEBHOOKS}/populators-validate.go validateVolumeUploadSource",
    ),
    ImmutableRow(_CDI_GROUP, ("DataImportCron",), SPEC, CDI, f"{_WEBHOOKS}/dataimportcron-validate.go Admit"),
    ImmutableRow(_CDI_GROUP, ("ObjectTransfer",), SPEC, CDI, f"{_WEBHOOKS}/transfer-validate.go Admit"),
    ImmutableRow(
        "snapshot.kubevirt.io",
        ("VirtualMachineSnapshot",),
        SPEC,
        KUBEVIRT,
        f"{_STORAGE_ADMITTERS}/vmsnapshot.go Admit",
    ),
    ImmutableRow(
        "snapshot.kubevirt.io",
        ("VirtualMachineRestore",),
        SPEC,
        KUBEVIRT,
        f"{_STORAGE_ADMITTERS}/vmrestore.go Admit",
    ),
    ImmutableRow(
        "export.kubevirt.io",
        ("VirtualMachineExport",),
        SPEC,
        KUBEVIRT,
        f"{_STORAGE_ADMITTERS}/vmexport.go Admit",
    ),
    ImmutableRow(
        "backup.kubevirt.io",
        ("VirtualMachineBackup", "VirtualMachineBackupTracker"),
        SPEC,
        KUBEVIRT,
        "staging/src/kubevirt.io/api/backup/v1alpha1/types.go",
        since=Release(1, 8),
    ),
    ImmutableRow(
        "template.kubevirt.io",
        ("VirtualMachineTemplateRequest",),
        SPEC,
        KUBEVIRT,
        "pkg/virt-operator/resource/generate/components/data/virt-template/install-virt-operator.yaml",
        since=Release(1, 8),
    ),
    ImmutableRow(
        "kubevirt.io",
        ("VirtualMachineInstanceMigration",),
        SPEC,
        KUBEVIRT,
        f"{_ADMITTERS}/migration-update-admitter.go Admit",
    ),
    ImmutableRow(
        "pool.kubevirt.io",
        ("VirtualMachinePool",),
        SELECTOR,
        KUBEVIRT,
        f"{_ADMITTERS}/vmpool-admitter.go ValidateVMPoolSpec",
    ),
    ImmutableRow(
        "kubevirt.io",
        _VM,
        SPEC,
        KUBEVIRT,
        f"{_ADMITTERS}/vms-admitter.go validateSnapshotStatus",
        _while_snapshotting,
        "everything, unless status.snapshotInProgress is set",
        until=_SINCE_SNAPSHOTS_OF_VOLUMES,
    ),
    ImmutableRow(
        "kubevirt.io",
        _VM,
        ("spec.template.spec.volumes",),
        KUBEVIRT,
        f"{_VM_STATUS} validateSnapshotStatus",
        _if_volumes_change,
        "everything, unless status.snapshotInProgress is set",
        since=_SINCE_SNAPSHOTS_OF_VOLUMES,
    ),
    ImmutableRow(
        "kubevirt.io",
        _VM,
        _STARTS,
        KUBEVIRT,
        f"{_VM_STATUS} compareRunningSpec",
        _while_snapshotting,
        "everything, unless status.snapshotInProgress is set",
        since=_SINCE_SNAPSHOTS_OF_VOLUMES,
    ),
    ImmutableRow(
        "kubevirt.io",
        _VM,
        SPEC,
        KUBEVIRT,
        f"{_ADMITTERS}/vms-admitter.go validateRestoreStatus",
        _if_it_starts,
        "everything, unless status.restoreInProgress is set and the machine is to run",
        until=_SINCE_RESTORES_KEEP_STRATEGY,
    ),
    ImmutableRow(
        "kubevirt.io",
        _VM,
        _STARTS,
        KUBEVIRT,
        f"{_VM_STATUS} validateRestoreStatus",
        _while_restoring,
        "everything, unless status.restoreInProgress is set",
        since=_SINCE_RESTORES_KEEP_STRATEGY,
    ),
)
