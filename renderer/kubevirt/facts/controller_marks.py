"""The labels, annotations and finalizers that controllers beside KubeVirt and Kubernetes write.

They belong to one living cluster: in Git they go stale, and on a cluster that is built anew they name objects
that do not exist, or keep objects from being deleted. ``vmrender import`` leaves them out, ``diff --live``
does not count them as drift, and ``argocd ignore-differences`` lists the ones that sources have anyway.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from renderer.kubevirt.facts.kinds import CDI_GROUP, CLAIM, DATA_VOLUME, KUBEVIRT_GROUP, VM
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import JsonObject, object_at, text_at
from renderer.model.kube.res_id import Gvk
from renderer.model.record import Record

_ANNOTATIONS = ("metadata", "annotations")
_LABELS = ("metadata", "labels")
_VM_KIND = (KUBEVIRT_GROUP, VM)
_CLAIM = ("", CLAIM)
_VOLUMES = (_CLAIM, (CDI_GROUP, DATA_VOLUME))
_FORKLIFT_PREFIX = "forklift.konveyor.io/"
_MANAGED_BY = "app.kubernetes.io/managed-by"
_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_RESTORE = "kubevirt pkg/storage/snapshot/restore.go"
_MAC_POOL = "kubemacpool pkg/pool-manager/pool.go"
_FORKLIFT = "forklift pkg/controller/plan/kubevirt.go"
_FORKLIFT_BUILDER = "forklift pkg/controller/plan/adapter/base/doc.go"
_HARVESTER = "harvester pkg/util/constants.go"
_WRANGLER = "wrangler pkg/apply/desiredset.go"
_VELERO = "velero pkg/apis/velero/v1/labels_annotations.go"
_METALLB = "metallb controller/service.go"
_HELM = "helm pkg/action/validate.go"


def _always(_: JsonObject) -> bool:
    return True


def _is_migrated(content: JsonObject) -> bool:
    """Return True if the Migration Toolkit for Virtualization made the object.

    Some of its keys are plain words, which other people use as well: ``plan``, ``migration``.
    """
    sections = [object_at(content, *path) for path in (_LABELS, _ANNOTATIONS)]
    return any(
        any(key.startswith(_FORKLIFT_PREFIX) for key in section)
        or all(_UID.fullmatch(str(section.get(key, ""))) for key in ("migration", "plan"))
        for section in sections
    )


def _is_of_helm(content: JsonObject) -> bool:
    return text_at(content, *_LABELS, _MANAGED_BY) == "Helm"


class ControllerMark(Record):
    """A label or annotation. A key that ends in ``*`` matches all keys with that prefix.

    ``kinds`` are the groups and kinds of the objects that have it; empty for all. ``source`` is the upstream
    file that writes or defines it. ``is_written`` tests for an object that the key is the controller's.
    """

    path: tuple[str, str, str]
    source: str
    kinds: tuple[tuple[str, str], ...] = ()
    is_written: Callable[[JsonObject], bool] = _always

    def matches(self, gvk: Gvk, key: str) -> bool:
        """Return True if objects of a kind may have ``key`` in the section by this row."""
        if self.kinds and (gvk.group, gvk.kind) not in self.kinds:
            return False
        name = self.path[-1]
        return key.startswith(name[:-1]) if name.endswith("*") else key == name


CONTROLLER_MARKS = (
    ControllerMark((*_ANNOTATIONS, "kubemacpool.io/transaction-timestamp"), _MAC_POOL, (_VM_KIND,)),
    ControllerMark((*_ANNOTATIONS, "restore.kubevirt.io/*"), _RESTORE),
    ControllerMark((*_LABELS, "restore.kubevirt.io/*"), _RESTORE),
    *(
        ControllerMark((*section, key), _FORKLIFT, is_written=_is_migrated)
        for section in (_LABELS, _ANNOTATIONS)
        for key in ("migration", "plan", "plan-name", "plan-namespace", "vmID", "vmUUID")
    ),
    ControllerMark((*_LABELS, "forklift.app"), _FORKLIFT, is_written=_is_migrated),
    ControllerMark((*_ANNOTATIONS, "original-name"), _FORKLIFT, (_VM_KIND,), _is_migrated),
    ControllerMark((*_ANNOTATIONS, "original-ID"), _FORKLIFT, (_VM_KIND,), _is_migrated),
    ControllerMark((*_ANNOTATIONS, f"{_FORKLIFT_PREFIX}*"), _FORKLIFT),
    ControllerMark((*_LABELS, f"{_FORKLIFT_PREFIX}*"), _FORKLIFT),
    ControllerMark(
        (*_ANNOTATIONS, f"{CDI_GROUP}/storage.import.*"), _FORKLIFT_BUILDER, (_CLAIM,), _is_migrated
    ),
    ControllerMark((*_ANNOTATIONS, "harvesterhci.io/owned-by"), "harvester pkg/ref/annotation.go", _VOLUMES),
    *(
        ControllerMark((*_ANNOTATIONS, f"harvesterhci.io/{name}"), _HARVESTER, (_VM_KIND,))
        for name in (
            "hash",
            "insufficient-resource-quota",
            "mac-address",
            "maintain-mode-strategy-node-name",
            "migrationState",
            "migrationTargetNodeName",
            "migrationUID",
            "removedPVCs",
            "removedPersistentVolumeClaims",
            "timestamp",
            "upgrade-patched",
            "vmRunStrategy",
        )
    ),
    ControllerMark((*_ANNOTATIONS, "field.cattle.io/publicEndpoints"), "rancher pkg/controllers"),
    ControllerMark((*_ANNOTATIONS, "field.cattle.io/projectId"), "rancher pkg/controllers"),
    ControllerMark((*_LABELS, "field.cattle.io/projectId"), "rancher pkg/controllers"),
    ControllerMark((*_ANNOTATIONS, "cattle.io/status"), "rancher pkg/controllers"),
    ControllerMark((*_ANNOTATIONS, "lifecycle.cattle.io/*"), "norman lifecycle/object.go"),
    ControllerMark((*_ANNOTATIONS, "objectset.rio.cattle.io/*"), _WRANGLER),
    ControllerMark((*_LABELS, "objectset.rio.cattle.io/*"), _WRANGLER),
    ControllerMark((*_LABELS, "velero.io/backup-name"), _VELERO),
    ControllerMark((*_LABELS, "velero.io/restore-name"), _VELERO),
    ControllerMark((*_LABELS, "velero.io/dynamic-pv-restore"), _VELERO),
    ControllerMark((*_LABELS, "velero.io/volume-snapshot-name"), _VELERO),
    ControllerMark((*_ANNOTATIONS, "velero.io/data-upload-name"), _VELERO),
    ControllerMark((*_ANNOTATIONS, "backup.velero.io/must-include-additional-items"), _VELERO),
    ControllerMark((*_ANNOTATIONS, "backup.velero.io/skipped-no-csi-pv"), _VELERO),
    *(
        ControllerMark((*_ANNOTATIONS, f"{group}/ip-allocated-from-pool"), _METALLB, (("", "Service"),))
        for group in ("metallb.io", "metallb.universe.tf")
    ),
    ControllerMark((*_LABELS, _MANAGED_BY), _HELM, is_written=_is_of_helm),
    ControllerMark((*_ANNOTATIONS, "meta.helm.sh/release-name"), _HELM),
    ControllerMark((*_ANNOTATIONS, "meta.helm.sh/release-namespace"), _HELM),
)
#: Finalizers of the same controllers; a name that ends in ``*`` matches all names with that prefix.
CONTROLLER_FINALIZERS = {
    "controller.cattle.io/*": "norman lifecycle/object.go",
    "wrangler.cattle.io/*": "wrangler pkg/generic/controllerfactory.go",
    "harvesterhci.io/*": "harvester pkg/controller/master/virtualmachine/vm_controller.go",
    "k8s.v1.cni.cncf.io/kubeMacPool": _MAC_POOL,
    "forklift.konveyor.io/*": _FORKLIFT,
    "metallb.io/*": _METALLB,
}


def controller_marks(content: JsonObject) -> Iterator[FieldPath]:
    """Yield the labels and annotations of an object that other controllers wrote."""
    gvk = Gvk.parse(str(content.get("apiVersion", "")), str(content.get("kind", "")))
    for section in (_LABELS, _ANNOTATIONS):
        for key in object_at(content, *section):
            field = FieldPath.of(*section, key)
            if is_controller_mark(gvk, field, content):
                yield field


def is_controller_mark(gvk: Gvk, field: FieldPath, content: JsonObject) -> bool:
    """Return True if a field of an object is a label or annotation that another controller wrote."""
    *section, key = field.segments or ("",)
    return any(
        [*row.path[:-1]] == section and row.matches(gvk, str(key)) and row.is_written(content)
        for row in CONTROLLER_MARKS
    )


def contested_fields(content: JsonObject) -> Iterator[str]:
    """Yield jq paths of the fields that an object of Git sets, and that another controller writes as well.

    Argo CD compares finalizers and owners as whole lists, so it would remove what a controller adds to them.
    """
    for field in controller_marks(content):
        *section, key = field.segments
        yield f".{'.'.join(map(str, section))}[{json.dumps(key)}]"
    for key in ("finalizers", "ownerReferences"):
        if object_at(content, "metadata").get(key):
            yield f".metadata.{key}"


def is_controller_finalizer(name: object) -> bool:
    """Return True if another controller sets this finalizer."""
    return isinstance(name, str) and any(
        name.startswith(known[:-1]) if known.endswith("*") else name == known
        for known in CONTROLLER_FINALIZERS
    )
