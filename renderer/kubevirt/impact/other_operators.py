"""Custom resources of other operators, which may delete the storage or machines that they have made for them.

What an operator does with a removed object is its own affair. An object that asks for storage, that makes
machines, or that has a policy of deletion says enough; of any other object nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from renderer.kubevirt.facts.installed_release import CLUSTER_EXTENSION, installs_operator, subscribes
from renderer.kubevirt.facts.kinds import is_kubevirt_group
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import KUSTOMIZE_GROUP

#: Fields with the storage that an operator is to make, rather than a claim that exists.
_STORAGE = re.compile(
    r"(?i:.*storageClass(?:Name)?|.*volumeClaimTemplates?|.*(?:volumeClaim|pvc)(?:Spec|Template))"
)
_PLACES_OF_SIZES = re.compile(r"(?i:.*(?:storage|persistence|volumes?))")
_SIZES = ("capacity", "size")
#: Parts in which storage is that of a pod, or of a cache, and is made anew.
_TRANSIENT = re.compile(r"(?i:ephemeral|cache.*)")
_POLICY = re.compile(r"(?:.*D|d)eletionPolicy|(?:.*R|r)eclaimPolicy")
#: A policy of data; one of deletion may be about users and roles.
_RECLAIM_POLICY = re.compile(r"(?:.*R|r)eclaimPolicy")
_KEEPING = ("orphan", "retain")
_UNINSTALLED = "deletes KubeVirt's definitions, and with these all machines of the cluster"
#: Groups and kinds that describe the storage of other objects, or copy what is elsewhere.
_GROUPS_ABOUT_OTHERS = frozenset(
    {
        *("apiextensions.crossplane.io", "forklift.konveyor.io", "kyverno.io", "local.storage.openshift.io"),
        *("policies.kyverno.io", "tekton.dev", "triggers.tekton.dev"),
    }
)
_REPLICATION_SOURCE = ("volsync.backube", "ReplicationSource")
_CLUSTER_API = "cluster.x-k8s.io"
_CLUSTER_API_GROUPS = (_CLUSTER_API, f"controlplane.{_CLUSTER_API}", f"infrastructure.{_CLUSTER_API}")
_NOT_MACHINES = ("ClusterClass", "MachineDrainRule", "MachineHealthCheck")
_MAKING_MACHINES = frozenset(
    {
        *(("machine.openshift.io", kind) for kind in ("Machine", "MachineSet")),
        *(("hypershift.openshift.io", kind) for kind in ("HostedCluster", "NodePool")),
        *(("hive.openshift.io", kind) for kind in ("ClusterDeployment", "MachinePool")),
    }
)
_STORAGE_ITSELF = frozenset(
    {
        *(("ceph.rook.io", f"Ceph{kind}") for kind in ("BlockPool", "Cluster", "Filesystem", "ObjectStore")),
        *(("longhorn.io", "Volume"), ("zfs.openebs.io", "ZFSVolume")),
    }
)


def removal_impact(removed: Resource) -> Impact | None:
    """Return the impact of removing a custom resource of another operator; None if none is known.

    Also of a kustomization that installs KubeVirt's operator.
    """
    reason = _reason(removed)
    if removed.gvk.group == KUSTOMIZE_GROUP and installs_operator(removed.content):
        reason = f"what prunes it {_UNINSTALLED}"
    if removed.kind == CLUSTER_EXTENSION and subscribes(removed.content):
        reason = f"OLM {_UNINSTALLED}"
    return Impact(Effect.MAY_DELETE, reason) if reason else None


def scaling_impact(before: Resource, after: Resource) -> Impact | None:
    """Return the impact of fewer ``replicas`` of an object that makes machines; None without."""
    if not _makes_machines(after):
        return None
    old, new = (object_at(each.content, "spec").get("replicas") for each in (before, after))
    if not isinstance(old, int) or not isinstance(new, int) or new >= old:
        return None
    return Impact(Effect.MAY_DELETE, f"machines are deleted: {old} -> {new}")


def _reason(removed: Resource) -> str:
    group, kind = removed.gvk.group, removed.kind
    is_own = "." not in group or group.endswith(".k8s.io") or is_kubevirt_group(group)
    if is_own or group in _GROUPS_ABOUT_OTHERS or (group, kind) == _REPLICATION_SOURCE:
        return ""
    spec = object_at(removed.content, "spec")
    policies = {name: str(value) for name, value in spec.items() if _POLICY.fullmatch(name)}
    if any(value.lower() in _KEEPING for value in policies.values()):
        return ""
    if _makes_machines(removed):
        return "the machines that it makes are deleted with it"
    if (group, kind) in _STORAGE_ITSELF:
        return "the storage that it describes may be deleted with it"
    for name, value in policies.items():
        if value.lower() == "delete" and _RECLAIM_POLICY.fullmatch(name):
            return f"what it has made is deleted with it (spec.{name}: {value})"
    field = next(_storage_fields(spec, "spec"), "")
    return f"its operator may delete the storage that it asks for ({field})" if field else ""


def _makes_machines(resource: Resource) -> bool:
    group, kind = resource.gvk.group, resource.kind
    is_made = not kind.endswith("Template") and kind not in _NOT_MACHINES
    return (group, kind) in _MAKING_MACHINES or (group in _CLUSTER_API_GROUPS and is_made)


def _storage_fields(value: Json, path: str) -> Iterator[str]:
    """Yield the fields that ask for storage; manifests of other objects are left out."""
    if isinstance(value, list):
        for each in value:
            yield from _storage_fields(each, path)
    if not isinstance(value, dict) or {"apiVersion", "kind"} <= value.keys():
        return
    parent = path.rpartition(".")[2]
    for name, each in value.items():
        if not each or _TRANSIENT.fullmatch(name):
            continue
        is_size = name in _SIZES and _PLACES_OF_SIZES.fullmatch(parent)
        if is_size or _STORAGE.fullmatch(name) or (parent, name) == ("requests", "storage"):
            yield f"{path}.{name}"
        else:
            yield from _storage_fields(each, f"{path}.{name}")
