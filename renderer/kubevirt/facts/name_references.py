"""The fields of KubeVirt's and CDI's objects that name other objects.

KubeVirt ``staging/src/kubevirt.io/api/*/types.go`` and ``…/core/v1/schema.go``, CDI
``pkg/apis/core/v1beta1/types.go``. The path of a field in a list leads to that of each element.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.kubevirt.facts.cloud_init import CLOUD_INIT_FIELDS, CLOUD_INIT_VOLUMES
from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CDI_GROUP,
    CLAIM,
    CONFIG_MAP,
    CONTROLLER_REVISION,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    DATA_VOLUME,
    INSTANCETYPE,
    INSTANCETYPE_GROUP,
    KUBEVIRT_GROUP,
    NETWORK,
    POOL_GROUP,
    PREFERENCE,
    SECRET,
    SERVICE_ACCOUNT,
    SNAPSHOT_GROUP,
    SNAPSHOT_STORAGE_GROUP,
    STORAGE_CLASS,
    VM,
    VM_POOL,
    VM_RESTORE,
    VM_SNAPSHOT,
    VMI,
    VMI_MIGRATION,
    VMI_REPLICA_SET,
    VOLUME_SNAPSHOT,
    MatcherType,
)
from renderer.kubevirt.facts.virtual_machine import PATHS
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.record import Record

#: Returns the kinds of object that a mapping may name, the first choice first.
Targets: TypeAlias = Callable[[JsonObject], tuple[Gvk, ...]]
Path: TypeAlias = tuple[str, ...]


class NameField(Record):
    """A field with the name of another object, or with a list of names.

    ``path`` leads to the mapping that has the field ``name``. ``namespace`` is the field next to it with the
    namespace, empty if there is none. ``is_qualified``: the name may have a namespace before a slash.
    """

    path: Path
    name: str
    targets: Targets
    namespace: str = ""
    is_qualified: bool = False


def _always(*targets: Gvk) -> Targets:
    return lambda _: targets


def named_kind(mapping: JsonObject) -> tuple[Gvk, ...]:
    """Return the kind that the mapping itself names."""
    kind = text_at(mapping, "kind")
    return (Gvk(text_at(mapping, "apiGroup"), "", kind),) if kind else ()


def _matched_kind(matcher_type: MatcherType) -> Targets:
    def targets(mapping: JsonObject) -> tuple[Gvk, ...]:
        kind = matcher_type.matched_kind(text_at(mapping, "kind"))
        return (Gvk(INSTANCETYPE_GROUP, "", kind),) if kind else ()

    return targets


_BACKUP_GROUP = "backup.kubevirt.io"
_RESOURCE_GROUP = "resource.k8s.io"
_SECRET = _always(Gvk("", "", SECRET))
_CONFIG_MAP = _always(Gvk("", "", CONFIG_MAP))
_SERVICE_ACCOUNT = _always(Gvk("", "", SERVICE_ACCOUNT))
_DATA_VOLUME = Gvk(CDI_GROUP, "", DATA_VOLUME)
_PERSISTENT_CLAIM = Gvk("", "", CLAIM)
#: A claim may be the one that CDI makes for the DataVolume of that name.
_CLAIM = _always(_PERSISTENT_CLAIM, _DATA_VOLUME)
_DISK = _always(_DATA_VOLUME, _PERSISTENT_CLAIM)
_STORAGE_CLASS = _always(Gvk("storage.k8s.io", "", STORAGE_CLASS))
_VIRTUAL_MACHINE = _always(Gvk(KUBEVIRT_GROUP, "", VM), Gvk(KUBEVIRT_GROUP, "", VMI))
_NETWORK = _always(Gvk("k8s.cni.cncf.io", "", NETWORK))
_SOURCES = ("http", "s3", "gcs", "registry", "imageio", "vddk")

#: The fields of an element of ``accessCredentials`` that name a Secret.
CREDENTIAL_SECRETS: tuple[Path, ...] = tuple(
    (kind, "source", "secret", "secretName") for kind in ("sshPublicKey", "userPassword")
)
#: The fields below the spec of an instance.
INSTANCE_FIELDS = (
    *(
        NameField(("volumes", source, fields.reference), "name", _SECRET)
        for source in CLOUD_INIT_VOLUMES
        for fields in CLOUD_INIT_FIELDS
    ),
    NameField(("volumes", "sysprep", "secret"), "name", _SECRET),
    NameField(("volumes", "sysprep", "configMap"), "name", _CONFIG_MAP),
    NameField(("volumes", "secret"), "secretName", _SECRET),
    NameField(("volumes", "configMap"), "name", _CONFIG_MAP),
    NameField(("volumes", "serviceAccount"), "serviceAccountName", _SERVICE_ACCOUNT),
    NameField(("volumes", "persistentVolumeClaim"), "claimName", _CLAIM),
    NameField(("volumes", "ephemeral", "persistentVolumeClaim"), "claimName", _CLAIM),
    NameField(("volumes", "memoryDump"), "claimName", _CLAIM),
    NameField(("volumes", "dataVolume"), "name", _DISK),
    NameField(("volumes", "containerDisk"), "imagePullSecret", _SECRET),
    NameField(("domain", "firmware", "kernelBoot", "container"), "imagePullSecret", _SECRET),
    *(NameField(("accessCredentials", *path[:-1]), path[-1], _SECRET) for path in CREDENTIAL_SECRETS),
    NameField(("networks", "multus"), "networkName", _NETWORK, is_qualified=True),
    NameField(("resourceClaims",), "resourceClaimName", _always(Gvk(_RESOURCE_GROUP, "", "ResourceClaim"))),
    NameField(
        ("resourceClaims",),
        "resourceClaimTemplateName",
        _always(Gvk(_RESOURCE_GROUP, "", "ResourceClaimTemplate")),
    ),
    NameField((), "priorityClassName", _always(Gvk("scheduling.k8s.io", "", "PriorityClass"))),
    NameField((), "serviceAccountName", _SERVICE_ACCOUNT),
)
_IMPORT_FIELDS = (
    *(NameField(("source", source), "secretRef", _SECRET) for source in _SOURCES),
    *(NameField(("source", source), "certConfigMap", _CONFIG_MAP) for source in _SOURCES),
    NameField(("source", "http"), "secretExtraHeaders", _SECRET),
)
_POPULATED_FIELDS = (
    NameField(("dataSource",), "name", named_kind),
    NameField(("dataSourceRef",), "name", named_kind, "namespace"),
)
_SOURCE_FIELDS = (
    NameField(("source", "pvc"), "name", _CLAIM, "namespace"),
    NameField(
        ("source", "snapshot"),
        "name",
        _always(Gvk(SNAPSHOT_STORAGE_GROUP, "", VOLUME_SNAPSHOT)),
        "namespace",
    ),
)


def _below(path: Path, fields: tuple[NameField, ...]) -> tuple[NameField, ...]:
    return tuple(field._replace(path=(*path, *field.path)) for field in fields)


_DATA_VOLUME_FIELDS = (
    NameField(("sourceRef",), "name", named_kind, "namespace"),
    *_SOURCE_FIELDS,
    *_IMPORT_FIELDS,
    *(
        field
        for claim in ("pvc", "storage")
        for field in _below((claim,), (NameField((), "storageClassName", _STORAGE_CLASS), *_POPULATED_FIELDS))
    ),
)
_MACHINE_FIELDS = (
    *(
        NameField((matcher_type.key,), "name", _matched_kind(matcher_type))
        for matcher_type in (INSTANCETYPE, PREFERENCE)
    ),
    *(
        NameField((matcher_type.key,), "revisionName", _always(Gvk(APPS_GROUP, "", CONTROLLER_REVISION)))
        for matcher_type in (INSTANCETYPE, PREFERENCE)
    ),
    *_below(("dataVolumeTemplates", "spec"), _DATA_VOLUME_FIELDS),
)
_SPEC = ("spec",)


def _machine_fields(kind: str) -> tuple[NameField, ...]:
    paths = PATHS[kind]
    instance, spec = (tuple(map(str, path.segments)) for path in (paths.instance, paths.spec))
    return (
        *_below(instance, INSTANCE_FIELDS),
        *(_below(spec, _MACHINE_FIELDS) if paths.machine is not None else ()),
    )


#: The fields by the group and kind of the object that has them.
NAME_FIELDS: Mapping[tuple[str, str], tuple[NameField, ...]] = {
    **{(KUBEVIRT_GROUP, kind): _machine_fields(kind) for kind in (VM, VMI, VMI_REPLICA_SET)},
    (POOL_GROUP, VM_POOL): _machine_fields(VM_POOL),
    (KUBEVIRT_GROUP, VMI_MIGRATION): (NameField(_SPEC, "vmiName", _VIRTUAL_MACHINE),),
    (CDI_GROUP, DATA_VOLUME): _below(_SPEC, _DATA_VOLUME_FIELDS),
    (CDI_GROUP, DATA_IMPORT_CRON): (
        *_below(("spec", "template", "spec"), _DATA_VOLUME_FIELDS),
        NameField(_SPEC, "managedDataSource", _always(Gvk(CDI_GROUP, "", DATA_SOURCE))),
    ),
    (CDI_GROUP, DATA_SOURCE): (
        *_below(_SPEC, _SOURCE_FIELDS),
        NameField(
            ("spec", "source", "dataSource"), "name", _always(Gvk(CDI_GROUP, "", DATA_SOURCE)), "namespace"
        ),
    ),
    (CDI_GROUP, "VolumeImportSource"): _below(_SPEC, _IMPORT_FIELDS),
    (CDI_GROUP, "VolumeCloneSource"): (NameField(("spec", "source"), "name", named_kind),),
    ("", CLAIM): _below(_SPEC, _POPULATED_FIELDS),
    (SNAPSHOT_GROUP, VM_SNAPSHOT): (NameField(("spec", "source"), "name", named_kind),),
    (SNAPSHOT_GROUP, VM_RESTORE): (
        NameField(("spec", "target"), "name", named_kind),
        NameField(_SPEC, "virtualMachineSnapshotName", _always(Gvk(SNAPSHOT_GROUP, "", VM_SNAPSHOT))),
    ),
    ("export.kubevirt.io", "VirtualMachineExport"): (
        NameField(("spec", "source"), "name", named_kind),
        NameField(_SPEC, "tokenSecretRef", _SECRET),
    ),
    ("clone.kubevirt.io", "VirtualMachineClone"): (
        NameField(("spec", "source"), "name", named_kind),
        NameField(("spec", "target"), "name", named_kind),
    ),
    (_BACKUP_GROUP, "VirtualMachineBackup"): (
        NameField(("spec", "source"), "name", named_kind),
        NameField(_SPEC, "pvcName", _CLAIM),
        NameField(_SPEC, "tokenSecretRef", _SECRET),
    ),
    (_BACKUP_GROUP, "VirtualMachineBackupTracker"): (NameField(("spec", "source"), "name", named_kind),),
}
