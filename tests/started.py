"""The rendered machine starts like its source: checked wherever tests expand VMs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import renderer.kubevirt.instancetype.expand as stage
from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.facts.kinds import VM, VM_POOL
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.kubevirt.instancetype.catalog import Catalog, CatalogSource
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.stored_vm import NAME_ANNOTATIONS, VmStore, read_cluster_config
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.kube.json import object_at
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode


def differences_at_start(
    before: ResourceSet, after: ResourceSet, catalog: Catalog, release: Release
) -> Iterator[str]:
    """Yield how the VMs in ``after`` start differently from their sources in ``before``.

    A VM that does not start is left out. The annotations that name instance type and preference are lost.
    """
    try:
        config = read_cluster_config(before, catalog, release)
    except DiagnosticError:
        return
    cluster = Cluster(release, config)
    stores = [
        VmStore(catalog.after(CatalogSource("the overlay", resources)), cluster)
        for resources in (before, after)
    ]
    for source, written in zip(before, after, strict=True):
        vms = [_vm(each) for each in (source, written)]
        if not all(vm is None or _has_instance(vm) for vm in vms):
            continue  # a schema refuses it, and nothing is written
        try:
            one, other = (
                as_stored(store.create(vm).instance) for store, vm in zip(stores, vms, strict=True) if vm
            )
        except (CauseError, DiagnosticError, ValueError):
            continue
        for field in differences(one, other):
            if field.segments[-1] not in NAME_ANNOTATIONS:
                yield f"{source.name}: {field}"


def _vm(resource: Resource) -> Resource | None:
    """Return the VM, or that of a pool; None for an object of another kind."""
    if resource.kind == VM:
        return resource
    if resource.kind == VM_POOL:
        return resource.with_content(
            {**object_at(resource.content, "spec", "virtualMachineTemplate"), "kind": VM}
        )
    return None


def _has_instance(vm: Resource) -> bool:
    return isinstance(object_at(vm.content, "spec", "template").get("spec", {}), dict)


@contextmanager
def machines_start_the_same() -> Iterator[None]:
    """Fail at the end if an expansion wrote a machine that starts differently from its source."""
    real, found = stage.expand, list[str]()

    def expand(
        resources: ResourceSet,
        catalog: Catalog,
        release: Release,
        mode: ExpandMode,
        **options: Any,  # noqa: ANN401 - passed on
    ) -> Outcome[ResourceSet]:
        outcome = real(resources, catalog, release, mode, **options)
        if mode is ExpandMode.APPLIED and not outcome.failed:
            found.extend(differences_at_start(resources, outcome.value, catalog, release))
        return outcome

    stage.expand = expand
    try:
        yield
    finally:
        stage.expand = real
    assert found == []
