"""Bring instance types, preferences and revisions into the form that a cluster knows.

Complete objects of v1beta2 become v1beta1, which every release that can be rendered for serves and stores
(``pkg/virt-operator/resource/generate/components/crds.go``). Those that leave a size to the VM have no such form.
ControllerRevisions that served the expansion only are left out.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.api import v1beta2
from renderer.instancetype.catalog import INSTANCETYPE_GROUP
from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Related
from renderer.model.field_path import FieldPath
from renderer.model.json import object_at, text_at
from renderer.model.record import Record
from renderer.model.resource import Resource, ResourceSet

_INPUT = f"{INSTANCETYPE_GROUP}/{v1beta2.VERSION}"
_WRITTEN = f"{INSTANCETYPE_GROUP}/v1beta1"
_NAME = FieldPath.of("metadata", "name")


def in_target_form(resources: ResourceSet) -> Outcome[ResourceSet]:
    """The resources with complete ones of v1beta2 as v1beta1; all others as they are.

    With duplicate-id for one that there is in both versions.
    """
    if not any(resource.api_version == _INPUT for resource in resources):
        return Outcome(resources)
    written = {_Identity.of(resource): resource for resource in resources if resource.api_version == _WRITTEN}
    twice = tuple(
        _duplicate(resource, other)
        for resource in resources
        if resource.api_version == _INPUT and (other := written.get(_Identity.of(resource))) is not None
    )
    return Outcome(resources.map(_converted), twice)


def is_render_time_only(resource: Resource) -> bool:
    """Whether it is an instance type that leaves a size to the VM, which no release of KubeVirt knows."""
    if resource.api_version != _INPUT or not resource.kind.endswith("Instancetype"):
        return False
    return v1beta2.is_incomplete(object_at(resource.content, "spec"))


def written_form(resources: ResourceSet) -> ResourceSet:
    """The resources in forms that a cluster knows, without those that have none."""
    return in_target_form(resources).value.where(lambda resource: not is_render_time_only(resource))


class _Identity(Record):
    """What makes two objects one, whatever their versions."""

    kind: str
    namespace: str
    name: str

    @classmethod
    def of(cls, resource: Resource) -> _Identity:
        return cls(resource.kind, resource.namespace, resource.name)


def _converted(resource: Resource) -> Resource:
    if resource.api_version != _INPUT or is_render_time_only(resource):
        return resource
    return resource.with_content({**resource.content, "apiVersion": _WRITTEN})


def _duplicate(resource: Resource, other: Resource) -> Diagnostic:
    return Diagnostic(
        code=Code.DUPLICATE_ID,
        message=f"{resource.kind} {resource.name} is there as {v1beta2.VERSION} and as v1beta1",
        sites=resource.sites(_NAME),
        resource=resource.current_id,
        field=_NAME,
        hint="a version is no part of a name; drop or rename one",
        related=(Related("the other one", other.sites(_NAME)),),
    )


def without_unneeded_revisions(expanded: ResourceSet, composed: ResourceSet) -> ResourceSet:
    """The expanded resources without the ControllerRevisions that served to expand them, and nothing else.

    ``composed`` are the resources before. A revision that none of their VirtualMachines named stays, as one
    that is not among them may.
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
    """Namespace and name of each revision that is named."""
    for resource in resources:
        vm = VirtualMachine.of(resource)
        if vm is not None:
            for matcher_type in (INSTANCETYPE, PREFERENCE):
                yield resource.namespace, text_at(vm.spec, matcher_type.key, "revisionName")
                status = text_at(vm.status, matcher_type.status_ref, "controllerRevisionRef", "name")
                yield resource.namespace, status


def _is_revision(resource: Resource) -> bool:
    return resource.kind == "ControllerRevision" and resource.gvk.group == "apps"
