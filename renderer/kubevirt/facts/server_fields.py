"""The fields that the API server and controllers write, and a function that removes them from an object.

``kubectl get -o yaml`` prints them all. In Git they go stale, and a sync that applies them fails or fights
the controller that owns them. Fields that only identify a machine, such as MAC addresses and the firmware
UUID, belong to the user and stay.
"""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.facts.kinds import CDI_GROUP, KUBEVIRT
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.plural import enumerated
from renderer.model.record import Record


class ServerField(Record):
    """A field that does not belong to the user. A key that ends in ``*`` matches all keys with that prefix.

    ``source`` is the upstream file that writes or defines the field.
    """

    path: tuple[str, ...]
    source: str


_META = "kubernetes apimachinery pkg/apis/meta/v1/types.go (ObjectMeta)"
_POOL = "kubevirt pkg/virt-controller/watch/pool/pool.go"
_CDI = "containerized-data-importer pkg/controller/common/util.go"
_CDI_POPULATORS = "containerized-data-importer pkg/controller/populators"
_CDI_TRANSFER = "containerized-data-importer pkg/controller/transfer/pvc.go"
_VOLUMES = "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go"
_ANNOTATIONS = ("metadata", "annotations")
_LABELS = ("metadata", "labels")
_TEMPLATE_LABELS = ("spec", "template", "metadata", "labels")
_POOL_REVISION = "kubevirt.io/vm-pool-revision-name"

SERVER_FIELDS = (
    ServerField(("status",), "kubernetes API conventions, Spec and Status"),
    ServerField(("metadata", "uid"), _META),
    ServerField(("metadata", "resourceVersion"), _META),
    ServerField(("metadata", "generation"), _META),
    ServerField(("metadata", "creationTimestamp"), _META),
    ServerField(("metadata", "deletionTimestamp"), _META),
    ServerField(("metadata", "deletionGracePeriodSeconds"), _META),
    ServerField(("metadata", "selfLink"), _META),
    ServerField(("metadata", "managedFields"), _META),
    ServerField(
        (*_ANNOTATIONS, "kubectl.kubernetes.io/last-applied-configuration"),
        "kubernetes api core/v1/annotation_key_constants.go",
    ),
    ServerField(
        (*_ANNOTATIONS, "deployment.kubernetes.io/revision"),
        "kubernetes pkg/controller/deployment/util/deployment_util.go",
    ),
    *(
        ServerField((*_ANNOTATIONS, f"pv.kubernetes.io/{name}"), _VOLUMES)
        for name in ("bind-completed", "bound-by-controller", "migrated-to")
    ),
    ServerField((*_ANNOTATIONS, "volume.beta.kubernetes.io/storage-provisioner"), _VOLUMES),
    ServerField((*_ANNOTATIONS, "volume.kubernetes.io/storage-provisioner"), _VOLUMES),
    ServerField((*_ANNOTATIONS, "volume.kubernetes.io/selected-node"), _VOLUMES),
    ServerField(
        (*_ANNOTATIONS, "kubevirt.io/latest-observed-api-version"), "kubevirt pkg/controller/controller.go"
    ),
    ServerField(
        (*_ANNOTATIONS, "kubevirt.io/storage-observed-api-version"), "kubevirt pkg/controller/controller.go"
    ),
    ServerField((*_ANNOTATIONS, "kubevirt.io/vm-generation"), "kubevirt pkg/virt-controller/watch/vm/vm.go"),
    ServerField(
        (*_ANNOTATIONS, "kubevirt.io/restore-run-strategy"), "kubevirt pkg/virt-controller/watch/vm/vm.go"
    ),
    ServerField((*_LABELS, _POOL_REVISION), _POOL),
    ServerField((*_TEMPLATE_LABELS, _POOL_REVISION), _POOL),
    ServerField((*_LABELS, "kubevirt.io/created-by"), "kubevirt pkg/virt-controller/watch/util/util.go"),
    ServerField((*_LABELS, "kubevirt.io/nodeName"), "kubevirt pkg/virt-controller/services/template.go"),
    ServerField(
        (*_LABELS, "kubevirt.io/migrationTargetNodeName"), "kubevirt pkg/virt-controller/watch/migration"
    ),
    ServerField((*_LABELS, "kubevirt.io/outdatedLauncherImage"), "kubevirt pkg/virt-controller/watch/vmi"),
    ServerField((*_LABELS, "vmi.kubevirt.io/id"), "kubevirt pkg/virt-controller/watch/vm/vm.go"),
    ServerField((*_ANNOTATIONS, "kubevirt.io/memory-dump"), "kubevirt pkg/storage/memorydump/memorydump.go"),
    ServerField(
        (*_ANNOTATIONS, "kubevirt.io/migration-target-ready-timestamp"),
        "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
    ),
    *(
        ServerField((*_ANNOTATIONS, f"{CDI_GROUP}/{name}"), _CDI)
        for name in (
            "storage.condition.*",
            "storage.checkpoint.*",
            "storage.clone.token",
            "storage.extended.clone.token",
            "storage.createdByController",
            "storage.import.fatalError",
            "storage.import.importPodName",
            "storage.persistentVolumeList",
            "storage.pod.phase",
            "storage.pod.ready",
            "storage.pod.restarts",
            "storage.pod.schedulable",
            "storage.pod.vddk.host",
            "storage.pod.vddk.version",
            "storage.populator.*",
            "storage.preallocation",
            "storage.sourceClonePodName",
            "createdForDataVolume",
            "ownerUID",
        )
    ),
    ServerField((*_LABELS, f"{CDI_GROUP}/OwnedByUID"), f"{_CDI_POPULATORS}/clone-populator.go"),
    ServerField((*_ANNOTATIONS, "k8s.io/CloneOf"), _CDI),
)
#: The same by section: the path, its keys, and the prefixes of keys.
_SECTIONS = tuple(
    (
        parents,
        frozenset(path[-1] for path, _ in SERVER_FIELDS if path[:-1] == parents),
        tuple(path[-1][:-1] for path, _ in SERVER_FIELDS if path[:-1] == parents and path[-1].endswith("*")),
    )
    for parents in dict.fromkeys(path[:-1] for path, _ in SERVER_FIELDS)
)
#: Finalizers that controllers add, and remove after they have cleaned up.
SERVER_FINALIZERS = {
    "foregroundDeleteVirtualMachine": "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
    "kubevirt.io/virtualMachineControllerFinalize": "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
    "kubevirt.io/foregroundDeleteVirtualMachine": "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
    "kubevirt.io/migrationJobFinalize": "kubevirt staging/src/kubevirt.io/api/core/v1/types.go",
    "kubevirt.io/foregroundDeleteKubeVirt": "kubevirt pkg/virt-operator/util/client.go",
    "foregroundDeleteKubeVirt": "kubevirt pkg/virt-operator/util/client.go",
    "pool.kubevirt.io/finalizer": "kubevirt staging/src/kubevirt.io/api/pool/v1beta1/types.go",
    "snapshot.kubevirt.io/snapshot-source-protection": "kubevirt pkg/storage/snapshot/source.go",
    "backup.kubevirt.io/vmbackup-protection": "kubevirt pkg/storage/cbt/backup.go",
    "cdi.kubevirt.io/cloneSource": "containerized-data-importer pkg/controller/clone-controller.go",
    "cdi.kubevirt.io/clonePopulator": f"{_CDI_POPULATORS}/clone-populator.go",
    "cdi.kubevirt.io/dataVolumeFinalizer": "containerized-data-importer pkg/controller/datavolume",
    "cdi.kubevirt.io/importImageStream": "containerized-data-importer pkg/controller/import-controller.go",
    "provisioner.storage.kubernetes.io/cloning-protection": _CDI_TRANSFER,
    "snapshot.storage.kubernetes.io/pvc-as-source-protection": _CDI_TRANSFER,
    "service.kubernetes.io/load-balancer-cleanup": "kubernetes cloud-provider service/helpers/helper.go",
    "kubernetes.io/pvc-protection": "kubernetes pkg/volume/util/finalizer.go",
    "kubernetes.io/pv-protection": "kubernetes pkg/volume/util/finalizer.go",
}
#: The number of fields that a warning names; it only counts the rest.
_OWNERS = FieldPath.of("metadata", "ownerReferences")
_MOST_NAMES = 3


def without_server_fields(content: JsonObject) -> tuple[JsonObject, tuple[FieldPath, ...]]:
    """Return ``content`` without the cluster's fields, and those fields; ``content`` itself if it has none.

    Empty values, such as ``status: {}`` and ``creationTimestamp: null``, are harmless and stay. Owner
    references that a controller wrote (``controller: true``) are removed. A mapping that becomes empty is
    removed as well.
    """
    removed: list[FieldPath] = []
    for parents, keys, prefixes in _SECTIONS:
        section = object_at(content, *parents) if parents else content
        if prefixes or not keys.isdisjoint(section):
            removed += (
                FieldPath((*parents, key))
                for key, value in section.items()
                if (key in keys or key.startswith(prefixes)) and not _is_empty(value)
            )
    for field in removed:
        content = without(content, *(str(segment) for segment in field.segments))
        parent = [str(segment) for segment in field.parent.segments]
        if len(parent) > 1 and not object_at(content, *parent):
            content = without(content, *parent)
    content, others = _without_elements(content)
    return content, (*removed, *others)


def strip_server_fields(
    resources: ResourceSet, keeps_owners: Callable[[], bool] = lambda: False
) -> Outcome[ResourceSet]:
    """Return the resources without the cluster's fields, with one warning for each file that has any.

    ``keeps_owners`` is asked where controllers are among the owners of an object: an engine that applies the
    sources themselves applies these owners, and garbage collection follows them.

    The status of a KubeVirt object stays until the resources are written (``strip_status``), because
    expansion reads the default architecture of the cluster from it.
    """
    found: dict[str, list[tuple[Resource, FieldPath]]] = {}
    results: list[Resource] = []
    for resource in resources:
        content, removed = without_server_fields(resource.content)
        if not removed:
            results.append(resource)
            continue
        found.setdefault(resource.origin.path, []).extend((resource, field) for field in removed)
        if _OWNERS in removed and keeps_owners():
            owners = object_at(resource.content, "metadata")["ownerReferences"]
            content = {
                **content,
                "metadata": {**object_at(content, "metadata"), "ownerReferences": owners},
            }
        if resource.kind == KUBEVIRT and "status" in resource.content:
            content = {**content, "status": resource.content["status"]}
        results.append(resource.with_content(content))
    if not found:
        return Outcome(resources)
    return Outcome(ResourceSet(tuple(results)), tuple(map(_warning, found.values())))


def strip_status(resources: ResourceSet) -> ResourceSet:
    """Return the resources without the status of KubeVirt objects."""
    if not any(resource.kind == KUBEVIRT and "status" in resource.content for resource in resources):
        return resources
    return resources.map(
        lambda resource: (
            resource.with_content(without_server_fields(resource.content)[0])
            if resource.kind == KUBEVIRT
            else resource
        )
    )


def _without_elements(content: JsonObject) -> tuple[JsonObject, tuple[FieldPath, ...]]:
    """Remove the finalizers and the owner references that controllers write."""
    metadata = object_at(content, "metadata")
    if "finalizers" not in metadata and "ownerReferences" not in metadata:
        return content, ()
    removed: list[FieldPath] = []
    for key, is_server in (("finalizers", _is_server_finalizer), ("ownerReferences", _is_controller)):
        elements = array_at(metadata, key)
        kept = [element for element in elements if not is_server(element)]
        if len(kept) < len(elements):
            removed.append(FieldPath.of("metadata", key))
            others = {name: value for name, value in metadata.items() if name != key}
            metadata = {**others, key: kept} if kept else others
    return ({**content, "metadata": metadata} if removed else content), tuple(removed)


def _is_server_finalizer(element: Json) -> bool:
    return isinstance(element, str) and element in SERVER_FINALIZERS


def _is_controller(element: Json) -> bool:
    return object_at(element).get("controller") is True and bool(text_at(element, "uid"))


def _is_empty(value: Json) -> bool:
    """Return True if the value contains only null, empty texts, empty mappings and empty lists."""
    if isinstance(value, dict):
        return all(map(_is_empty, value.values()))
    if isinstance(value, list):
        return all(map(_is_empty, value))
    return value is None or value == ""


def _warning(found: list[tuple[Resource, FieldPath]]) -> Diagnostic:
    """Return one warning for all the fields that were found in a file, located at the first of them."""
    resource, field = found[0]
    names = list(dict.fromkeys(str(each) for _, each in found))
    rest = len(names) - _MOST_NAMES
    if rest > 1:
        listed = f"{', '.join(names[:_MOST_NAMES])} and {rest} other fields are"
    elif len(names) > 1:
        listed = f"{enumerated(names, 'and')} are"
    else:
        listed = f"{names[0]} is"
    warning = Diagnostic.about(
        resource,
        field,
        Code.SERVER_FIELD,
        f"{listed} written by the cluster, and left out of the rendered manifests",
        "remove them from the file: kubectl get prints them in addition to the applied fields",
        severity=Severity.WARNING,
    )
    return warning._replace(resource=None) if len({id(each) for each, _ in found}) > 1 else warning
