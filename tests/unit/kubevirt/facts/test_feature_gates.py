"""Feature gates by release: their states, and which are on in a cluster."""

import pytest

from renderer.kubevirt.facts.cluster import ClusterConfig
from renderer.kubevirt.facts.feature_gates import (
    Gate,
    State,
    enabled_gates,
    is_enabled,
    is_on_by_default,
    state_of,
)
from renderer.model.release import Release


def is_on(gate: Gate, release: str, *listed: str, disabled: tuple[str, ...] = ()) -> bool:
    config = ClusterConfig(feature_gates=listed, disabled_feature_gates=disabled)
    return is_enabled(gate, Release.parse(release), config)


@pytest.mark.parametrize(
    ("gate", "release", "state"),
    [
        (Gate.PASST, "1.1", State.ALPHA),
        (Gate.PASST, "1.2", State.DEPRECATED),
        (Gate.PASST, "1.3", State.DISCONTINUED),
        (Gate.PASST_BINDING, "1.7", None),
        (Gate.PASST_BINDING, "1.8", State.BETA),
        (Gate.NON_ROOT_EXPERIMENTAL, "1.1", State.GA),
        (Gate.NON_ROOT_EXPERIMENTAL, "1.2", None),
        (Gate.AUTO_RESOURCE_LIMITS, "1.0.0", None),
        (Gate.AUTO_RESOURCE_LIMITS, "1.0.1", State.ALPHA),
        (Gate.ALIGN_CPUS, "1.1.0", None),
        (Gate.ALIGN_CPUS, "1.1", State.ALPHA),
        (Gate.DECENTRALIZED_LIVE_MIGRATION, "1.9", State.ALPHA),
        (Gate.DECENTRALIZED_LIVE_MIGRATION, "1.10", State.BETA),
        (Gate.LIBVIRT_HOOKS, "1.9.0", State.BETA),
        (Gate.VMI_MEMORY_OVERHEAD_REPORT, "1.9.0", State.BETA),
        (Gate.MIGRATION_DOWNTIME_TUNING, "1.9", None),
        (Gate.NUMA, "1.3", State.ALPHA),
        (Gate.NUMA, "1.4", State.GA),
    ],
)
def test_gate_states_follow_the_release(gate: Gate, release: str, state: State | None) -> None:
    assert state_of(gate, Release.parse(release)) is state


def test_future_release_behaves_like_the_newest() -> None:
    newest, coming = Release.parse("1.10"), Release.parse("1.12")

    assert [state_of(gate, coming) for gate in Gate] == [state_of(gate, newest) for gate in Gate]


def test_alpha_gates_must_be_listed() -> None:
    assert not is_on(Gate.NUMA, "1.3")
    assert is_on(Gate.NUMA, "1.3", "NUMA")


def test_beta_gates_must_be_listed_before_1_9_and_are_on_since() -> None:
    assert not is_on(Gate.IMAGE_VOLUME, "1.8")
    assert is_on(Gate.IMAGE_VOLUME, "1.8", "ImageVolume")
    assert is_on(Gate.IMAGE_VOLUME, "1.9")


def test_beta_gates_can_be_disabled() -> None:
    assert not is_on(Gate.IMAGE_VOLUME, "1.9", disabled=("ImageVolume",))
    assert is_on(Gate.IMAGE_VOLUME, "1.9", "ImageVolume", disabled=("ImageVolume",))


def test_ga_gates_are_always_on() -> None:
    assert is_on(Gate.NUMA, "1.4")
    assert is_on(Gate.NUMA, "1.9", disabled=("NUMA",))


def test_deprecated_gates_are_off_until_listed() -> None:
    assert not is_on(Gate.HOTPLUG_VOLUMES, "1.9")
    assert is_on(Gate.HOTPLUG_VOLUMES, "1.9", "HotplugVolumes")


def test_listed_gate_of_a_later_release_is_on_except_in_1_9() -> None:
    """KubeVirt looks for the name alone before 1.9."""
    assert is_on(Gate.PANIC_DEVICES, "1.0", "PanicDevices")
    assert not is_on(Gate.NON_ROOT_EXPERIMENTAL, "1.9", "NonRootExperimental")


def test_persistent_reservations_are_ga_and_off() -> None:
    release = Release.parse("1.9")

    assert state_of(Gate.PERSISTENT_RESERVATION, release) is State.GA
    assert not is_on_by_default(Gate.PERSISTENT_RESERVATION, release)
    assert is_on(Gate.PERSISTENT_RESERVATION, "1.9", "PersistentReservation")


def test_enabled_gates_are_listed_or_always_on() -> None:
    gates = enabled_gates(Release.parse("1.0"), ClusterConfig(feature_gates=("GPU", "NoSuchGate")))

    assert gates == {Gate.GPU, Gate.LIVE_MIGRATION, Gate.NON_ROOT, Gate.NON_ROOT_EXPERIMENTAL, Gate.PSA,
                     Gate.SRIOV_LIVE_MIGRATION}  # fmt: skip
