"""Find the DataSources that a cluster has although no file of the repository writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.kubevirt.facts.boot_images import (
    ARCHITECTURES,
    OS_IMAGE_NAMESPACES,
    ManagedDataSource,
    default_data_sources,
)
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    DATA_IMPORT_CRON,
    DATA_SOURCE,
    DATA_VOLUME,
    HYPERCONVERGED,
    HYPERCONVERGED_NAME,
    SSP,
    VOLUME_SNAPSHOT,
)
from renderer.kubevirt.hyperconverged.data_sources import boot_image_namespaces, managed_data_sources
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release

#: Where the operator is deployed, in OpenShift Virtualization and upstream.
_OPERATOR_NAMESPACES = ("openshift-cnv", HYPERCONVERGED_NAME)
#: The kinds of volumes, and of what they are made of.
_VOLUMES = (DATA_SOURCE, DATA_IMPORT_CRON, DATA_VOLUME, CLAIM, VOLUME_SNAPSHOT)


class _Known(Record):
    """What a catalog says of DataSources: those that crons manage, by name, and where volumes are.

    ``image_namespaces`` are those that ``HyperConverged`` names for boot images, ``written_namespaces`` those
    with a volume in the repository.
    """

    by_name: Mapping[str, Sequence[ManagedDataSource]]
    hyperconverged: tuple[Resource, ...]
    image_namespaces: frozenset[str]
    written_namespaces: frozenset[str]


class ClusterDataSources(Record):
    """The DataSources of the cluster of one VirtualMachine that are not written in the repository."""

    scope: Scope
    release: Release

    def find(self, name: str, namespace: str) -> ManagedDataSource | None:
        """Return the DataSource of a data import cron; None if no known cron manages it."""
        elsewhere = self.scope.catalog.find_elsewhere(DATA_SOURCE, name, namespace)
        known: list[ManagedDataSource] = [*self._known.by_name.get(name, ())]
        if elsewhere is not None and all(elsewhere is not each for each in self.hyperconverged):
            known += managed_data_sources(elsewhere, self.release)
        for managed in known:
            if name in managed.names and self._is_in(managed, namespace):
                return managed
        return None

    def may_be_unwritten(self, namespace: str) -> bool:
        """Return True if volumes of the namespace are typically not in Git.

        Such a namespace has no volume in the repository, is for an operator's boot images, or is listed by
        the project.
        """
        if namespace in self.scope.catalog.golden_images:
            return True
        if not namespace or namespace == self.scope.namespace:
            return False
        is_for_images = namespace in OS_IMAGE_NAMESPACES or namespace in self._known.image_namespaces
        return is_for_images or namespace not in self._known.written_namespaces

    @property
    def hyperconverged(self) -> tuple[Resource, ...]:
        """The ``HyperConverged`` object of the cluster, if the repository has it."""
        return self._known.hyperconverged

    @property
    def _known(self) -> _Known:
        return self.scope.catalog.derived(_read, self.release)

    def _is_in(self, managed: ManagedDataSource, namespace: str) -> bool:
        return any((place or self.scope.namespace) == namespace for place in managed.places)


def _read(catalog: Catalog, release: Release) -> _Known:
    hyperconverged = tuple(catalog.of_kind(HYPERCONVERGED))
    if not hyperconverged:
        elsewhere = (
            catalog.find_elsewhere(HYPERCONVERGED, HYPERCONVERGED_NAME, namespace)
            for namespace in _OPERATOR_NAMESPACES
        )
        hyperconverged = tuple(each for each in elsewhere if each is not None)
    written = (each for kind in (DATA_IMPORT_CRON, SSP) for each in catalog.of_kind(kind))
    by_name: dict[str, list[ManagedDataSource]] = {}
    for resource in (*written, *hyperconverged):
        for managed in managed_data_sources(resource, release):
            for name in managed.names:
                by_name.setdefault(name, []).append(managed)
    for managed in () if hyperconverged else default_data_sources(release):
        for name in managed.names:
            by_name.setdefault(name, []).append(managed)
    return _Known(
        by_name,
        hyperconverged,
        frozenset(name for each in hyperconverged for name in boot_image_namespaces(each)),
        frozenset(each.namespace for kind in _VOLUMES for each in catalog.of_kind(kind)),
    )


def architecture_of(name: str, of_machine: str) -> str:
    """Return the architecture of a DataSource's image; ``of_machine`` is what the VirtualMachine sets."""
    suffix = name.rpartition("-")[2]
    return suffix if suffix in ARCHITECTURES else of_machine or ARCHITECTURES[0]
