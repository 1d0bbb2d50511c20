"""Preferences for CPU features, features, firmware, machine and clock, and those outside the domain."""

from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.applied_specs import ApplyError, FieldOwner
from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.model.codes import Code
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import LATEST, Release


def _domain(preference: JsonObject, domain: JsonObject, release: Release = LATEST) -> JsonObject:
    template: JsonObject = {"spec": {"domain": domain}}
    applied = apply_to_template(None, preference, template, behaviour_of(release))
    return object_at(applied.template, "spec", "domain")


def test_cpu_features_are_added_by_name() -> None:
    preference: JsonObject = {
        "cpu": {"preferredCPUFeatures": [{"name": "vmx", "policy": "require"}, {"name": "x"}]}
    }
    domain: JsonObject = {"cpu": {"cores": 2, "features": [{"name": "vmx", "policy": "disable"}]}}
    assert _domain(preference, domain)["cpu"] == {
        "cores": 2,
        "features": [{"name": "vmx", "policy": "disable"}, {"name": "x"}],
    }
    assert _domain(preference, {"cpu": {}})["cpu"] == {
        "features": [{"name": "vmx", "policy": "require"}, {"name": "x"}]
    }


def test_cpu_features_without_a_cpu_are_an_error() -> None:
    preference: JsonObject = {"cpu": {"preferredCPUFeatures": [{"name": "vmx"}]}}
    with pytest.raises(ApplyError) as error:
        _domain(preference, {})
    (diagnostic,) = error.value.diagnostics
    assert (diagnostic.code, error.value.owner) == (Code.APPLY_FAILED, FieldOwner.PREFERENCE)
    sizes: JsonObject = {"cpu": {"guest": 1}, "memory": {"guest": "1Gi"}}
    applied = apply_to_template(sizes, preference, {"spec": {"domain": {}}}, behaviour_of(LATEST))
    assert object_at(applied.template, "spec", "domain", "cpu")["features"] == [{"name": "vmx"}]


@pytest.mark.parametrize(
    ("preferred", "features", "result"),
    [
        ({}, None, {"acpi": {}}),
        ({}, {}, {}),
        ({"preferredSmm": {}}, None, {"acpi": {}, "smm": {}}),
        ({"preferredSmm": {}}, {"smm": {"enabled": False}}, {"smm": {"enabled": False}}),
        ({"preferredAcpi": {"enabled": False}}, {"acpi": {"enabled": True}}, {"acpi": {"enabled": False}}),
        (
            {"preferredApic": {}, "preferredKvm": {"hidden": True}, "preferredPvspinlock": {}},
            {"apic": {"endOfInterrupt": True}},
            {"apic": {"endOfInterrupt": True}, "kvm": {"hidden": True}, "pvspinlock": {}},
        ),
        ({"preferredHyperv": {}}, {}, {"hyperv": {}}),
        (
            {"preferredHyperv": {"relaxed": {}, "vapic": {}, "spinlocks": {"spinlocks": 8191}}},
            {"hyperv": {"relaxed": {"enabled": False}, "reset": {}}},
            {
                "hyperv": {
                    "relaxed": {"enabled": False},
                    "reset": {},
                    "vapic": {},
                    "spinlocks": {"spinlocks": 8191},
                }
            },
        ),
    ],
)
def test_preferred_features_are_applied(preferred: JsonObject, features: Json, result: JsonObject) -> None:
    assert _domain({"features": preferred}, {"features": features})["features"] == result


_BIOS: JsonObject = {"bios": {}}
_EFI: JsonObject = {"efi": {}}


@pytest.mark.parametrize(
    ("preferred", "bootloader", "result"),
    [
        ({}, None, {}),
        ({"preferredUseBios": True}, None, _BIOS),
        ({"preferredUseBios": False}, None, {}),
        ({"preferredUseBios": True}, _EFI, _EFI),
        ({"preferredUseBios": True, "preferredUseBiosSerial": False}, {}, {"bios": {"useSerial": False}}),
        ({"preferredUseBiosSerial": True}, None, {}),
        ({"preferredUseBiosSerial": True}, {"bios": {"useSerial": False}}, {"bios": {"useSerial": False}}),
        ({"preferredUseEfi": True}, None, _EFI),
        ({"preferredUseEfi": True, "preferredUseSecureBoot": True}, None, {"efi": {"secureBoot": True}}),
        ({"preferredUseEfi": True}, _BIOS, _BIOS),
        ({"preferredUseBios": True, "preferredUseEfi": True}, None, _BIOS),
        ({"preferredUseBios": True, "preferredEfi": {}}, None, _BIOS),
        ({"preferredEfi": {"persistent": True}}, None, {"efi": {"persistent": True}}),
        ({"preferredEfi": {}, "preferredUseSecureBoot": True}, None, _EFI),
        ({"preferredEfi": {}, "preferredUseSecureBoot": True}, _EFI, {"efi": {"secureBoot": True}}),
        ({"preferredUseSecureBoot": True}, {"efi": {"secureBoot": False}}, {"efi": {"secureBoot": False}}),
    ],
)
def test_preferred_firmware_is_applied(preferred: JsonObject, bootloader: Json, result: JsonObject) -> None:
    domain: JsonObject = {"firmware": {"serial": "s", "bootloader": bootloader}}
    firmware = _domain({"firmware": preferred}, domain)["firmware"]
    assert firmware == {"serial": "s", "bootloader": result}


def test_any_firmware_section_creates_a_boot_loader() -> None:
    assert _domain({"firmware": {}}, {}) == {"firmware": {"bootloader": {}}}
    assert _domain({"firmware": None}, {}) == {}


@pytest.mark.parametrize(
    ("preferred", "machine", "result"),
    [
        ({"preferredMachineType": "q35"}, None, {"type": "q35"}),
        ({"preferredMachineType": "q35"}, {"type": ""}, {"type": "q35"}),
        ({"preferredMachineType": "q35"}, {"type": "pc"}, {"type": "pc"}),
        ({"preferredMachineType": ""}, {"type": ""}, {"type": ""}),
        ({"preferredMachineType": ""}, None, None),
    ],
)
def test_preferred_machine_type_is_applied(preferred: JsonObject, machine: Json, result: Json) -> None:
    assert _domain({"machine": preferred}, {"machine": machine})["machine"] == result


def test_a_machine_section_without_a_type_left_an_empty_one_up_to_1_4() -> None:
    assert _domain({"machine": {}}, {}, Release.parse("1.4")) == {"machine": {"type": ""}}
    assert _domain({"machine": {}}, {}, Release.parse("1.5")) == {}
    assert _domain({"machine": {}}, {"machine": {}}, Release.parse("1.4")) == {"machine": {}}
    assert _domain({"machine": {"preferredMachineType": "q35"}}, {}, Release.parse("1.4")) == {
        "machine": {"type": "q35"}
    }


@pytest.mark.parametrize(
    ("preferred", "clock", "result"),
    [
        ({}, None, {}),
        ({"preferredClockOffset": {"utc": {}}}, None, {"utc": {}}),
        ({"preferredClockOffset": {"timezone": "Europe/Berlin"}}, {"utc": {}}, {"utc": {}}),
        ({"preferredClockOffset": {"utc": {}}}, {"timezone": ""}, {"timezone": ""}),
        (
            {"preferredClockOffset": {"utc": {}}, "preferredTimer": {"hpet": {"present": False}}},
            {"timer": {"rtc": {}}},
            {"timer": {"rtc": {}}, "utc": {}},
        ),
        ({"preferredTimer": {"hpet": {}}}, {"utc": {}}, {"utc": {}, "timer": {"hpet": {}}}),
    ],
)
def test_preferred_clock_is_applied(preferred: JsonObject, clock: Json, result: JsonObject) -> None:
    assert _domain({"clock": preferred}, {"clock": clock})["clock"] == result


@pytest.mark.parametrize(
    ("name", "field", "value", "users"),
    [
        ("preferredSubdomain", "subdomain", "db", "web"),
        ("preferredTerminationGracePeriodSeconds", "terminationGracePeriodSeconds", 180, 0),
        ("preferredArchitecture", "architecture", "arm64", "amd64"),
    ],
)
def test_fields_outside_the_domain_are_applied(name: str, field: str, value: Json, users: Json) -> None:
    behaviour = behaviour_of(LATEST)
    for template, expected in (
        ({}, value),
        ({"spec": {field: None}}, value),
        ({"spec": {field: users}}, users),
    ):
        applied = apply_to_template(None, {name: value}, template, behaviour)
        assert object_at(applied.template, "spec")[field] == expected
    assert apply_to_template(None, {name: None}, {}, behaviour).template == {}


def test_preferred_launch_security_is_applied() -> None:
    preference: JsonObject = {"preferredLaunchSecurity": {"sev": {}}}
    assert _domain(preference, {}) == {"launchSecurity": {"sev": {}}}
    assert _domain(preference, {"launchSecurity": {}}) == {"launchSecurity": {}}


def test_annotations_of_the_vm_are_kept() -> None:
    preference: JsonObject = {"annotations": {"a": "preferred", "b": "preferred"}}
    template: JsonObject = {"metadata": {"annotations": {"a": "mine"}}}
    applied = apply_to_template(None, preference, template, behaviour_of(LATEST))
    assert applied.template == {"metadata": {"annotations": {"a": "mine", "b": "preferred"}}}
