"""The user's part of a dump: the objects and the fields that belong in Git.

Objects that a controller makes, or that describe an action rather than a state, are left out. So are the
fields that render removes from any source (``kubevirt.facts.server_fields``), values that a cluster
allocated, the marks of tools that sync from Git (``kubevirt.facts.allocated_fields``), the marks of other
controllers (``kubevirt.facts.controller_marks``), and the output of Go for empty fields. The identity of a VM
stays: MAC addresses, firmware UUID and serial, machine type, and ``dataVolumeTemplates`` that already ran.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from renderer.adopt.live.managed_fields import applied_finalizers, is_applied
from renderer.kubevirt.facts.allocated_fields import DECISIONS, fields_to_leave_out
from renderer.kubevirt.facts.controller_marks import controller_marks
from renderer.kubevirt.facts.kinds import (
    CONTROLLER_REVISION,
    KUBEVIRT_GROUP,
    POOL_GROUP,
    VM,
    VM_POOL,
    VMI,
    VMI_REPLICA_SET,
    is_kubevirt_group,
)
from renderer.kubevirt.facts.made_by_cluster import IN_EVERY_NAMESPACE, is_system_namespace
from renderer.kubevirt.facts.server_fields import without_server_fields
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at, without
from renderer.model.kube.live_object import LiveObject
from renderer.model.kube.owners import controller_of
from renderer.model.record import Record

_ACTION = "an action that would be repeated"
_CREATED_BY_CLUSTER = "the cluster creates it"
_EVERYWHERE = "every namespace has it"

#: The reason for each kind that never belongs to the user, by group and kind. KubeVirt
#: ``pkg/virt-controller``, CDI ``pkg/controller``, Kubernetes ``pkg/controller``.
_NEVER: Mapping[tuple[str, str], str] = {
    **dict.fromkeys(
        (
            (KUBEVIRT_GROUP, "VirtualMachineInstanceMigration"),
            ("snapshot.kubevirt.io", "VirtualMachineRestore"),
            ("snapshot.kubevirt.io", "VirtualMachineSnapshot"),
            ("snapshot.storage.k8s.io", "VolumeSnapshot"),
            ("clone.kubevirt.io", "VirtualMachineClone"),
            ("export.kubevirt.io", "VirtualMachineExport"),
            ("backup.kubevirt.io", "VirtualMachineBackup"),
        ),
        _ACTION,
    ),
    **dict.fromkeys(
        (
            ("", "Endpoints"),
            ("", "Event"),
            ("", "Node"),
            ("", "PersistentVolume"),
            ("", "Pod"),
            ("apps", CONTROLLER_REVISION),
            ("cdi.kubevirt.io", "CDIConfig"),
            ("cdi.kubevirt.io", "ObjectTransfer"),
            ("cdi.kubevirt.io", "StorageProfile"),
            ("coordination.k8s.io", "Lease"),
            ("discovery.k8s.io", "EndpointSlice"),
            ("events.k8s.io", "Event"),
            ("snapshot.kubevirt.io", "VirtualMachineSnapshotContent"),
            ("snapshot.storage.k8s.io", "VolumeSnapshotContent"),
            ("storage.k8s.io", "CSINode"),
            ("storage.k8s.io", "CSIStorageCapacity"),
            ("storage.k8s.io", "VolumeAttachment"),
        ),
        _CREATED_BY_CLUSTER,
    ),
}
#: Secrets that controllers fill (Kubernetes ``pkg/apis/core/types.go``, Helm ``pkg/storage/driver``).
_SECRETS = {
    "kubernetes.io/service-account-token": "the token of a ServiceAccount",
    "bootstrap.kubernetes.io/token": "a token that nodes join the cluster with",
    "helm.sh/release.v1": "Helm keeps a release in it",
}
#: If a namespace has an object of one of these kinds, a virtual machine runs or may be started in it.
_MACHINES = {
    (KUBEVIRT_GROUP, VM),
    (KUBEVIRT_GROUP, VMI),
    (KUBEVIRT_GROUP, VMI_REPLICA_SET),
    (POOL_GROUP, VM_POOL),
}
NO_MACHINE = "no virtual machine runs in its namespace"
_ACCOUNT = "kubernetes.io/service-account.name"
_MANAGED_BY = "app.kubernetes.io/managed-by"
#: Operators that install KubeVirt, CDI and their companions, and revert the changes of others.
_OPERATORS = frozenset(
    {
        "cdi-operator",
        "cdi-controller",
        "hco-operator",
        "kubevirt-operator",
        "ssp-operator",
        "virt-operator",
    }
)
#: Labels of machines that are nodes of another cluster, and who makes and replaces them: harvester
#: ``pkg/util/constants.go`` and its docker-machine driver, cluster-api ``api/core/v1beta1/common_types.go``,
#: cluster-api-provider-kubevirt ``api/v1alpha1/kubevirtmachine_types.go``, machine-api-operator. An empty
#: value matches any.
_NODE_LABELS = (
    ("harvesterhci.io/creator", "docker-machine-driver-harvester", "Rancher"),
    ("guestcluster.harvesterhci.io/name", "", "Rancher"),
    ("capk.cluster.x-k8s.io/kubevirt-machine-name", "", "Cluster API"),
    ("cluster.x-k8s.io/cluster-name", "", "Cluster API"),
    ("machine.openshift.io/cluster-api-cluster", "", "the Machine API"),
)
_CRON_LABEL = "cdi.kubevirt.io/dataImportCron"
#: The claims through which CDI fills volumes.
_PRIME = re.compile(r"prime-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
#: Older versions of a kind that have the same fields as the newer one (KubeVirt ``core/v1/register.go``).
_SAME_FIELDS = {f"{KUBEVIRT_GROUP}/v1alpha3": f"{KUBEVIRT_GROUP}/v1"}
_TIMESTAMP = "creationTimestamp"
_TEMPLATES = ("template", "virtualMachineTemplate", "dataVolumeTemplates", "spec")


def reason_left_out(live: LiveObject) -> str | None:
    """Return why the object does not belong in Git, as the end of a sentence; None for the user's own."""
    controller = controller_of(live.content)
    if text_at(live.metadata, "deletionTimestamp"):
        return "it is being deleted"
    if controller is not None:
        return f"its {text_at(controller, 'kind') or 'controller'} creates it"
    maintainer = maintainer_of_node(live)
    if maintainer:
        return f"it is a node that {maintainer} makes and replaces"
    reason = _NEVER.get((live.id.gvk.group, live.kind)) or _reason_by_labels(live)
    if reason or is_kubevirt_group(live.id.gvk.group):
        return reason
    return _reason_by_name(live)


def is_machine(group: str, kind: str) -> bool:
    """Return True if objects of a kind are virtual machines or create them."""
    return (group, kind) in _MACHINES


def maintainer_of_node(live: LiveObject) -> str:
    """Return who makes and replaces a machine that is a node of another cluster; empty for other objects."""
    if (live.id.gvk.group, live.kind) not in _MACHINES:
        return ""
    labels = object_at(live.metadata, "labels")
    return next(
        (who for label, value, who in _NODE_LABELS if label in labels and value in ("", labels[label])), ""
    )


def _reason_by_labels(live: LiveObject) -> str | None:
    operator = text_at(live.metadata, "labels", _MANAGED_BY)
    if operator in _OPERATORS:
        return f"{operator} installs it"
    if text_at(live.metadata, "labels", "kubernetes.io/bootstrapping"):
        return _CREATED_BY_CLUSTER
    if live.kind == "DataSource" and text_at(live.metadata, "labels", _CRON_LABEL):
        return "its DataImportCron creates it"
    return None


def _reason_by_name(live: LiveObject) -> str | None:
    kind, name = live.kind, live.name
    if (kind, name) in IN_EVERY_NAMESPACE:
        return _EVERYWHERE
    if kind == "Namespace" and is_system_namespace(name):
        return "every cluster has it"
    if kind == "Service" and (live.namespace, name) == ("default", "kubernetes"):
        return "every cluster has it"
    if kind == "PersistentVolumeClaim" and _PRIME.fullmatch(name):
        return "CDI fills a volume through it"
    if kind == "Secret":
        is_token = bool(text_at(live.metadata, "annotations", _ACCOUNT))
        kind_of_secret = "kubernetes.io/service-account-token" if is_token else text_at(live.content, "type")
        return _SECRETS.get(kind_of_secret)
    return None


class Cleaned(Record):
    """The user's part of an object, and the fields that were removed from it."""

    content: JsonObject
    removed: tuple[FieldPath, ...]


def clean(live: JsonObject) -> Cleaned:
    """Return the user's part of an object of a cluster."""
    content, removed = live, []
    for path in fields_to_leave_out(live):
        if path in DECISIONS and is_applied(live, FieldPath(path)):
            continue
        content = _without_field(content, path)
        removed.append(FieldPath(path))
    for field in controller_marks(live):
        content = _without_field(content, field.keys)
        removed.append(field)
    content, server_fields = without_server_fields(content)
    removed += server_fields
    content, elements = _without_controllers_elements(content, live)
    removed += elements
    if "status" in content:  # it is an empty status
        content = without(content, "status")
        removed.append(FieldPath.of("status"))
    if object_at(content, "metadata").get("generateName"):
        removed.append(FieldPath.of("metadata", "generateName"))
    content = {**content, "metadata": _without_empty_sections(object_at(content, "metadata"))}
    if text_at(live, "kind") in (VM, VMI, VM_POOL, VMI_REPLICA_SET):
        api_version = text_at(content, "apiVersion")
        content = dict(_without_empty_timestamps(content, ROOT, removed))
        if api_version in _SAME_FIELDS:
            content = {**content, "apiVersion": _SAME_FIELDS[api_version]}
    return Cleaned(content, tuple(removed))


def _without_controllers_elements(
    content: JsonObject, live: JsonObject
) -> tuple[JsonObject, tuple[FieldPath, ...]]:
    """Return the object without owners by UID, and without the finalizers that nobody applied.

    A UID is another one in the next cluster, whose garbage collector deletes an object without an owner
    (``pkg/controller/garbagecollector``). A finalizer without its controller keeps an object from being
    deleted, and an object of Git does not need one: its controller adds it again.
    """
    metadata = dict(object_at(content, "metadata"))
    finalizers, owners = array_at(metadata, "finalizers"), array_at(metadata, "ownerReferences")
    applied = applied_finalizers(live) if finalizers else frozenset[str]()
    kept: dict[str, list[Json]] = {
        "finalizers": [each for each in finalizers if isinstance(each, str) and each in applied],
        "ownerReferences": [each for each in owners if not text_at(each, "uid")],
    }
    removed = [
        FieldPath.of("metadata", key)
        for key, elements in kept.items()
        if len(elements) < len(array_at(metadata, key))
    ]
    metadata |= {field.keys[-1]: kept[field.keys[-1]] for field in removed}
    return ({**content, "metadata": metadata} if removed else content), tuple(removed)


def _without_field(content: JsonObject, path: tuple[str, ...]) -> JsonObject:
    """Return the object without a field, and without the section that contained only this field."""
    content = without(content, *path)
    parent = path[:-1]
    return without(content, *parent) if parent and not object_at(content, *parent) else content


def _without_empty_sections(metadata: JsonObject) -> JsonObject:
    """Return the metadata without empty sections and without the prefix that the name was generated from."""
    return {
        key: value
        for key, value in metadata.items()
        if key != "generateName" and not (value in ({}, [], None) and key != "name")
    }


def _without_empty_timestamps(
    content: JsonObject, at: FieldPath, removed: list[FieldPath]
) -> Iterator[tuple[str, Json]]:
    """Yield the fields without ``creationTimestamp: null``, which Go writes for templates inside objects."""
    for key, value in content.items():
        field = at.child(key)
        if key == "metadata" and isinstance(value, dict) and value.get(_TIMESTAMP, "") is None:
            removed.append(field.child(_TIMESTAMP))
            rest = without(value, _TIMESTAMP)
            if rest:
                yield key, rest
        elif key in _TEMPLATES and isinstance(value, dict):
            yield key, dict(_without_empty_timestamps(value, field, removed))
        elif key in _TEMPLATES and isinstance(value, list):
            elements = [
                dict(_without_empty_timestamps(each, field.child(index), removed))
                if isinstance(each, dict)
                else each
                for index, each in enumerate(value)
            ]
            yield key, elements
        else:
            yield key, value
