"""Convert instance types, preferences and revisions to the form that a cluster knows.

Complete objects of v1beta2 become v1beta1, which every supported target release serves and stores
(``pkg/virt-operator/resource/generate/components/crds.go``). Objects that leave a size to the VM have no such
form. ControllerRevisions that were only used for the expansion are removed.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import (
    APPS_GROUP,
    CONTROLLER_REVISION,
    INSTANCETYPE_API_VERSION,
    INSTANCETYPE_VERSION,
    MATCHER_TYPES,
    PROPOSED_INSTANCETYPE_API_VERSION,
    PROPOSED_INSTANCETYPE_VERSION,
)
from renderer.kubevirt.instancetype.api.instancetype import is_incomplete
from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record

_NAME = FieldPath.of("metadata", "name")


class _Identity(Record):
    """The parts that identify an object in any version."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, resource: Resource) -> _Identity:
        return cls(resource.kind, resource.namespace, resource.name)


def in_served_version(resources: ResourceSet) -> Outcome[ResourceSet]:
    """Return the resources with complete v1beta2 objects as v1beta1; all others unchanged.

    Reports duplicate-id for an object that exists in both versions.
    """
    if not any(resource.api_version == PROPOSED_INSTANCETYPE_API_VERSION for resource in resources):
        return Outcome(resources)
    written = {
        _Identity.of(resource): resource
        for resource in resources
        if resource.api_version == INSTANCETYPE_API_VERSION
    }
    twice = tuple(
        Diagnostic.about(
            resource,
            _NAME,
            Code.DUPLICATE_ID,
            f"{resource.kind} {resource.name} exists as {PROPOSED_INSTANCETYPE_VERSION}"
            f" and as {INSTANCETYPE_VERSION}",
            "a version is not part of a name; drop or rename one",
            related=(Related("the other one", other.sites(_NAME)),),
        )
        for resource in resources
        if resource.api_version == PROPOSED_INSTANCETYPE_API_VERSION
        and (other := written.get(_Identity.of(resource))) is not None
    )
    return Outcome(resources.map(_as_v1beta1), twice)


def is_only_for_rendering(resource: Resource) -> bool:
    """Return True for an instance type that leaves a size to the VM: no release of KubeVirt knows it."""
    if resource.api_version != PROPOSED_INSTANCETYPE_API_VERSION or not resource.kind.endswith(
        "Instancetype"
    ):
        return False
    return is_incomplete(object_at(resource.content, "spec"))


def served_resources(resources: ResourceSet) -> ResourceSet:
    """Return the resources in forms that a cluster knows, without resources that have no such form."""
    return in_served_version(resources).value.where(lambda resource: not is_only_for_rendering(resource))


def _as_v1beta1(resource: Resource) -> Resource:
    if resource.api_version != PROPOSED_INSTANCETYPE_API_VERSION or is_only_for_rendering(resource):
        return resource
    return resource.with_content({**resource.content, "apiVersion": INSTANCETYPE_API_VERSION})


def without_unneeded_revisions(expanded: ResourceSet, composed: ResourceSet) -> ResourceSet:
    """Return the expanded resources without the ControllerRevisions that were only used to expand them.

    ``composed`` are the resources before expansion. A revision that none of their VirtualMachines named
    stays, because other VirtualMachines may name it.
    """
    if not any(map(_is_revision, expanded)):
        return expanded
    unneeded = set(_references(composed)) - set(_references(expanded))
    if not unneeded:
        return expanded
    namespaces_of = {(namespace, name) for namespace, name in unneeded} | {("", name) for _, name in unneeded}
    return expanded.where(
        lambda resource: (
            not _is_revision(resource) or (resource.namespace, resource.name) not in namespaces_of
        )
    )


def _references(resources: ResourceSet) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of each named revision."""
    for resource in resources:
        vm = VirtualMachine.of(resource)
        if vm is not None:
            for matcher_type in MATCHER_TYPES:
                yield resource.namespace, text_at(vm.spec, matcher_type.key, "revisionName")
                status = text_at(vm.status, matcher_type.status_ref, "controllerRevisionRef", "name")
                yield resource.namespace, status


def _is_revision(resource: Resource) -> bool:
    return resource.kind == CONTROLLER_REVISION and resource.gvk.group == APPS_GROUP
