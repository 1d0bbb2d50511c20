"""The objects of an Application as Argo CD compares them with the cluster.

argo-cd ``controller/state.go`` DeduplicateTargetObjects, ``gitops-engine`` NormalizeTargetObjects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from renderer.kustomize.identity import is_cluster_scoped
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Related, Severity
from renderer.model.json import object_at, text_at, without
from renderer.model.resource import Resource, ResourceSet

HOOK = "argocd.argoproj.io/hook"

#: Group and kind of types that kustomize does not know, but that repositories with VMs often contain.
_OF_CLUSTER = frozenset(
    {
        *(
            ("instancetype.kubevirt.io", f"VirtualMachineCluster{what}")
            for what in ("Instancetype", "Preference")
        ),
        *(("cdi.kubevirt.io", kind) for kind in ("CDI", "CDIConfig", "StorageProfile", "ObjectTransfer")),
        ("migrations.kubevirt.io", "MigrationPolicy"),
        ("networkaddonsoperator.network.kubevirt.io", "NetworkAddonsConfig"),
        ("snapshot.storage.k8s.io", "VolumeSnapshotClass"),
        ("snapshot.storage.k8s.io", "VolumeSnapshotContent"),
        ("nmstate.io", "NodeNetworkConfigurationPolicy"),
        ("nmstate.io", "NMState"),
        ("cert-manager.io", "ClusterIssuer"),
        ("external-secrets.io", "ClusterSecretStore"),
        ("external-secrets.io", "ClusterExternalSecret"),
        ("kyverno.io", "ClusterPolicy"),
        ("project.openshift.io", "Project"),
        ("machineconfiguration.openshift.io", "MachineConfig"),
    }
)


def deduplicated(resources: Iterable[Resource]) -> Outcome[ResourceSet]:
    """Return the objects; of several with one identity keep the last, with a warning for each other one.

    Argo CD reports RepeatedResourceWarning for them.
    """
    found = tuple(resources)
    last = {_key(each): index for index, each in enumerate(found)}
    kept = set(last.values())
    left = tuple(each for index, each in enumerate(found) if index in kept or not each.name)
    dropped = (each for index, each in enumerate(found) if index not in kept and each.name)
    return Outcome(
        ResourceSet(left),
        tuple(
            Diagnostic.about(
                each,
                None,
                Code.DUPLICATE_ID,
                f"there are two resources {each.current_id}: Argo CD deploys the last one only",
                "remove or rename this one",
                severity=Severity.WARNING,
                related=(Related("the last one", found[last[_key(each)]].sites()),),
            )
            for each in dropped
        ),
    )


def _key(resource: Resource) -> tuple[str, str, str, str]:
    return resource.gvk.group, resource.kind, resource.namespace, resource.name


def in_destination(resources: ResourceSet, namespace: str) -> ResourceSet:
    """Set ``destination.namespace`` on objects without a namespace; remove it from cluster-scoped kinds."""
    defined = {_defined_kind(each) for each in resources if each.kind == "CustomResourceDefinition"}
    return resources.map(lambda each: _placed(each, namespace, defined))


def _defined_kind(definition: Resource) -> tuple[str, str]:
    """Return group and kind of the cluster-scoped kind that a CustomResourceDefinition defines."""
    spec = object_at(definition.content, "spec")
    is_cluster = text_at(spec, "scope") == "Cluster"
    return (text_at(spec, "group"), text_at(spec, "names", "kind")) if is_cluster else ("", "")


def _is_of_cluster(resource: Resource, defined: Collection[tuple[str, str]]) -> bool:
    kind = resource.gvk.group, resource.kind
    return is_cluster_scoped(resource.api_version, resource.kind) or kind in _OF_CLUSTER or kind in defined


def _placed(resource: Resource, namespace: str, defined: Collection[tuple[str, str]]) -> Resource:
    if _is_of_cluster(resource, defined):
        content = without(resource.content, "metadata", "namespace")
        return resource if content is resource.content else resource._replace(content=content)
    if not namespace or resource.namespace:
        return resource
    metadata = {**object_at(resource.content, "metadata"), "namespace": namespace}
    return resource._replace(content={**resource.content, "metadata": metadata})
