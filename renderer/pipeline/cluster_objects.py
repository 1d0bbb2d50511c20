"""The objects that the cluster of an overlay gets from the project's other overlays.

Whatever an overlay refers to is looked up by one rule: in the overlay, then in the project's catalogs, then
in the other overlays that the same cluster gets. They are composed only if something is still missing then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, takewhile

from renderer.checks.rules.inventory import Inventory
from renderer.checks.rules.operator_references import FOUND_ANYWHERE
from renderer.files.recorder import Recorder, Task
from renderer.kubevirt.facts.kinds import DATA_SOURCE, configures_kubevirt
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.render_config import Overlay
from renderer.pipeline.cluster_conflicts import conflicts_among, conflicts_with, excludes_others
from renderer.pipeline.run_context import FINDING_OVERLAYS
from renderer.pipeline.target_cluster import cluster_of, known_cluster, may_share_cluster

#: The maximum number of other overlays that are composed for lookups.
_MOST_OVERLAYS = 100

#: Returns the objects of an overlay as they are applied, without expansion.
Compose = Callable[[Overlay], Outcome[ResourceSet]]


class ClusterObjects:
    """The objects of one project's overlays, by cluster; each overlay is composed once, when it is needed."""

    def __init__(
        self, find_overlays: Callable[[], Iterable[Overlay]], compose: Compose, recorder: Recorder
    ) -> None:
        self._find_overlays = find_overlays
        self._compose = compose
        self._recorder = recorder
        self._composed: dict[str, tuple[Resource, ...]] = {}
        self._by_name: dict[str, Mapping[tuple[str, str, str], Sequence[Resource]]] = {}
        self._configuring: dict[str, tuple[Resource, ...]] = {}
        self._inventories: dict[str, Inventory] = {}
        self._sharing: dict[tuple[str, str, str], tuple[Overlay, ...]] = {}

    def find(self, overlay: Overlay, kind: str, name: str, namespace: str) -> Resource | None:
        """Return the object in the other overlays; None if there is none, or if they disagree on it.

        For a DataSource that only a data import cron makes, return the object with the cron.
        """
        wanted = kind, name, namespace
        found = [each for other in self._others(overlay) for each in self._named(other).get(wanted, ())]
        if not found and kind == DATA_SOURCE:
            made = (
                item for other in self._others(overlay) for item in self._inventory(other).named(kind, name)
            )
            found = [item.resource for item in made if item.namespace == namespace]
        agree = found and all(each.content == found[0].content for each in found)
        return found[0] if agree else None

    def has(self, overlay: Overlay, kind: str, name: str, namespace: str) -> bool:
        """Return True if another overlay has the object, or one whose controller creates it."""
        is_anywhere = kind in FOUND_ANYWHERE
        return bool(namespace or is_anywhere) and any(
            is_anywhere or item.namespace == namespace
            for other in self._others(overlay)
            for item in self._inventory(other).named(kind, name)
        )

    def is_known(self, overlay: Overlay) -> bool:
        """Return True if the overlay's cluster is known: the project lists it, or an engine applies it."""
        return known_cluster(overlay) is not None

    def kubevirt(self, overlay: Overlay) -> Resource | None:
        """Return the object that configures KubeVirt in the other overlays of a known cluster.

        None if they disagree. Overlays that the project lists by path, without a cluster, may be for several
        clusters. Of an entry point that no entry of the project reaches, it is in any overlay of the project.
        """
        if self.is_known(overlay):
            return self.kubevirt_among(self._others(overlay))
        if overlay.deployer is not None and not overlay.listed_as:
            return self.kubevirt_among(islice(self.overlays, _MOST_OVERLAYS))
        return None

    def kubevirt_among(self, overlays: Iterable[Overlay]) -> Resource | None:
        """Return the object that configures KubeVirt in overlays; None if they disagree."""
        found = [each for other in overlays for each in self._configuring_objects(other)]
        return found[0] if found and all(each.content == found[0].content for each in found) else None

    def conflicts(self, overlay: Overlay, resources: Iterable[Resource]) -> Iterator[Diagnostic]:
        """Yield an error about each object of an overlay that contradicts one of an earlier overlay.

        ``resources`` are the objects of the overlay. They are compared only if its cluster is known.
        """
        own = tuple(filter(excludes_others, resources))
        yield from conflicts_among(own, overlay.cluster)
        cluster = known_cluster(overlay)
        if own and cluster is not None:
            earlier = takewhile(lambda each: each.path != overlay.path, self.overlays)
            others = (each for each in earlier if known_cluster(each) == cluster)
            known = (each for other in islice(others, _MOST_OVERLAYS) for each in self._objects(other))
            yield from conflicts_with(own, known, overlay.cluster)

    def _others(self, overlay: Overlay) -> Iterator[Overlay]:
        overlays, cluster = self.overlays, cluster_of(overlay)
        if cluster not in self._sharing:
            sharing = (each for each in overlays if may_share_cluster(overlay, each))
            self._sharing[cluster] = tuple(islice(sharing, _MOST_OVERLAYS + 1))
        others = (each for each in self._sharing[cluster] if each.path != overlay.path)
        return islice(others, _MOST_OVERLAYS)

    @property
    def overlays(self) -> tuple[Overlay, ...]:
        """All overlays of the project; none if they cannot be found, which is reported elsewhere."""
        overlays = self._overlays
        self._recorder.note_use(FINDING_OVERLAYS)
        return overlays

    @cached_property
    def _overlays(self) -> tuple[Overlay, ...]:
        try:
            return tuple(self._find_overlays())
        except DiagnosticError:  # reported where the overlays are rendered
            return ()

    def _objects(self, overlay: Overlay) -> tuple[Resource, ...]:
        task = Task("objects of the cluster", overlay.path)
        if overlay.path in self._composed:
            self._recorder.note_use(task)
            return self._composed[overlay.path]
        with self._recorder.using(task):
            composed = self._compose(overlay)
            self._composed[overlay.path] = () if composed.failed else tuple(composed.value)
        return self._composed[overlay.path]

    def _named(self, overlay: Overlay) -> Mapping[tuple[str, str, str], Sequence[Resource]]:
        """Return the objects of an overlay by kind, name and namespace."""
        objects = self._objects(overlay)
        if overlay.path not in self._by_name:
            found: dict[tuple[str, str, str], list[Resource]] = {}
            for each in objects:
                found.setdefault((each.kind, each.name, each.namespace), []).append(each)
            self._by_name[overlay.path] = found
        return self._by_name[overlay.path]

    def _configuring_objects(self, overlay: Overlay) -> tuple[Resource, ...]:
        objects = self._objects(overlay)
        if overlay.path not in self._configuring:
            self._configuring[overlay.path] = tuple(filter(configures_kubevirt, objects))
        return self._configuring[overlay.path]

    def _inventory(self, overlay: Overlay) -> Inventory:
        objects = self._objects(overlay)
        if overlay.path not in self._inventories:
            machines = (VirtualMachineView.of(each) for each in objects)
            known = (machine for machine in machines if machine is not None)
            self._inventories[overlay.path] = Inventory(objects, known)
        return self._inventories[overlay.path]
