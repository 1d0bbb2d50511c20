"""The differences between releases: each row admits the one release and refuses the other."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.vm import check_vm
from renderer.model.kube.json import Json, JsonObject
from renderer.model.release import Release
from tests.unit.kubevirt.admission.valid_vm import causes, changed, cluster, kind_refusals, refusals

EFI: JsonObject = {"bootloader": {"efi": {"secureBoot": False}}}
#: The change of a valid VM, the release that admits it and the one that refuses it.
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
    ({"domain.devices.gpus": [{"name": "g", "deviceName": "d", "claimName": ""}]}, "1.9", "1.8"),
    ({"resourceClaims": [{"name": "c"}, {"name": "c"}]}, "1.5", "1.6"),
    ({"domain.rebootPolicy": "Reboot"}, "1.9", "1.8"),
    ({"domain.machine.type": "a-q35"}, "1.5", "1.6"),
    ({"domain.memory": {"guest": "2Gi", "maxGuest": "1Gi"}}, "1.5", "1.6"),
    ({"architecture": "s390x", "domain.machine": None, "domain.launchSecurity": {}}, "1.9", "1.8"),
    ({"architecture": "s390x", "domain.machine": None}, "1.8", "1.7"),
    ({"domain.launchSecurity": {"sev": {}}, "domain.firmware": EFI}, "1.9", "1.8"),
    ({"/runStrategy": "WaitAsReceiver"}, "1.10", "1.9"),
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


def test_silent_ram_framebuffers_count_since_1_10() -> None:
    changes: JsonObject = {"domain.devices.gpus": [SILENT_FRAMEBUFFER, SILENT_FRAMEBUFFER]}

    assert refusals(changes) == []
    assert refusals(changes, cluster(release=Release.parse("1.10"))) == [
        ("FieldValueInvalid", "spec.template.spec.GPUs")
    ]


SCSI_DISK: Json = [{"name": "root", "disk": {"bus": "scsi"}, "dedicatedIOThread": True}]
GPUS: Json = [{"name": "a", "deviceName": "d"}, {"name": "b", "claimName": "c", "requestName": "r"}]
LIVE = {"vm_rollout_strategy": "LiveUpdate"}
GATES = ("VMLiveUpdateFeatures", "GPUsWithDRA", "Passt")


def hot_plug(guest: str, architecture: str = "amd64") -> JsonObject:
    changes: JsonObject = {"architecture": architecture, "domain.memory": {"guest": guest, "maxGuest": "4Gi"}}
    return changes if architecture == "amd64" else {**changes, "domain.machine": None}


@pytest.mark.parametrize(
    ("changes", "admits", "refuses"),
    [
        ({"/instancetype": {"name": "u1.small"}}, "1.2.1", "1.2.0"),
        ({"domain.resources": {"requests": {"cpu": "1"}}}, "1.2.2", "1.2.1"),
        ({**hot_plug("2Gi"), "domain.resources": {"limits": {"memory": "2Gi"}}}, "1.2.1", "1.2.0"),
        ({"domain.resources": {"limits": {"memory": "512Mi"}}}, "1.2.1", "1.2.0"),
        ({"domain.devices.disks": SCSI_DISK}, "1.2.0", "1.2.1"),
        (hot_plug("512Mi"), "1.3.0", "1.3.1"),
        (hot_plug("2Gi", "arm64"), "1.5.2", "1.5.3"),
        (hot_plug("2Gi", "arm64"), "1.6.0", "1.6.1"),
        ({"domain.devices.tpm": {"enabled": False, "persistent": True}}, "1.4.1", "1.4.0"),
        ({"domain.devices.tpm": {"enabled": False, "persistent": True}}, "1.5.1", "1.5.0"),
        ({"domain.firmware.serial": "a b"}, "1.5.3", "1.5.2"),
        ({"domain.firmware.serial": "a b"}, "1.6.0", "1.5.2"),
        ({"domain.memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}}}, "1.6.4", "1.6.3"),
        ({"domain.cpu": {"dedicatedCpuPlacement": True, "cores": 1}}, "1.6.4", "1.6.3"),
        ({"domain.devices.gpus": GPUS, "resourceClaims": [{"name": "c"}]}, "1.8.2", "1.8.3"),
    ],
)
def test_only_one_of_two_patch_releases_refuses(changes: JsonObject, admits: str, refuses: str) -> None:
    def refused(release: str) -> list[tuple[str, str]]:
        of = cluster(*GATES, release=Release.parse(release), default_architecture="arm64", **LIVE)
        amd64 = cluster(*GATES, release=Release.parse(release), **LIVE)
        return refusals(changes, of if changes.get("architecture") == "arm64" else amd64)

    assert refused(admits) == []
    assert refused(refuses) != []


def test_a_general_list_of_emulated_machines_counts_since_1_2_1() -> None:
    def refused(release: str) -> bool:
        of = cluster(release=Release.parse(release), emulated_machines=("pc*",))
        return refusals({"domain.machine.type": "q35"}, of) != []

    assert (refused("1.2.0"), refused("1.2.1")) == (False, True)


def test_discontinued_bindings_are_refused_by_their_gate_since_1_4_1() -> None:
    interface: JsonObject = {"name": "default", "passt": {}}

    def fields(release: str) -> list[str]:
        of = cluster("Passt", release=Release.parse(release))
        return [field for _, field in refusals({"domain.devices.interfaces": [interface]}, of)]

    assert fields("1.4.0") == []
    assert fields("1.4.1") == [""]


def test_templates_for_another_namespace_are_refused_since_1_0_1() -> None:
    template: JsonObject = {"metadata": {"name": "d", "namespace": "other"}, "spec": {"storage": {}}}
    spec = changed(
        {
            "/dataVolumeTemplates": [template],
            "volumes": [{"name": "root", "dataVolume": {"name": "d"}}],
        }
    )

    assert check_vm(spec, cluster(release=Release.parse("1.0.0")), "prod") == ()
    (cause,) = check_vm(spec, cluster(release=Release.parse("1.0.1")), "prod")
    assert cause.field == "spec.dataVolumeTemplates[0]"


def test_a_clone_of_itself_is_refused_since_1_1_1() -> None:
    machine: JsonObject = {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "a"}
    clone: JsonObject = {"spec": {"source": machine, "target": machine}}

    def refused(release: str) -> list[tuple[str, str]]:
        return kind_refusals(
            "VirtualMachineClone", clone, cluster("Snapshot", release=Release.parse(release))
        )

    assert refused("1.1.0") == []
    assert refused("1.1.1") == [("FieldValueInvalid", "spec.target.name")]


def test_the_message_says_which_patch_of_a_minor_refuses() -> None:
    changes: JsonObject = {"domain.devices.disks": SCSI_DISK}

    def messages(release: str) -> list[str]:
        return [cause.message for cause in causes(changes, cluster(release=Release.parse(release)))]

    (message,) = messages("1.2.1")
    assert messages("1.2") == [f"{message} (KubeVirt 1.2.2)"]
    assert messages("1.3") == [message]


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
def test_rollout_strategy_is_checked_by_release(
    release: str,
    gates: tuple[str, ...],
    strategy: str,
    updates: bool,  # noqa: FBT001 - what the row expects
) -> None:
    of = cluster(*gates, release=Release.parse(release), vm_rollout_strategy=strategy)

    assert of.updates_live is updates
