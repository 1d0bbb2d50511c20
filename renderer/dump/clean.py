"""The user's part of an object that was printed from a cluster.

To what render takes out of any source (``kubevirt.server_fields``) come the fields that belong to a cluster
in objects of some kinds only, those that its defaults fill, and the marks of tools that sync from Git. What
identifies a machine stays: MAC addresses, firmware UUID and serial, machine type, ``dataVolumeTemplates``
that already ran.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from renderer.kubevirt.confidential import COPIES
from renderer.kubevirt.kinds import KUBEVIRT_GROUP, VM, VM_POOL, VMI, VMI_REPLICA_SET
from renderer.kubevirt.server_fields import without_server_fields
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject, object_at, text_at, without
from renderer.model.record import Record

_CLAIM = "PersistentVolumeClaim"
_SERVICE = "Service"
_ACCOUNT = "ServiceAccount"
_NAMESPACE = "Namespace"
_ANNOTATIONS = ("metadata", "annotations")
_LABELS = ("metadata", "labels")
_BOUND_BY_CONTROLLER = "pv.kubernetes.io/bound-by-controller"


def _always(_: JsonObject) -> bool:
    return True


def _is_bound_by_controller(claim: JsonObject) -> bool:
    return text_at(claim, *_ANNOTATIONS, _BOUND_BY_CONTROLLER) == "yes"


def _is_not_headless(service: JsonObject) -> bool:
    return text_at(service, "spec", "clusterIP") != "None"


class AllocatedField(Record):
    """A field that a cluster fills in objects of ``kind``, of all kinds where it is empty.

    ``source`` is the file of its project that fills it; ``when`` tells whether it did so in an object.
    """

    kind: str
    path: tuple[str, ...]
    source: str
    when: Callable[[JsonObject], bool] = _always


_CLUSTER_IP = "kubernetes pkg/registry/core/service/storage/alloc.go"
_TRACKING = "argo-cd common/common.go"
_OWNED_BY_FLUX = "flux kustomize-controller internal/controller/kustomization_controller.go"
_SECURITY_CONTEXT = "openshift cluster-policy-controller pkg/security/controller"

#: The kind-specific part of the table; rows for the empty kind hold for all.
ALLOCATED_FIELDS = (
    AllocatedField(
        _CLAIM,
        ("spec", "volumeName"),
        "kubernetes pkg/controller/volume/persistentvolume/pv_controller.go",
        _is_bound_by_controller,
    ),
    AllocatedField(_SERVICE, ("spec", "clusterIP"), _CLUSTER_IP, _is_not_headless),
    AllocatedField(_SERVICE, ("spec", "clusterIPs"), _CLUSTER_IP, _is_not_headless),
    AllocatedField(_SERVICE, ("spec", "healthCheckNodePort"), _CLUSTER_IP),
    AllocatedField(_NAMESPACE, ("spec",), "kubernetes pkg/registry/core/namespace/strategy.go"),
    AllocatedField(
        _NAMESPACE, (*_LABELS, "kubernetes.io/metadata.name"), "kubernetes pkg/apis/core/v1/defaults.go"
    ),
    AllocatedField(_NAMESPACE, (*_ANNOTATIONS, "openshift.io/sa.scc.mcs"), _SECURITY_CONTEXT),
    AllocatedField(_NAMESPACE, (*_ANNOTATIONS, "openshift.io/sa.scc.supplemental-groups"), _SECURITY_CONTEXT),
    AllocatedField(_NAMESPACE, (*_ANNOTATIONS, "openshift.io/sa.scc.uid-range"), _SECURITY_CONTEXT),
    AllocatedField(_ACCOUNT, ("secrets",), "kubernetes pkg/controller/serviceaccount/tokens_controller.go"),
    AllocatedField("", (*_ANNOTATIONS, "argocd.argoproj.io/tracking-id"), _TRACKING),
    AllocatedField("", (*_ANNOTATIONS, "argocd.argoproj.io/installation-id"), _TRACKING),
    *(AllocatedField("", (*_ANNOTATIONS, key), "kubevirt.confidential, COPIES") for key in COPIES),
    AllocatedField("", (*_LABELS, "kustomize.toolkit.fluxcd.io/name"), _OWNED_BY_FLUX),
    AllocatedField("", (*_LABELS, "kustomize.toolkit.fluxcd.io/namespace"), _OWNED_BY_FLUX),
)
_BY_KIND = {
    kind: tuple(row for row in ALLOCATED_FIELDS if row.kind in ("", kind))
    for kind in {row.kind for row in ALLOCATED_FIELDS}
}
#: Older versions of a kind that have the fields of the newer one (KubeVirt ``core/v1/register.go``).
_SAME_FIELDS = {f"{KUBEVIRT_GROUP}/v1alpha3": f"{KUBEVIRT_GROUP}/v1"}
_TIMESTAMP = "creationTimestamp"
_TEMPLATES = ("template", "virtualMachineTemplate", "dataVolumeTemplates", "spec")


class Cleaned(Record):
    """The user's part of an object, and the fields that were left out of it."""

    content: JsonObject
    removed: tuple[FieldPath, ...]


def clean(live: JsonObject) -> Cleaned:
    """Return the user's part of an object of a cluster."""
    removed: list[FieldPath] = []
    kind = text_at(live, "kind")
    content = live
    for row in _BY_KIND.get(kind, _BY_KIND[""]):
        if row.when(live) and row.path[-1] in object_at(content, *row.path[:-1]):
            content = without(content, *row.path)
            removed.append(FieldPath(row.path))
    content, server_fields = without_server_fields(content)
    content = without(content, "status")  # also an empty one
    content = {**content, "metadata": _named_metadata(object_at(content, "metadata"))}
    if kind in (VM, VMI, VM_POOL, VMI_REPLICA_SET):
        content = _current_version(_without_empty_timestamps(content))
    return Cleaned(content, (*removed, *server_fields))


def _named_metadata(metadata: JsonObject) -> JsonObject:
    """Return the metadata without empty sections and the prefix that the name was made of."""
    return {
        key: value
        for key, value in metadata.items()
        if key != "generateName" and not (value in ({}, [], None) and key != "name")
    }


def _current_version(content: JsonObject) -> JsonObject:
    version = _SAME_FIELDS.get(text_at(content, "apiVersion"))
    return {**content, "apiVersion": version} if version else content


def _without_empty_timestamps(content: JsonObject) -> JsonObject:
    """Return the object without ``creationTimestamp: null``, which Go writes for templates in it."""
    return dict(_fields(content))


def _fields(content: JsonObject) -> Iterator[tuple[str, Json]]:
    for key, value in content.items():
        if key == "metadata" and isinstance(value, dict) and value.get(_TIMESTAMP, "") is None:
            rest = without(value, _TIMESTAMP)
            if rest:
                yield key, rest
        elif key in _TEMPLATES and isinstance(value, dict):
            yield key, dict(_fields(value))
        elif key in _TEMPLATES and isinstance(value, list):
            yield key, [dict(_fields(object_at(each))) if isinstance(each, dict) else each for each in value]
        else:
            yield key, value
