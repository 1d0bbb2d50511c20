"""The checks of a VirtualMachineInstance beyond a VirtualMachine's template."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.vmi import check_vmi
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.release import Release
from tests.unit.kubevirt.admission.valid_vm import changed, cluster

INVALID, NOT_SUPPORTED = "FieldValueInvalid", "FieldValueNotSupported"


def refusals(changes: JsonObject, release: str = "1.9") -> list[tuple[str, str]]:
    vmi = {"metadata": {"name": "web"}, "spec": object_at(changed(changes), "template", "spec")}
    return [
        (cause.type.value, cause.field) for cause in check_vmi(vmi, cluster(release=Release.parse(release)))
    ]


def test_valid_instance_is_admitted() -> None:
    assert refusals({}) == []


SECURE: JsonObject = {
    "domain.firmware": {"bootloader": {"efi": {"secureBoot": True}}},
    "domain.features": {"smm": {}},
}
VOLUMES: Json = [{"name": "root", "containerDisk": {"image": "i"}}, {"name": "b", "emptyDisk": {}}]
ROWS: list[tuple[JsonObject, str, str]] = [
    ({"volumes": VOLUMES}, INVALID, "spec.domain.volumes[1].name"),
    ({"domain.memory": {}}, "FieldValueRequired", ""),
    ({"architecture": "riscv64"}, INVALID, "spec.architecture"),
    ({"domain.devices.watchdog": {"diag288": {}}}, NOT_SUPPORTED, "spec.domain.devices.watchdog"),
    ({"domain.devices.video": {"type": "cga"}}, NOT_SUPPORTED, "spec.domain.devices.video.type"),
    (
        {"domain.features": {"hyperv": {"ipi": {"enabled": True}}}},
        INVALID,
        "spec.domain.features.hyperv.domain.features.hyperv.ipi",
    ),
    ({"domain.features": {"hyperv": {"evmcs": {}}}}, "FieldValueRequired", "spec.domain.cpu.features"),
    (
        {"domain.features": {"hyperv": {}, "hypervPassthrough": {}}},
        INVALID,
        "spec.domain.features.hyperv",
    ),
]


@pytest.mark.parametrize(("changes", "kind", "field"), ROWS)
def test_invalid_instance_is_refused(changes: JsonObject, kind: str, field: str) -> None:
    assert (kind, field) in refusals(changes)


ARM: JsonObject = {"architecture": "arm64", "domain.machine.type": "virt"}


def test_arm64_has_fewer_devices() -> None:
    changes: JsonObject = {
        **ARM,
        "domain.cpu.model": "Cortex",
        "domain.devices.sound": {"name": "s"},
        "domain.devices.watchdog": {"i6300esb": {}},
        "domain.devices.disks": [{"name": "root", "disk": {"bus": "sata"}}],
        "domain.firmware": {"bootloader": {"bios": {}}},
    }

    assert refusals(changes) == [
        (NOT_SUPPORTED, "spec.domain.firmware.bootloader.bios"),
        (NOT_SUPPORTED, "spec.domain.cpu.model"),
        (NOT_SUPPORTED, "spec.domain.devices.disks[0].disk.bus"),
        (NOT_SUPPORTED, "spec.domain.devices.watchdog"),
        (NOT_SUPPORTED, "spec.domain.devices.sound"),
    ]


def test_only_arm64_is_checked_before_1_5() -> None:
    watchdog: JsonObject = {"domain.devices.watchdog": {"diag288": {}}}

    assert refusals(watchdog, "1.4") == []
    assert refusals(watchdog, "1.5") == [(NOT_SUPPORTED, "spec.domain.devices.watchdog")]


def test_arm64_has_most_cpu_models_before_1_6() -> None:
    def models(model: str, release: str) -> list[tuple[str, str]]:
        return refusals({**ARM, "domain.cpu.model": model}, release)

    foreign = ("FieldValueRequired", "spec.architecture")
    assert models("Cortex", "1.5") == [foreign]
    assert models("host-model", "1.5") == [foreign, (NOT_SUPPORTED, "spec.domain.cpu.model")]
    assert models("Cortex", "1.6") == [foreign, (NOT_SUPPORTED, "spec.domain.cpu.model")]


@pytest.mark.parametrize(
    ("changes", "admits", "refuses"),
    [
        ({"domain.devices.watchdog": {"diag288": {}}}, "1.5.1", "1.5.2"),
        ({"architecture": "riscv64", "domain.machine": None}, "1.5.1", "1.5.2"),
        (
            {
                "architecture": "arm64",
                "domain.machine": None,
                "domain.cpu.model": "host-passthrough",
                **SECURE,
            },
            "1.8.3",
            "1.8.2",
        ),
    ],
)
def test_only_one_of_two_patch_releases_refuses(changes: JsonObject, admits: str, refuses: str) -> None:
    foreign = ("FieldValueRequired", "spec.architecture")
    assert [each for each in refusals(changes, admits) if each != foreign] == []
    assert [each for each in refusals(changes, refuses) if each != foreign] != []
