"""The virtual machines of a project that would get what changes between two catalogs.

Those of a pool count, and those that somebody makes of a template, with the values that its parameters have.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from renderer.app.project import Project
from renderer.authoring.catalogs.user import CatalogUser
from renderer.diff.machine_outlook import as_virtual_machine
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.kubevirt.impact.guest_machine import GuestCluster, GuestMachine
from renderer.kubevirt.impact.guest_view import guest_changes
from renderer.kubevirt.instancetype.catalog import CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.stored_vm import VmStore, read_cluster_config
from renderer.kubevirt.vm_template.findings import is_vm_template
from renderer.kubevirt.vm_template.machine import known_machine
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import EMPTY
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline


def catalog_users(
    project: Project, before: ResourceSet, after: ResourceSet, changed: Collection[tuple[str, str]]
) -> Iterator[CatalogUser]:
    """Yield the machines whose guests would see a change; ``changed`` are kinds and names in the catalogs.

    An overlay that cannot be composed, and a machine that KubeVirt cannot expand, are left out: the commands
    about them say why.
    """
    pipeline = Pipeline(project.fs, project.config)
    for overlay in pipeline.found.overlays:
        try:
            composed = pipeline.compose_overlay(overlay).value
            machines = ((each.current_id, _machine_of(each)) for each in composed)
            views = ((maker, VirtualMachineView.of(vm)) for maker, vm in machines if vm)
            users = [
                _User(maker, view.resource)
                for maker, view in views
                if view and any(matched in changed for matched in view.matched_objects())
            ]
            if users:
                yield from _seen_in(pipeline, overlay, composed, users, (before, after))
        except DiagnosticError:
            continue


class _User(NamedTuple):
    """A machine, and the object that makes it, which may be the machine itself."""

    maker: ResId
    vm: Resource


def _machine_of(resource: Resource) -> Resource | None:
    """Return the machine that an object is, or that is made of it; None if there is none."""
    if is_vm_template(resource):
        return known_machine(resource)
    return as_virtual_machine(resource) if resource.kind in (VM, VM_POOL) else None


def _seen_in(
    pipeline: Pipeline,
    overlay: Overlay,
    composed: ResourceSet,
    users: Iterable[_User],
    catalogs: tuple[ResourceSet, ResourceSet],
) -> Iterator[CatalogUser]:
    """Raise ``DiagnosticError`` if the catalogs of the project cannot be read."""
    whole = pipeline.catalogs_of(overlay.cluster).whole
    cluster = Cluster(overlay.kubevirt, read_cluster_config(composed, whole, overlay.kubevirt))
    own = CatalogSource("the overlay", composed)
    stores = [VmStore(whole.after(CatalogSource("", each)).after(own), cluster) for each in catalogs]
    seen_by = GuestCluster.of(overlay.kubevirt, EMPTY)
    for maker, vm in users:
        try:
            guests = [
                GuestMachine.of(vm.name, vm.namespace, store.create(vm).instance, seen_by) for store in stores
            ]
        except (CauseError, DiagnosticError):
            continue
        guest = guest_changes(guests[0], guests[1])
        if guest:
            yield CatalogUser(overlay.path, maker, guest)
