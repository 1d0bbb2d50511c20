"""What expand-spec of KubeVirt 1.3 alone adds."""

from __future__ import annotations

import pytest

from renderer.instancetype.vmi_object_defaults import default_vmi_object
from renderer.model.json import Json, JsonObject, array_at, object_at


def defaulted(architecture: str = "amd64", **sections: Json) -> JsonObject:
    return default_vmi_object({"architecture": architecture, "domain": sections}, "")


def disks(*disks: JsonObject, architecture: str = "amd64") -> list[Json]:
    return list(
        array_at(defaulted(architecture, devices={"disks": list(disks)}), "domain", "devices", "disks")
    )


def hyperv(**features: Json) -> JsonObject:
    return object_at(defaulted(features={"hyperv": features}), "domain", "features", "hyperv")


@pytest.mark.parametrize(
    ("architecture", "bus"), [("amd64", "sata"), ("arm64", "virtio"), ("s390x", "virtio")]
)
def test_disks_get_the_bus_of_the_architecture(architecture: str, bus: str) -> None:
    assert disks({"name": "a"}, {"name": "b", "lun": {"bus": "scsi"}}, architecture=architecture) == [
        {"name": "a", "disk": {"bus": bus}},
        {"name": "b", "lun": {"bus": "scsi"}},
    ]


def test_cdroms_are_closed_and_read_only() -> None:
    assert disks({"name": "a", "cdrom": {}}, {"name": "b", "cdrom": {"readonly": False, "tray": "open"}}) == [
        {"name": "a", "cdrom": {"bus": "sata", "readonly": True, "tray": "closed"}},
        {"name": "b", "cdrom": {"bus": "sata", "readonly": False, "tray": "open"}},
    ]


def test_the_block_size_of_the_volume_is_matched() -> None:
    (disk,) = disks({"name": "a", "disk": {"bus": "virtio"}, "blockSize": {"matchVolume": {}}})

    assert object_at(disk, "blockSize") == {"matchVolume": {"enabled": True}}


def test_timers_are_present_and_features_enabled_unless_they_say_no() -> None:
    result = defaulted(
        clock={"timer": {"hpet": {"present": False}, "rtc": {"tickPolicy": "catchup"}}},
        features={"apic": {}, "smm": {"enabled": False}},
    )

    assert object_at(result, "domain", "clock", "timer") == {
        "hpet": {"present": False},
        "rtc": {"tickPolicy": "catchup", "present": True},
    }
    assert object_at(result, "domain", "features") == {
        "acpi": {"enabled": True},
        "apic": {"enabled": True},
        "smm": {"enabled": False},
    }


def test_no_features_get_none_but_s390x_has_no_acpi() -> None:
    assert "features" not in object_at(defaulted(), "domain")
    assert object_at(defaulted("s390x"), "domain", "features") == {"acpi": {"enabled": False}}


def test_hyperv_features_bring_what_they_need() -> None:
    assert hyperv(synictimer={}) == {
        "synictimer": {"enabled": True},
        "synic": {"enabled": True},
        "vpindex": {"enabled": True},
    }
    assert hyperv(ipi={}, vpindex={"enabled": False}) == {
        "ipi": {"enabled": True},
        "vpindex": {"enabled": False},
    }
    assert hyperv(spinlocks={})["spinlocks"] == {"enabled": True, "spinlocks": 4096}


def test_evmcs_needs_vmx() -> None:
    result = defaulted(
        cpu={"features": [{"name": "vmx", "policy": "disable"}]}, features={"hyperv": {"evmcs": {}}}
    )

    assert array_at(result, "domain", "cpu", "features") == [{"name": "vmx", "policy": "require"}]
    assert object_at(result, "domain", "features", "hyperv", "vapic") == {"enabled": True}


def test_the_cpu_model_is_the_hosts() -> None:
    assert object_at(defaulted(), "domain", "cpu") == {"model": "host-model"}
    assert object_at(defaulted("arm64"), "domain", "cpu") == {"model": "host-passthrough"}
    assert object_at(default_vmi_object({"domain": {}}, "Haswell"), "domain", "cpu") == {"model": "Haswell"}


def test_arm_boots_by_efi() -> None:
    assert object_at(defaulted("arm64"), "domain", "firmware") == {
        "bootloader": {"efi": {"secureBoot": False}}
    }
    kept = defaulted("arm64", firmware={"bootloader": {"bios": {}}})
    assert object_at(kept, "domain", "firmware") == {"bootloader": {"bios": {}}}


def test_watchdogs_gpus_and_probes() -> None:
    spec: JsonObject = {
        "readinessProbe": {"periodSeconds": 5, "failureThreshold": 0},
        "domain": {
            "devices": {
                "watchdog": {"name": "w"},
                "gpus": [{"name": "g", "virtualGPUOptions": {"display": {"ramFB": {}}}}],
            }
        },
    }
    result = default_vmi_object(spec, "")

    assert result["readinessProbe"] == {
        "periodSeconds": 5,
        "failureThreshold": 3,
        "timeoutSeconds": 1,
        "successThreshold": 1,
    }
    devices = object_at(result, "domain", "devices")
    assert devices["watchdog"] == {"name": "w", "i6300esb": {"action": "reset"}}
    assert devices["gpus"] == [{"name": "g", "virtualGPUOptions": {"display": {"ramFB": {"enabled": True}}}}]
