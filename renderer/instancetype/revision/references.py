"""Which ControllerRevisions the VirtualMachines of an overlay name."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.instancetype.matcher import INSTANCETYPE, PREFERENCE
from renderer.instancetype.virtual_machine import VirtualMachine
from renderer.model.json import text_at
from renderer.model.resource import Resource, ResourceSet


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
