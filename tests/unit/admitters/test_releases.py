"""The differences between releases: each row admits the one release and refuses the other."""

from __future__ import annotations

import pytest

from renderer.model.json import Json, JsonObject
from renderer.model.release import Release
from tests.unit.admitters.admitting import cluster, refusals

EFI: JsonObject = {"bootloader": {"efi": {"secureBoot": False}}}
#: What is changed in a sound VM, the release that admits it and the one that refuses it.
ROWS: list[tuple[JsonObject, str, str]] = [
    (
        {
            "domain.devices.disks": [{"name": "root", "lun": {}}],
            "volumes": [{"name": "root", "dataVolume": {"name": "d"}}],
        },
        "1.1",
        "1.0",
    ),
    ({"domain.devices.interfaces": [{"name": "default"}]}, "1.8", "1.9"),
    (
        {"domain.devices.interfaces": [{"name": "default", "masquerade": {}, "ports": [{"port": 65536}]}]},
        "1.8",
        "1.9",
    ),
    ({"domain.devices.interfaces": [{"name": "default", "masquerade": {}, "model": "igb"}]}, "1.4", "1.3"),
    ({"domain.devices.interfaces": [{"name": "default", "bridge": {}, "state": "up"}]}, "1.5", "1.4"),
    (
        {"domain.devices.interfaces": [{"name": "default", "masquerade": {}, "macAddress": "020000000001"}]},
        "1.9",
        "1.8",
    ),
    ({"serviceAccountName": "-"}, "1.8", "1.9"),
    ({"domain.firmware.serial": "a b"}, "1.5", "1.4"),
    ({"domain.firmware.acpi": {}}, "1.4", "1.5"),
    ({"domain.devices.tpm": {"persistent": True}}, "1.6", "1.5"),
    ({"domain.devices.video": {"type": "vga"}}, "1.9", "1.8"),
    ({"domain.devices.panicDevices": [{}]}, "1.9", "1.8"),
    ({"domain.devices.gpus": [{"name": "g", "deviceName": "d"}]}, "1.4", "1.3"),
    ({"domain.devices.gpus": [{"name": "g"}]}, "1.5", "1.6"),
    ({"domain.rebootPolicy": "Reboot"}, "1.9", "1.8"),
    ({"domain.machine.type": "a-q35"}, "1.5", "1.6"),
    ({"domain.memory": {"guest": "2Gi", "maxGuest": "1Gi"}}, "1.5", "1.6"),
    ({"architecture": "s390x", "domain.machine": None, "domain.launchSecurity": {}}, "1.9", "1.8"),
    ({"architecture": "s390x", "domain.machine": None}, "1.8", "1.7"),
    ({"domain.launchSecurity": {"sev": {}}, "domain.firmware": EFI}, "1.9", "1.8"),
    ({"/runStrategy": "WaitAsReceiver"}, "1.9", "1.8"),
    (
        {
            "/dataVolumeTemplates": [{"metadata": {"name": "d"}, "spec": {"storage": {"dataSource": {}}}}],
            "volumes": [{"name": "root", "dataVolume": {"name": "d"}}],
        },
        "1.5",
        "1.4",
    ),
    (
        {
            "/dataVolumeTemplates": [{"metadata": {"name": "d"}}],
            "volumes": [{"name": "root", "dataVolume": {"name": "d"}}],
        },
        "1.3",
        "1.4",
    ),
    (
        {
            "domain.devices.filesystems": [{"name": "c"}],
            "volumes": [{"name": "c", "configMap": {"name": "c"}}, {"name": "root", "emptyDisk": {}}],
        },
        "1.8",
        "1.7",
    ),
    ({"domain.devices.disks": [{"name": "root"}, {"name": "empty", "cdrom": {}}]}, "1.9", "1.8"),
    (
        {
            "domain.devices.disks": [
                {
                    "name": "root",
                    "disk": {"bus": "sata"},
                    "blockSize": {"custom": {"logical": 4096, "physical": 4096}},
                }
            ]
        },
        "1.6",
        "1.7",
    ),
    (
        {
            "domain.cpu.numa": {"guestMappingPassthrough": {}},
            "domain.cpu.dedicatedCpuPlacement": True,
            "domain.memory.hugepages": {"pageSize": "2Mi"},
            "domain.resources": {"requests": {"memory": "2Gi"}},
        },
        "1.4",
        "1.3",
    ),
]


@pytest.mark.parametrize(("changes", "admits", "refuses"), ROWS)
def test_only_one_of_two_releases_refuses(changes: JsonObject, admits: str, refuses: str) -> None:
    assert refusals(changes, cluster(release=Release.parse(admits))) == []
    assert refusals(changes, cluster(release=Release.parse(refuses))) != []


SILENT_FRAMEBUFFER: Json = {"name": "g", "deviceName": "d", "virtualGPUOptions": {"display": {"ramFB": {}}}}


def test_gates_are_on_by_default_only_since_1_9() -> None:
    changes: JsonObject = {"domain.rebootPolicy": "Reboot"}

    assert refusals(changes, cluster("RebootPolicy", release=Release.parse("1.8"))) == []
    assert refusals(changes, cluster(release=Release.parse("1.8"))) != []


def test_silent_ram_framebuffers_count_since_1_9() -> None:
    changes: JsonObject = {"domain.devices.gpus": [SILENT_FRAMEBUFFER, SILENT_FRAMEBUFFER]}

    assert refusals(changes, cluster(release=Release.parse("1.8"))) == []
    assert refusals(changes) == [("FieldValueInvalid", "spec.template.spec.GPUs")]


@pytest.mark.parametrize(
    ("release", "gates", "strategy", "updates"),
    [
        ("1.4", (), "LiveUpdate", False),
        ("1.4", ("VMLiveUpdateFeatures",), "LiveUpdate", True),
        ("1.4", ("VMLiveUpdateFeatures",), "", False),
        ("1.5", (), "LiveUpdate", True),
        ("1.5", (), "", False),
        ("1.6", (), "", True),
        ("1.6", (), "Stage", False),
    ],
)
def test_when_changes_reach_running_vms(
    release: str,
    gates: tuple[str, ...],
    strategy: str,
    updates: bool,  # noqa: FBT001 - what the row expects
) -> None:
    of = cluster(*gates, release=Release.parse(release), vm_rollout_strategy=strategy)

    assert of.updates_live is updates
