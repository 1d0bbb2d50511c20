"""Memory of an instance type in a VM."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.applied_specs import ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.vmi import Applied, apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import LATEST, Release

_BASE = "spec.template.spec.domain"


def _apply(memory: JsonObject, domain: JsonObject, release: Release = LATEST) -> Applied:
    instancetype: JsonObject = {"cpu": {"guest": 1}, "memory": memory}
    return apply_to_template(instancetype, None, {"spec": {"domain": domain}}, behaviour_of(release))


def _domain(memory: JsonObject, domain: JsonObject | None = None) -> JsonObject:
    applied = _apply(memory, domain or {})
    assert not applied.conflicts
    return object_at(applied.template, "spec", "domain")


def _requested(guest: Json, percent: int) -> Json:
    domain = _domain({"guest": guest, "overcommitPercent": percent})
    return object_at(domain, "resources", "requests").get("memory")


@pytest.mark.parametrize(
    ("guest", "written"),
    [("8Gi", "8Gi"), ("8192Mi", "8Gi"), (1073741824, "1073741824"), (1.5, "1500m"), (None, "0")],
)
def test_guest_memory_is_written_like_the_api_server(guest: Json, written: str) -> None:
    assert _domain({"guest": guest})["memory"] == {"guest": written}


def test_huge_pages_and_maximum_are_copied() -> None:
    memory: JsonObject = {"guest": "1Gi", "maxGuest": "2048Mi", "hugepages": {"pageSize": "2Mi"}}
    expected = {"guest": "1Gi", "maxGuest": "2Gi", "hugepages": {"pageSize": "2Mi"}}
    assert _domain(memory)["memory"] == expected


def test_fields_set_only_by_the_vm_are_kept() -> None:
    domain: JsonObject = {"memory": {"hugepages": {"pageSize": "1Gi"}, "maxGuest": "64Gi"}}
    assert _domain({"guest": "1Gi"}, domain)["memory"] == {
        "hugepages": {"pageSize": "1Gi"},
        "maxGuest": "64Gi",
        "guest": "1Gi",
    }


@pytest.mark.parametrize(
    ("guest", "percent", "requested"),
    [
        ("32Gi", 50, "16Gi"),
        ("4Gi", 25, "3Gi"),
        ("1G", 50, "500M"),
        ("1e9", 50, "500e6"),
        ("1Gi", 100, "0"),
        # Exactly it would be 719407022.08, 669999999999.33, 15099495.3 and 1999999999.8.
        ("1Gi", 33, "719406976"),
        ("999999999999", 33, "669999955968"),
        ("16777217", 10, "15099494"),
        ("3333333333", 40, "2G"),
        # Just above the middle of two float32, which a double would take for the middle.
        ("4611686293305294849", 50, "2305843284091600896"),
        # Beyond int64, for which Go finds no suffix.
        ("3Pi", 2147483648, "-9223372036854775808"),
    ],
)
def test_overcommit_is_computed_in_32_bit_floats(guest: str, percent: int, requested: str) -> None:
    assert _requested(guest, percent) == requested


@pytest.mark.parametrize("percent", [0, -5, None, "50", 10**400])
def test_no_overcommit_adds_no_request(percent: Json) -> None:
    assert "resources" not in _domain({"guest": "1Gi", "overcommitPercent": percent})


def test_other_requests_are_kept() -> None:
    domain: JsonObject = {
        "resources": {"requests": {"example.com/fpga": 1}, "limits": {"example.com/fpga": 1}}
    }
    resources = _domain({"guest": "2Gi", "overcommitPercent": 50}, domain)["resources"]
    assert resources == {
        "requests": {"example.com/fpga": 1, "memory": "1Gi"},
        "limits": {"example.com/fpga": 1},
    }


@pytest.mark.parametrize(
    ("domain", "path"),
    [
        ({"memory": {"guest": "1Gi", "hugepages": {}}}, "memory.guest"),
        ({"memory": {"hugepages": {}, "maxGuest": "1Gi"}}, "memory.hugepages"),
        (
            {"memory": {"maxGuest": "1Gi"}, "resources": {"requests": {"memory": "1Gi"}}},
            "memory.maxGuest",
        ),
        (
            {"resources": {"limits": {"memory": "1Gi"}, "requests": {"memory": "1Gi"}}},
            "resources.requests.memory",
        ),
        ({"memory": {}, "resources": {"limits": {"memory": None}}}, "resources.limits.memory"),
    ],
)
def test_the_first_conflict_is_reported(domain: JsonObject, path: str) -> None:
    memory: JsonObject = {"guest": "1Gi", "maxGuest": "2Gi", "hugepages": {"pageSize": "2Mi"}}
    assert [conflict.path for conflict in _apply(memory, domain).conflicts] == [f"{_BASE}.{path}"]


@pytest.mark.parametrize("memory", [{}, {"maxGuest": "2Gi"}, {"hugepages": {"pageSize": "2Mi"}}])
def test_any_memory_section_conflicted_up_to_1_6(memory: JsonObject) -> None:
    before = _apply({"guest": "1Gi"}, {"memory": memory}, Release.parse("1.6")).conflicts
    assert [conflict.path for conflict in before] == [f"{_BASE}.memory"]
    assert not _apply({"guest": "1Gi"}, {"memory": memory}, Release.parse("1.7")).conflicts


def test_the_section_is_the_only_memory_conflict_up_to_1_6() -> None:
    domain: JsonObject = {"memory": {"guest": "1Gi"}, "resources": {"requests": {"memory": "1Gi"}}}
    (conflict,) = _apply({"guest": "1Gi"}, domain, Release.parse("1.6")).conflicts
    assert str(conflict.field) == f"{_BASE}.memory"


@pytest.mark.parametrize("field", ["guest", "maxGuest"])
def test_invalid_size_is_an_error_at_the_instance_type(field: str) -> None:
    with pytest.raises(ApplyError) as error:
        _apply({"guest": "1Gi", field: "8GB"}, {})
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, error.value.owner) == (Code.QUANTITY_INVALID, FieldOwner.INSTANCETYPE)
    assert str(diagnostic.field) == f"spec.memory.{field}"
    assert diagnostic.message == '"8GB" is not a quantity'


def test_placeholder_is_copied_but_not_overcommitted() -> None:
    assert _domain({"guest": "${MEMORY}", "maxGuest": "${MAX}Gi"})["memory"] == {
        "guest": "${MEMORY}",
        "maxGuest": "${MAX}Gi",
    }
    with pytest.raises(ApplyError):
        _apply({"guest": "${MEMORY}", "overcommitPercent": 10}, {})
