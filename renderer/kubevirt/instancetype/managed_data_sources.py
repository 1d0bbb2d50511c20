"""Find the DataSources that a cluster has although no file of the repository writes them."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.boot_images import (
    ARCHITECTURES,
    OS_IMAGE_NAMESPACES,
    ManagedDataSource,
    boot_image_namespaces,
    default_data_sources,
    managed_data_sources,
)
from renderer.kubevirt.facts.kinds import DATA_IMPORT_CRON, DATA_SOURCE, HYPERCONVERGED, SSP
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release

#: The operator accepts its object under one name only, and is deployed in one of these namespaces.
_OPERATOR_OBJECT = "kubevirt-hyperconverged"
_OPERATOR_NAMESPACES = ("openshift-cnv", "kubevirt-hyperconverged")
#: The kinds of volumes, and of what they are made of.
_VOLUMES = (DATA_SOURCE, DATA_IMPORT_CRON, "DataVolume", "PersistentVolumeClaim", "VolumeSnapshot")


class ClusterDataSources(Record):
    """The DataSources of the cluster of one VirtualMachine that are not written in the repository."""

    scope: Scope
    release: Release

    def find(self, name: str, namespace: str) -> ManagedDataSource | None:
        """Return the DataSource of a data import cron; None if no known cron manages it."""
        for managed in self._all(name, namespace):
            if name in managed.names and self._is_in(managed, namespace):
                return managed
        return None

    def may_be_unwritten(self, namespace: str) -> bool:
        """Return True if volumes of the namespace are typically not in Git.

        That is a namespace in which the repository writes no volume, those of an operator's boot images, and
        those that the project lists.
        """
        if namespace in self.scope.catalog.golden_images:
            return True
        if not namespace or namespace == self.scope.namespace:
            return False
        if namespace in OS_IMAGE_NAMESPACES:
            return True
        if any(namespace in boot_image_namespaces(each) for each in self.hyperconverged):
            return True
        written = (each for kind in _VOLUMES for each in self.scope.catalog.of_kind(kind))
        return all(each.namespace != namespace for each in written)

    @property
    def hyperconverged(self) -> tuple[Resource, ...]:
        """The ``HyperConverged`` object of the cluster, if the repository has it."""
        catalog = self.scope.catalog
        found = tuple(catalog.of_kind(HYPERCONVERGED))
        elsewhere = (
            catalog.find_elsewhere(HYPERCONVERGED, _OPERATOR_OBJECT, namespace)
            for namespace in (() if found else _OPERATOR_NAMESPACES)
        )
        return found or tuple(each for each in elsewhere if each is not None)

    def _all(self, name: str, namespace: str) -> Iterator[ManagedDataSource]:
        catalog, hyperconverged = self.scope.catalog, self.hyperconverged
        written = (each for kind in (DATA_IMPORT_CRON, SSP) for each in catalog.of_kind(kind))
        elsewhere = catalog.find_elsewhere(DATA_SOURCE, name, namespace)
        for resource in (*written, *hyperconverged, *(() if elsewhere is None else (elsewhere,))):
            yield from managed_data_sources(resource, self.release)
        if not hyperconverged:
            yield from default_data_sources(self.release)

    def _is_in(self, managed: ManagedDataSource, namespace: str) -> bool:
        return any((place or self.scope.namespace) == namespace for place in managed.places)


def architecture_of(name: str, of_machine: str) -> str:
    """Return the architecture of a DataSource's image; ``of_machine`` is what the VirtualMachine sets."""
    suffix = name.rpartition("-")[2]
    return suffix if suffix in ARCHITECTURES else of_machine or ARCHITECTURES[0]
