"""The cluster that a virtual machine is admitted to."""

from __future__ import annotations

from functools import cached_property

from renderer.admitters.behaviour import Behaviour, behaviour_of
from renderer.admitters.feature_gates import Gate, enabled_gates
from renderer.kubevirt.cluster import ClusterConfig
from renderer.model.release import Release

_LIVE_UPDATE = "LiveUpdate"


class Cluster:
    """Its release and its configuration."""

    def __init__(self, release: Release, config: ClusterConfig) -> None:
        self.release = release
        self.config = config
        #: What checks found nothing wrong with, each with the check.
        self.found_good: set[tuple[object, str]] = set()

    @cached_property
    def gates(self) -> frozenset[Gate]:
        """The feature gates that are on."""
        return enabled_gates(self.config, self.release)

    @cached_property
    def behaviour(self) -> Behaviour:
        return behaviour_of(self.release)

    @cached_property
    def updates_live(self) -> bool:
        """Whether changes reach running virtual machines (``IsVMRolloutStrategyLiveUpdate``)."""
        if self.behaviour.updates_live_by_gate and Gate.VM_LIVE_UPDATE not in self.gates:
            return False
        strategy = self.config.vm_rollout_strategy
        return strategy == _LIVE_UPDATE or (not strategy and self.behaviour.updates_live_by_default)

    def machine_type(self, architecture: str) -> str:
        """The default one of an architecture (``GetMachineType``)."""
        types = self.config.machine_types
        return self.config.machine_type or types.get(architecture, types["amd64"])

    def architecture(self, architecture: str) -> str:
        """The architecture, or the cluster's own where none is given."""
        return architecture or self.config.default_architecture
