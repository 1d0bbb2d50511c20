"""The objects of an Application as Argo CD compares them with the cluster.

argo-cd ``controller/state.go`` DeduplicateTargetObjects, ``gitops-engine`` NormalizeTargetObjects.
"""

from __future__ import annotations

from collections.abc import Iterable

from renderer.model.cluster_settings import LOCAL_NAME, LOCAL_SERVER
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Related, Severity
from renderer.model.kube.json import text_at
from renderer.model.kube.resource import Resource, ResourceSet


def target_cluster(application: Resource) -> str:
    """Return the address or the name of the cluster that an Application deploys to."""
    server = text_at(application.content, "spec", "destination", "server")
    name = text_at(application.content, "spec", "destination", "name")
    return LOCAL_SERVER if name == LOCAL_NAME else server or name


def without_duplicates(resources: Iterable[Resource]) -> Outcome[ResourceSet]:
    """Return the objects, the last of each identity, and a warning for each other one.

    Argo CD reports RepeatedResourceWarning for them.
    """
    found = tuple(resources)
    last = {_key(each): index for index, each in enumerate(found)}
    deployed = set(last.values())
    dropped = [each for index, each in enumerate(found) if index not in deployed and each.name]
    return Outcome(
        ResourceSet(tuple(each for index, each in enumerate(found) if index in deployed or not each.name)),
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
