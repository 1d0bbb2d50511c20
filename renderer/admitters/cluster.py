"""The cluster that an object is admitted to."""

from __future__ import annotations

from functools import cached_property

from renderer.kubevirt.cluster import ClusterConfig
from renderer.kubevirt.feature_gates import Gate, enabled_gates
from renderer.model.release import Release

_LIVE_UPDATE = "LiveUpdate"
#: The first release whose virtual machines are updated live unless the cluster says otherwise.
_LIVE_UPDATE_BY_DEFAULT = Release(1, 6)


class Cluster:
    """A release of KubeVirt and its configuration."""

    def __init__(self, release: Release, config: ClusterConfig) -> None:
        self.release = release
        self.config = config
        #: Pairs of a check and the JSON that it found nothing wrong with.
        self.found_good: set[tuple[object, str]] = set()

    @cached_property
    def gates(self) -> frozenset[Gate]:
        """The feature gates that are on."""
        return enabled_gates(self.release, self.config)

    @cached_property
    def updates_live(self) -> bool:
        """True if changes reach running virtual machines (``IsVMRolloutStrategyLiveUpdate``, since 1.2)."""
        if Gate.VM_LIVE_UPDATE not in self.gates:
            return False
        strategy = self.config.vm_rollout_strategy
        return strategy == _LIVE_UPDATE or (not strategy and self.release >= _LIVE_UPDATE_BY_DEFAULT)

    def machine_type(self, architecture: str) -> str:
        """Return the default machine type of an architecture (``GetMachineType``)."""
        types = self.config.machine_types
        return self.config.machine_type or types.get(architecture, types["amd64"])

    def architecture(self, architecture: str) -> str:
        """Return the architecture, or the cluster's own where none is given."""
        return architecture or self.config.default_architecture
