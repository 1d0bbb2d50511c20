"""One overlay on one side of a comparison."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from renderer.kubevirt.facts.cluster import Cluster
from renderer.kubevirt.instancetype.cluster_kubevirt import default_kubevirt
from renderer.model.difference import Effect, Impact
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.release import Release

Resources: TypeAlias = tuple[Resource, ...]


class Engine(Protocol):
    """Flux or Argo CD as it applies an overlay."""

    def retention(self, removed: Resource, *, is_gone: bool) -> str:
        """Return why nothing deletes an object that Git no longer has; empty if the engine does.

        ``is_gone``: the Kustomization or Application is removed, too.
        """

    def removal(self, removed: Resource) -> Impact | None:
        """Return the impact of removing an object that deploys others; None without one."""

    def recreation(self, before: Resource, after: Resource, *, is_refused: bool) -> Impact | None:
        """Return the impact of deleting an object and creating it again; None if it is updated.

        ``is_refused``: the cluster refuses the update.
        """

    def marked(self, before: Resource, after: Resource) -> Impact | None:
        """Return what new marks on an object make Argo CD do with it; None if they do nothing."""

    def forced_deletion(self, before: Resource, after: Resource) -> str:
        """Return which engine deletes an object whose new state the cluster rejects; empty if none does."""


class OverlaySide(NamedTuple):
    """One overlay on one side: ``written`` are its manifests.

    ``applied`` are its virtual machines with their instance types applied, as KubeVirt sees them, by id. It
    has only the machines that differ from their manifests. ``refused`` maps resources to the reasons why the
    cluster rejects them. ``kubevirt`` is the cluster's KubeVirt object, empty if the repository has none.
    ``feature_gates`` are the gates that the project file lists. ``owner`` is the Kustomization or Application
    that applies them, ``engine`` what does so, which may be known without it. ``storage_classes`` are the
    cluster's.
    """

    release: Release
    written: Resources = ()
    applied: Mapping[ResId, Resource] = {}
    refused: Mapping[ResId, tuple[str, ...]] = {}
    kubevirt: JsonObject = EMPTY
    feature_gates: tuple[str, ...] = ()
    owner: ResId | None = None
    engine: Engine | None = None
    storage_classes: Resources = ()

    def cluster(self, live: JsonObject = EMPTY) -> Cluster:
        """Return the cluster; ``live`` is the KubeVirt object that it has, empty if that is not known."""
        kubevirt = live or self.kubevirt or default_kubevirt(self.release)
        return Cluster.of(self.release, kubevirt, self.feature_gates)

    def refusal(self, resource: Resource, known: Collection[str] = ()) -> Impact | None:
        """Return the refusal of a resource by its first reason that is not ``known``; None without one."""
        reasons = self.refused.get(resource.current_id, ())
        return next((Impact(Effect.REFUSED, each) for each in reasons if each not in known), None)
