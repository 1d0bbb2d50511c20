"""One overlay on one side of a comparison."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple, TypeAlias

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

Resources: TypeAlias = tuple[Resource, ...]
ExemptionOf: TypeAlias = Callable[[Resource, bool], str]
#: Returns the impact of an engine that deletes an object and creates it again rather than update it, given
#: both states and whether the update is refused; None if none does.
RecreationOf: TypeAlias = Callable[[Resource, Resource, bool], Impact | None]
#: Returns which engine deletes an object whose new state the cluster rejects; empty if none does.
ForcedDeletionOf: TypeAlias = Callable[[Resource, Resource], str]


class OverlaySide(NamedTuple):
    """One overlay on one side: ``written`` are its manifests.

    ``applied`` are its virtual machines with their instance types applied, as KubeVirt sees them, by id. It
    has only the machines that differ from their manifests. ``refused`` maps resources to the reasons why the
    cluster rejects them. ``kubevirt`` is the cluster's KubeVirt object, empty if the repository has none.
    ``feature_gates`` are the gates that the project file lists. ``owner`` is the Kustomization or Application
    that applies them; ``exemption_of`` returns the annotation without which that may delete a VM that moves,
    given the VM, and whether the owner may be gone, too. ``recreation_of`` returns what an engine does that
    replaces a changed object, ``forced_deletion_of`` which one deletes what is then rejected.
    ``retention_of`` returns why nothing deletes an object that Git no longer has, given the object, and
    whether the owner is gone, too. ``storage_classes`` are the cluster's.
    """

    release: Release
    written: Resources = ()
    applied: Mapping[ResId, Resource] = {}
    refused: Mapping[ResId, tuple[str, ...]] = {}
    kubevirt: JsonObject = EMPTY
    feature_gates: tuple[str, ...] = ()
    owner: ResId | None = None
    exemption_of: ExemptionOf | None = None
    recreation_of: RecreationOf | None = None
    forced_deletion_of: ForcedDeletionOf | None = None
    retention_of: ExemptionOf | None = None
    storage_classes: Resources = ()

    def cluster(self, live: JsonObject = EMPTY) -> Cluster:
        """Return the cluster; ``live`` is the KubeVirt object that it has, empty if that is not known."""
        kubevirt = live or self.kubevirt or default_kubevirt(self.release)
        return Cluster.of(self.release, kubevirt, self.feature_gates)

    def refusal(self, resource: Resource, known: Collection[str] = ()) -> Impact | None:
        """Return the refusal of a resource by its first reason that is not ``known``; None without one."""
        reasons = self.refused.get(resource.current_id, ())
        return next((Impact(Effect.REFUSED, each) for each in reasons if each not in known), None)
