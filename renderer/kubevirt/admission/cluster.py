"""The cluster that admits an object."""

from __future__ import annotations

from functools import cached_property

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.feature_gates import Gate, enabled_gates
from renderer.model.release import Release


class AdmittingCluster:
    """A release of KubeVirt and its configuration."""

    def __init__(self, release: Release, config: ClusterConfig) -> None:
        self.release = release
        self.config = config
        self._cluster = Cluster(release, config)

    @cached_property
    def gates(self) -> frozenset[Gate]:
        """The enabled feature gates."""
        return enabled_gates(self.release, self.config)

    @cached_property
    def updates_live(self) -> bool:
        """True if changes are applied to running virtual machines (``IsVMRolloutStrategyLiveUpdate``)."""
        return self._cluster.updates_live

    def machine_type(self, architecture: str) -> str:
        """Return the default machine type of an architecture."""
        return self._cluster.machine_type(architecture)

    def architecture(self, architecture: str) -> str:
        """Return the architecture; the cluster's own if the argument is empty."""
        return self._cluster.architecture(architecture)
