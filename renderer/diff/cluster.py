"""The configuration of a cluster that decides how changes of virtual machines are rolled out.

KubeVirt ``pkg/virt-config``: ``virt-config.go``, ``feature-gates.go``, ``featuregate/``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import EMPTY, Json, JsonObject, array_at, object_at, text_at
from renderer.model.quantity import Quantity
from renderer.model.release import Release


class Gate(StrEnum):
    """The feature gates that decide what changes while a VM runs."""

    DECENTRALIZED_LIVE_MIGRATION = "DecentralizedLiveMigration"
    DECLARATIVE_HOTPLUG_VOLUMES = "DeclarativeHotplugVolumes"
    HOTPLUG_NICS = "HotplugNICs"
    HOTPLUG_VOLUMES = "HotplugVolumes"
    LIVE_UPDATE_NAD_REF = "LiveUpdateNADRef"
    VGPU_LIVE_MIGRATION = "VGPULiveMigration"
    VM_LIVE_UPDATE_FEATURES = "VMLiveUpdateFeatures"
    VOLUME_MIGRATION = "VolumeMigration"
    VOLUMES_UPDATE_STRATEGY = "VolumesUpdateStrategy"


#: The release from which a gate is generally available, and always on.
_ALWAYS_ON_SINCE = {
    Gate.HOTPLUG_NICS: Release(1, 4),
    Gate.LIVE_UPDATE_NAD_REF: Release(1, 9),
    Gate.VM_LIVE_UPDATE_FEATURES: Release(1, 5),
    Gate.VOLUME_MIGRATION: Release(1, 5),
    Gate.VOLUMES_UPDATE_STRATEGY: Release(1, 5),
}
#: The release from which a gate is beta and betas are on unless they are switched off.
_ON_BY_DEFAULT_SINCE = {Gate.DECLARATIVE_HOTPLUG_VOLUMES: Release(1, 9)}

_ROLLOUT_STRATEGY = Release(1, 2)
_LIVE_BY_DEFAULT = Release(1, 6)
_LIVE_UPDATE = "LiveUpdate"
_DEFAULT_RATIO = 4


class ClusterView(NamedTuple):
    """The target release, and what the ``KubeVirt`` object says where the repository has it.

    ``update_methods`` are its ``workloadUpdateMethods``, None where the repository has no such object.
    """

    release: Release
    configuration: JsonObject = EMPTY
    update_methods: Sequence[Json] | None = None

    @classmethod
    def of(cls, release: Release, kubevirt: JsonObject) -> ClusterView:
        """Return the view of a ``KubeVirt`` object, an empty one where there is none."""
        methods = array_at(kubevirt, "spec", "workloadUpdateStrategy", "workloadUpdateMethods")
        return cls(release, object_at(kubevirt, "spec", "configuration"), methods if kubevirt else None)

    def has_on(self, gate: Gate) -> bool:
        """Tell whether a feature gate is on (``isFeatureGateEnabled``)."""
        developer = object_at(self.configuration, "developerConfiguration")
        if gate in _ALWAYS_ON_SINCE and self.release >= _ALWAYS_ON_SINCE[gate]:
            return True
        if gate in array_at(developer, "featureGates"):
            return True
        by_default = _ON_BY_DEFAULT_SINCE.get(gate)
        if by_default is None or self.release < by_default:
            return False
        return gate not in array_at(developer, "disabledFeatureGates")

    @property
    def updates_live(self) -> bool:
        """Tell whether changes reach VMs that run (``IsVMRolloutStrategyLiveUpdate``).

        The strategy exists since 1.2; up to 1.5 the default is ``Stage``, up to 1.4 it takes a feature gate.
        """
        if self.release < _ROLLOUT_STRATEGY or not self.has_on(Gate.VM_LIVE_UPDATE_FEATURES):
            return False
        strategy = text_at(self.configuration, "vmRolloutStrategy")
        return strategy == _LIVE_UPDATE or (not strategy and self.release >= _LIVE_BY_DEFAULT)

    @property
    def max_hotplug_ratio(self) -> int:
        """How many times what a VM starts with can be plugged in."""
        return count(self._live_update.get("maxHotplugRatio")) or _DEFAULT_RATIO

    @property
    def max_cpu_sockets(self) -> int:
        """The most sockets of a VM; 0 where the cluster sets none."""
        return count(self._live_update.get("maxCpuSockets"))

    @property
    def max_guest(self) -> Quantity | None:
        """The most memory of a VM; None where the cluster sets none."""
        return quantity(self._live_update.get("maxGuest"))

    @property
    def _live_update(self) -> JsonObject:
        return object_at(self.configuration, "liveUpdateConfiguration")


def quantity(value: Json) -> Quantity | None:
    """Return the quantity; None for nothing, and for what is no quantity."""
    if value is None:
        return None
    try:
        return Quantity.of(value)
    except DiagnosticError:
        return None


def count(value: Json) -> int:
    """Return a positive number; 0 for nothing, and for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
