"""vCPUs of an instance type in a VM."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.applied_specs import ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import LATEST, Release


def _instancetype(cpu: JsonObject) -> JsonObject:
    return {"cpu": cpu, "memory": {"guest": "1Gi"}}


def _template(domain: JsonObject) -> JsonObject:
    return {"spec": {"domain": domain}}


def _cpu(guest: Json, preference: JsonObject | None, release: Release = LATEST) -> JsonObject:
    applied = apply_to_template(
        _instancetype({"guest": guest}), preference, _template({}), behaviour_of(release)
    )
    assert not applied.conflicts
    return object_at(applied.template, "spec", "domain", "cpu")


def _conflicts(instancetype: JsonObject, domain: JsonObject) -> list[str]:
    template = _template(domain)
    applied = apply_to_template(_instancetype(instancetype), None, template, behaviour_of(LATEST))
    assert applied.template is template
    return [conflict.path for conflict in applied.conflicts]


def _counts(sockets: int, cores: int, threads: int) -> JsonObject:
    counts = {"sockets": sockets, "cores": cores, "threads": threads}
    return {name: count for name, count in counts.items() if count}


@pytest.mark.parametrize(
    ("topology", "counts"),
    [
        (None, (8, 1, 1)),
        ("sockets", (8, 1, 1)),
        ("preferSockets", (8, 1, 1)),
        ("any", (8, 1, 1)),
        ("preferAny", (8, 1, 1)),
        ("cores", (1, 8, 1)),
        ("preferCores", (1, 8, 1)),
        ("threads", (1, 1, 8)),
        ("preferThreads", (1, 1, 8)),
        ("spread", (4, 2, 1)),
        ("preferSpread", (4, 2, 1)),
        ("diagonal", (1, 1, 1)),
        ("", (1, 1, 1)),
    ],
)
def test_preferred_topology_is_applied(topology: str | None, counts: tuple[int, int, int]) -> None:
    assert _cpu(8, {"cpu": {"preferredCPUTopology": topology}}) == _counts(*counts)


def test_sockets_without_a_preference() -> None:
    assert _cpu(8, None) == _counts(8, 1, 1)


@pytest.mark.parametrize(
    ("options", "ratio", "counts"),
    [
        ({}, 0, (6, 2, 1)),
        ({}, 3, (4, 3, 1)),
        ({"ratio": 4}, 3, (3, 4, 1)),
        ({"across": "SocketsCores"}, 0, (6, 2, 1)),
        ({"across": "CoresThreads"}, 0, (1, 6, 2)),
        ({"across": "CoresThreads", "ratio": 3}, 0, (1, 4, 3)),
        ({"across": "SocketsCoresThreads"}, 0, (3, 2, 2)),
        ({"across": "SocketsCoresThreads", "ratio": 3}, 0, (2, 3, 2)),
        ({"across": "Everything"}, 0, (1, 1, 1)),
        # What does not divide is dropped; admission refuses it.
        ({"ratio": 5}, 0, (2, 5, 1)),
        ({"ratio": 24}, 0, (0, 24, 1)),
    ],
)
def test_spread_topology_is_applied(options: JsonObject, ratio: int, counts: tuple[int, int, int]) -> None:
    cpu: JsonObject = {"preferredCPUTopology": "spread", "spreadOptions": options}
    assert _cpu(12, {"cpu": cpu, "preferSpreadSocketToCoreRatio": ratio}) == _counts(*counts)


@pytest.mark.parametrize("topology", ["sockets", "cores", "threads", "spread", "any"])
def test_one_vcpu_has_no_topology(topology: str) -> None:
    assert _cpu(1, {"cpu": {"preferredCPUTopology": topology}}) == _counts(1, 1, 1)


@pytest.mark.parametrize(
    ("release", "topology", "counts"),
    [
        ("1.0", "preferSpread", (1, 1, 1)),
        ("1.1", "preferSpread", (2, 2, 1)),
        ("1.0", "preferAny", (1, 1, 1)),
        ("1.1", "preferAny", (4, 1, 1)),
        ("1.3", "cores", (1, 1, 1)),
        ("1.4", "cores", (1, 4, 1)),
        ("1.3", "spread", (1, 1, 1)),
        ("1.4", "spread", (2, 2, 1)),
    ],
)
def test_topologies_unknown_to_a_release_mean_the_default(
    release: str, topology: str, counts: tuple[int, int, int]
) -> None:
    preference: JsonObject = {"cpu": {"preferredCPUTopology": topology}}
    assert _cpu(4, preference, Release.parse(release)) == _counts(*counts)


@pytest.mark.parametrize(("release", "counts"), [("1.2", (0, 2, 1)), ("1.3", (1, 1, 1))])
def test_one_vcpu_was_spread_before_1_3(release: str, counts: tuple[int, int, int]) -> None:
    preference: JsonObject = {"cpu": {"preferredCPUTopology": "preferSpread"}}
    assert _cpu(1, preference, Release.parse(release)) == _counts(*counts)


def test_a_ratio_of_0_is_an_error_at_the_preference() -> None:
    preference: JsonObject = {"cpu": {"preferredCPUTopology": "spread", "spreadOptions": {"ratio": 0}}}
    with pytest.raises(ApplyError) as error:
        _cpu(4, preference)
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, error.value.owner) == (Code.TOPOLOGY, FieldOwner.PREFERENCE)
    assert str(diagnostic.field) == "spec.cpu.spreadOptions.ratio"


def test_placeholder_is_copied_but_not_divided() -> None:
    assert _cpu("${VCPUS}", None) == {"sockets": "${VCPUS}", "cores": 1, "threads": 1}
    with pytest.raises(ApplyError) as error:
        _cpu("${VCPUS}", {"cpu": {"preferredCPUTopology": "spread"}})
    assert error.value.owner is FieldOwner.INSTANCETYPE


def test_everything_else_is_copied() -> None:
    cpu: JsonObject = {
        "guest": 2,
        "model": "host-model",
        "dedicatedCPUPlacement": True,
        "isolateEmulatorThread": False,
        "numa": {"guestMappingPassthrough": {}},
        "realtime": {"mask": "0-1"},
        "maxSockets": 4,
    }
    template = _template({"cpu": {"maxSockets": 1, "isolateEmulatorThread": True, "features": []}})
    applied = apply_to_template(
        _instancetype({**cpu, "isolateEmulatorThread": None}), None, template, behaviour_of(LATEST)
    )
    assert object_at(applied.template, "spec", "domain", "cpu") == {
        "sockets": 2,
        "cores": 1,
        "threads": 1,
        "model": "host-model",
        "dedicatedCpuPlacement": True,
        "isolateEmulatorThread": True,
        "numa": {"guestMappingPassthrough": {}},
        "realtime": {"mask": "0-1"},
        "maxSockets": 4,
        "features": [],
    }


def test_max_sockets_of_the_instance_type_replaces_the_vms_even_by_0() -> None:
    template = _template({"cpu": {"maxSockets": 8}})
    applied = apply_to_template(
        _instancetype({"guest": 1, "maxSockets": 0}), None, template, behaviour_of(LATEST)
    )
    assert "maxSockets" not in object_at(applied.template, "spec", "domain", "cpu")


def test_all_conflicts_are_reported_in_order() -> None:
    cpu: JsonObject = {
        "model": "host-model",
        "dedicatedCPUPlacement": False,
        "isolateEmulatorThread": False,
        "numa": {},
        "realtime": {},
    }
    domain: JsonObject = {
        "resources": {"requests": {"cpu": None}, "limits": {"cpu": 1}},
        "cpu": {
            "realtime": {},
            "numa": {},
            "isolateEmulatorThread": True,
            "dedicatedCpuPlacement": True,
            "model": "x",
            "threads": 1,
            "cores": 1,
            "sockets": 1,
        },
    }
    base = "spec.template.spec.domain"
    assert _conflicts(cpu, domain) == [
        f"{base}.resources.requests.cpu",
        f"{base}.resources.limits.cpu",
        f"{base}.cpu.sockets",
        f"{base}.cpu.cores",
        f"{base}.cpu.threads",
        f"{base}.cpu.model",
        f"{base}.cpu.dedicatedCPUPlacement",
        f"{base}.cpu.isolateEmulatorThread",
        f"{base}.cpu.numa",
        f"{base}.cpu.realtime",
    ]


@pytest.mark.parametrize(
    "cpu",
    [
        {"sockets": 0, "cores": None, "model": ""},
        {
            "dedicatedCpuPlacement": True,
            "isolateEmulatorThread": True,
            "model": "x",
            "numa": {},
            "realtime": {},
        },
        {"maxSockets": 2},
    ],
)
def test_unset_or_zero_fields_do_not_conflict(cpu: JsonObject) -> None:
    applied = apply_to_template(
        _instancetype({"guest": 1}), None, _template({"cpu": cpu}), behaviour_of(LATEST)
    )
    assert applied.conflicts == ()


def test_a_conflict_names_both_fields() -> None:
    template = _template({"cpu": {"dedicatedCpuPlacement": True}})
    instancetype = _instancetype({"guest": 1, "dedicatedCPUPlacement": True})
    (conflict,) = apply_to_template(instancetype, None, template, behaviour_of(LATEST)).conflicts
    assert conflict.path == "spec.template.spec.domain.cpu.dedicatedCPUPlacement"
    assert str(conflict.field) == "spec.template.spec.domain.cpu.dedicatedCpuPlacement"
    assert str(conflict.instancetype_field) == "spec.cpu.dedicatedCPUPlacement"
