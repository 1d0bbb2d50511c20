"""What decides in a cluster how changes of virtual machines are rolled out (KubeVirt ``pkg/virt-config``)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from renderer.diff.sizes import count, quantity
from renderer.model.json import EMPTY, JsonObject, array_at, object_at, text_at
from renderer.model.quantity import Quantity
from renderer.model.release import Release


class Gate(StrEnum):
    """Feature gates, each needed until the release in ``_NOT_NEEDED_SINCE``."""

    DECLARATIVE_HOTPLUG_VOLUMES = "DeclarativeHotplugVolumes"
    HOTPLUG_NICS = "HotplugNICs"
    LIVE_UPDATE_NAD_REF = "LiveUpdateNADRef"
    VM_LIVE_UPDATE_FEATURES = "VMLiveUpdateFeatures"
    VOLUME_MIGRATION = "VolumeMigration"
    VOLUMES_UPDATE_STRATEGY = "VolumesUpdateStrategy"


#: ``pkg/virt-config/featuregate/inactive.go``; of the first it is beta, which 1.9 has on unless switched off.
_NOT_NEEDED_SINCE = {
    Gate.DECLARATIVE_HOTPLUG_VOLUMES: Release(1, 9),
    Gate.HOTPLUG_NICS: Release(1, 4),
    Gate.LIVE_UPDATE_NAD_REF: Release(1, 9),
    Gate.VM_LIVE_UPDATE_FEATURES: Release(1, 5),
    Gate.VOLUME_MIGRATION: Release(1, 5),
    Gate.VOLUMES_UPDATE_STRATEGY: Release(1, 5),
}
_MAY_BE_SWITCHED_OFF = frozenset({Gate.DECLARATIVE_HOTPLUG_VOLUMES})

_ROLLOUT_STRATEGY = Release(1, 2)
_LIVE_UPDATE = "LiveUpdate"
_DEFAULT_RATIO = 4


class Cluster(NamedTuple):
    """The target release, and what the ``KubeVirt`` object says of the rest where the repository has it."""

    release: Release
    configuration: JsonObject = EMPTY

    @classmethod
    def of(cls, release: Release, kubevirt: JsonObject) -> Cluster:
        """From a ``KubeVirt`` object, an empty one where there is none."""
        return cls(release, object_at(kubevirt, "spec", "configuration"))

    def has_on(self, gate: Gate) -> bool:
        developer = object_at(self.configuration, "developerConfiguration")
        if self.release >= _NOT_NEEDED_SINCE[gate]:
            is_off = gate in array_at(developer, "disabledFeatureGates")
            return not (is_off and gate in _MAY_BE_SWITCHED_OFF)
        return gate in array_at(developer, "featureGates")

    @property
    def updates_live(self) -> bool:
        """``IsVMRolloutStrategyLiveUpdate``: before 1.5 it had to be chosen, with a feature gate."""
        if self.release < _ROLLOUT_STRATEGY:
            return False
        strategy = text_at(self.configuration, "vmRolloutStrategy")
        if self.release >= _NOT_NEEDED_SINCE[Gate.VM_LIVE_UPDATE_FEATURES]:
            return strategy in ("", _LIVE_UPDATE)
        return strategy == _LIVE_UPDATE and self.has_on(Gate.VM_LIVE_UPDATE_FEATURES)

    @property
    def max_hotplug_ratio(self) -> int:
        """How many times what a VM starts with can be plugged in."""
        return count(self._live_update.get("maxHotplugRatio")) or _DEFAULT_RATIO

    @property
    def max_cpu_sockets(self) -> int:
        """0 where the cluster sets none."""
        return count(self._live_update.get("maxCpuSockets"))

    @property
    def max_guest(self) -> Quantity | None:
        return quantity(self._live_update.get("maxGuest"))

    @property
    def _live_update(self) -> JsonObject:
        return object_at(self.configuration, "liveUpdateConfiguration")

    def architecture(self, instance: JsonObject) -> str:
        """That of a VM; the cluster's own where it says none."""
        own = text_at(instance, "architecture")
        return (
            own or text_at(self.configuration, "architectureConfiguration", "defaultArchitecture") or "amd64"
        )
