"""Live updates of CPU and memory: refused values, and admitted ones next to them."""

from __future__ import annotations

import pytest

from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release
from tests.unit.kubevirt.admission.valid_vm import TEMPLATE, cluster, refusals

INVALID = "FieldValueInvalid"
DOMAIN = f"{TEMPLATE}.domain"
GUEST = (INVALID, f"{DOMAIN}.memory.guest")
FEATURES = (INVALID, "spec.liveUpdateFeatures")
ROOM: JsonObject = {"domain.memory": {"guest": "2Gi", "maxGuest": "4Gi"}}


def live(release: str, *gates: str) -> Cluster:
    return cluster(
        "VMLiveUpdateFeatures", *gates, release=Release.parse(release), vm_rollout_strategy="LiveUpdate"
    )


def with_features(**features: Json) -> JsonObject:
    return {"/liveUpdateFeatures": features}


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.6", "1.9"])
def test_memory_with_room_is_admitted(release: str) -> None:
    assert refusals(ROOM, live(release)) == []


@pytest.mark.parametrize("release", ["1.3", "1.6"])
@pytest.mark.parametrize(
    "change",
    [
        {"domain.launchSecurity": {"sev": {}}},
        {"domain.cpu.realtime": {}},
        {"domain.cpu.numa": {"guestMappingPassthrough": {}}},
    ],
    ids=["launch security", "realtime", "numa"],
)
def test_memory_hotplug_is_refused_for_some_machines(release: str, change: JsonObject) -> None:
    of = live(release, "WorkloadEncryptionSEV", "NUMA")

    assert GUEST in refusals({**ROOM, **change}, of)
    assert GUEST not in refusals(change, of)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"domain.launchSecurity": {"sev": {}}}, "launchSecurity"),
        ({"domain.cpu.realtime": {}}, "cpu.realtime"),
        ({"domain.cpu.numa": {"guestMappingPassthrough": {}}}, "cpu.numa.guestMappingPassthrough"),
        ({"domain.cpu.dedicatedCpuPlacement": True}, "cpu.dedicatedCpuPlacement"),
        ({"domain.memory.hugepages": {"pageSize": "2Mi"}}, "memory.hugepages"),
    ],
)
def test_kubevirt_1_2_names_the_field_that_excludes_plugging_memory(change: JsonObject, field: str) -> None:
    of = live("1.2", "WorkloadEncryptionSEV", "NUMA")
    refused = (INVALID, f"{DOMAIN}.{field}")

    assert refusals({**ROOM, **change}, of).count(refused) == refusals(change, of).count(refused) + 1


@pytest.mark.parametrize("release", ["1.2", "1.3", "1.9"])
@pytest.mark.parametrize(("guest", "is_refused"), [("2Gi", False), ("4Gi", False), ("4098Mi", True)])
def test_guest_memory_may_not_exceed_the_maximum(release: str, guest: str, *, is_refused: bool) -> None:
    found = refusals({"domain.memory": {"guest": guest, "maxGuest": "4Gi"}}, live(release))

    assert found == ([GUEST] if is_refused else [])


@pytest.mark.parametrize("release", ["1.0", "1.1"])
@pytest.mark.parametrize("resources", [{"requests": {"cpu": "1"}}, {"limits": {"cpu": "2"}}])
def test_cpu_hotplug_is_refused_with_requests_or_limits(release: str, resources: JsonObject) -> None:
    with_cpu = with_features(cpu={"maxSockets": 4})

    assert refusals(with_cpu, live(release)) == []
    assert refusals({**with_cpu, "domain.resources": resources}, live(release)) == [FEATURES]
    assert refusals({"domain.resources": resources}, live(release)) == []


@pytest.mark.parametrize(("most", "is_refused"), [(1, True), (2, False), (3, False)])
def test_sockets_may_not_exceed_the_maximum(most: int, *, is_refused: bool) -> None:
    found = refusals(with_features(cpu={"maxSockets": most}), live("1.1"))

    assert found == ([FEATURES] if is_refused else [])
