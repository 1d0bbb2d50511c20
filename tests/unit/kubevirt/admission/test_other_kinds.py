"""Objects other than virtual machines: each row is refused, and valid ones are admitted."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.kinds import CHECKS_OF_KINDS
from renderer.kubevirt.facts.admission_request import REVIEWED_KINDS
from renderer.kubevirt.facts.cluster import Cluster
from renderer.model.kube.json import Json, JsonObject, with_value
from renderer.model.release import Release
from tests.unit.kubevirt.admission.valid_vm import VALID, cluster, kind_refusals

INVALID, REQUIRED, NOT_FOUND = "FieldValueInvalid", "FieldValueRequired", "FieldValueNotFound"
NOT_SUPPORTED = "FieldValueNotSupported"
MACHINE: JsonObject = {"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "web"}
SOUND_OBJECTS: dict[str, JsonObject] = {
    "KubeVirt": {"spec": {"configuration": {}, "infra": {"replicas": 1}}},
    "MigrationPolicy": {"spec": {"completionTimeoutPerGiB": 1, "bandwidthPerMigration": "1Gi"}},
    "VirtualMachineClone": {"spec": {"source": MACHINE, "target": {**MACHINE, "name": "copy"}}},
    "VirtualMachineExport": {"spec": {"source": MACHINE}},
    "VirtualMachineInstanceMigration": {"spec": {"vmiName": "web"}},
    "VirtualMachineInstancePreset": {"spec": {"domain": {"devices": {}}}},
    "VirtualMachineInstanceReplicaSet": {
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": VALID["template"],
        }
    },
    "VirtualMachineRestore": {"spec": {"target": MACHINE, "virtualMachineSnapshotName": "s"}},
    "VirtualMachineSnapshot": {"spec": {"source": MACHINE}},
}
GATES = ("Snapshot", "VMExport")


def on(release: str, *gates: str) -> Cluster:
    return cluster(*GATES, *gates, release=Release.parse(release))


def refusals(kind: str, path: str, value: Json, release: str) -> list[tuple[str, str]]:
    return kind_refusals(kind, with_value(SOUND_OBJECTS[kind], path.split("/"), value), on(release))


def test_every_kind_has_its_checks() -> None:
    assert {*CHECKS_OF_KINDS} == REVIEWED_KINDS - {
        "VirtualMachine",
        "VirtualMachineInstance",
        "HyperConverged",
    }


@pytest.mark.parametrize("release", ["1.0", "1.3", "1.6", "1.9"])
@pytest.mark.parametrize("kind", SOUND_OBJECTS)
def test_valid_objects_are_admitted(kind: str, release: str) -> None:
    assert kind_refusals(kind, SOUND_OBJECTS[kind], on(release)) == []


ROWS: list[tuple[str, str, Json, list[tuple[str, str]]]] = [
    ("KubeVirt", "spec/infra/replicas", 0, [(INVALID, "")]),
    ("KubeVirt", "spec/infra/nodePlacement", {"nodeSelector": {"a b": ""}}, [(INVALID, "")]),
    ("KubeVirt", "spec/workloads/nodePlacement", {"tolerations": [{"value": "x"}]}, [(INVALID, "")]),
    ("KubeVirt", "spec/customizeComponents/patches", [{"patch": "[NaN]"}], [(NOT_SUPPORTED, "")]),
    (
        "KubeVirt",
        "spec/certificateRotateStrategy/selfSigned",
        {"caRotateInterval": "1h", "server": {"duration": "30m"}},
        [(NOT_SUPPORTED, "")],
    ),
    (
        "KubeVirt",
        "spec/certificateRotateStrategy/selfSigned",
        {"ca": {"duration": "1h", "renewBefore": "2h"}, "server": {"duration": "1h", "renewBefore": "61m"}},
        [(INVALID, ""), (INVALID, "")],
    ),
    (
        "KubeVirt",
        "spec/certificateRotateStrategy/selfSigned/server",
        {"duration": "169h", "renewBefore": "1d"},
        [(INVALID, "")],
    ),
    ("KubeVirt", "spec/certificateRotateStrategy/selfSigned/server/duration", "169h", [(INVALID, "")]),
    ("KubeVirt", "spec/configuration/additionalGuestMemoryOverheadRatio", "1,2", [(NOT_SUPPORTED, "")]),
    (
        "KubeVirt",
        "spec/configuration/tlsConfiguration",
        {"ciphers": ["TLS_AES_128_GCM_SHA256"]},
        [(NOT_SUPPORTED, "spec.configuration.tlsConfiguration.ciphers")],
    ),
    (
        "KubeVirt",
        "spec/configuration/tlsConfiguration",
        {"ciphers": ["AES"], "minTLSVersion": "VersionTLS11"},
        [(NOT_SUPPORTED, "spec.configuration.tlsConfiguration.ciphers#0")],
    ),
    (
        "KubeVirt",
        "spec/configuration/seccompConfiguration/virtualMachineInstanceProfile",
        {},
        [
            (
                INVALID,
                "spec.configuration.seccompConfiguration.virtualMachineInstanceProfile.customProfile",
            )
        ],
    ),
    (
        "MigrationPolicy",
        "spec/completionTimeoutPerGiB",
        -1,
        [(INVALID, "spec.completionTimeoutPerGiB")],
    ),
    ("MigrationPolicy", "spec/bandwidthPerMigration", "-1", [(INVALID, "spec.bandwidthPerMigration")]),
    (
        "VirtualMachineClone",
        "spec/source",
        {},
        [
            (INVALID, "spec.Source.Kind"),
            (INVALID, "spec.Source.APIGroup"),
            (INVALID, "spec.Source"),
            (INVALID, "spec.Source.Name"),
        ],
    ),
    ("VirtualMachineClone", "spec/target", MACHINE, [(INVALID, "spec.target.name")]),
    ("VirtualMachineClone", "spec/target/kind", "Pod", [(INVALID, "spec.Target.Kind")]),
    (
        "VirtualMachineClone",
        "spec/labelFilters",
        ["*", "!x*", "a!b", "*c", "!"],
        [(INVALID, "spec.labels")] * 3,
    ),
    ("VirtualMachineClone", "spec/newMacAddresses", {"eth0": "x"}, [(INVALID, "spec.newMacAddresses.eth0")]),
    ("VirtualMachineClone", "spec/patches", ["{"], [(INVALID, "spec.patches[0]")]),
    ("VirtualMachineExport", "spec/source/kind", "Pod", [(INVALID, "spec.source.kind")]),
    (
        "VirtualMachineExport",
        "spec/source",
        {"kind": "PersistentVolumeClaim"},
        [(INVALID, "spec.source.name")],
    ),
    ("VirtualMachineExport", "spec/source/apiGroup", "", [(INVALID, "spec.source.APIGroup")]),
    ("VirtualMachineInstanceMigration", "spec/vmiName", "", [(REQUIRED, "spec.vmiName")]),
    ("VirtualMachineInstancePreset", "spec/domain", None, [(REQUIRED, "spec.domain")]),
    (
        "VirtualMachineInstancePreset",
        "spec/domain/devices/disks",
        [{"name": "a", "disk": {"bus": "ide"}}],
        [(INVALID, "spec.domain.devices.disks[0].disk.bus")],
    ),
    (
        "VirtualMachineInstanceReplicaSet",
        "spec/template/spec/hostname",
        "Web",
        [(INVALID, "spec.template.spec.hostname")],
    ),
    ("VirtualMachineInstanceReplicaSet", "spec/selector/matchLabels/app", "db", [(INVALID, "spec.selector")]),
    ("VirtualMachineRestore", "spec/target/apiGroup", None, [(NOT_FOUND, "spec.target.apiGroup")]),
    ("VirtualMachineRestore", "spec/target/kind", "Pod", [(INVALID, "spec.target.kind")]),
    (
        "VirtualMachineRestore",
        "spec/patches",
        ['{"op": "remove", "path": "/status"}', '{"op": "add", "path": "/spec/x", "value": {"a": 1}}'],
        [(INVALID, "spec.patches")] * 2,
    ),
    (
        "VirtualMachineRestore",
        "spec/volumeRestoreOverrides",
        [{}],
        [
            (REQUIRED, "spec.volumeRestoreOverrides[0].volumeName"),
            (REQUIRED, "spec.volumeRestoreOverrides[0]"),
        ],
    ),
    ("VirtualMachineRestore", "spec/volumeRestorePolicy", "Never", [(INVALID, "spec.volumeRestorePolicy")]),
    ("VirtualMachineSnapshot", "spec/source/apiGroup", "apps", [(INVALID, "spec.source.apiGroup")]),
    ("VirtualMachineSnapshot", "spec/source/kind", "Pod", [(INVALID, "spec.source.kind")]),
]


@pytest.mark.parametrize("release", ["1.6", "1.9"])
@pytest.mark.parametrize(("kind", "path", "value", "expected"), ROWS)
def test_invalid_objects_are_refused(
    kind: str, path: str, value: Json, expected: list[tuple[str, str]], release: str
) -> None:
    assert refusals(kind, path, value, release) == expected


#: The kind, the object, a release that admits it and one that does not.
BY_RELEASE: list[tuple[str, str, Json, str, str]] = [
    ("KubeVirt", "spec/configuration/migrations", {"maxDowntimeMs": 100}, "1.8", "1.9"),
    ("KubeVirt", "spec/configuration/roleAggregationStrategy", "Manual", "1.7", "1.8"),
    ("KubeVirt", "spec/configuration/virtTemplateDeployment", {"enabled": True}, "1.7", "1.8"),
    (
        "KubeVirt",
        "spec/configuration/developerConfiguration",
        {"featureGates": ["VSOCK"], "disabledFeatureGates": ["VSOCK"]},
        "1.7",
        "1.8",
    ),
    ("VirtualMachineClone", "spec/patches", ["{"], "1.5", "1.6"),
    ("VirtualMachineClone", "spec/target", MACHINE, "1.0", "1.1"),
    ("VirtualMachineRestore", "spec/volumeRestorePolicy", "PrefixTargetName", "1.8", "1.7"),
    ("VirtualMachineRestore", "spec/volumeOwnershipPolicy", "Never", "1.6", "1.7"),
    ("VirtualMachineInstanceMigration", "spec/priority", "high", "1.6", "1.7"),
    ("VirtualMachineInstanceMigration", "spec/sendTo", {"migrationID": "a"}, "1.5", "1.6"),
    ("MigrationPolicy", "spec/maxDowntimeMs", 300, "1.8", "1.9"),
    (
        "VirtualMachineExport",
        "spec/source",
        {"kind": "VirtualMachineBackup", "apiGroup": "backup.kubevirt.io", "name": "b"},
        "1.8",
        "1.7",
    ),
]


@pytest.mark.parametrize(("kind", "path", "value", "admits", "refuses"), BY_RELEASE)
def test_only_one_of_two_releases_refuses(
    kind: str, path: str, value: Json, admits: str, refuses: str
) -> None:
    assert refusals(kind, path, value, admits) == []
    assert refusals(kind, path, value, refuses) != []


def test_snapshots_need_their_gate_before_1_9() -> None:
    snapshot = SOUND_OBJECTS["VirtualMachineSnapshot"]

    assert kind_refusals("VirtualMachineSnapshot", snapshot, cluster(release=Release.parse("1.8"))) == [
        (INVALID, "")
    ]
    assert kind_refusals("VirtualMachineSnapshot", snapshot, cluster()) == []


@pytest.mark.parametrize(
    ("factor", "value", "refused"),
    [
        ("ewmaAlpha", "0.4", False),
        ("ewmaAlpha", "0", True),
        ("ewmaAlpha", "1.1", True),
        ("precopyPossibleFactor", "0.9", True),
        ("precopyPossibleFactor", "3", False),
        ("completionTimeoutFactor", "1.0001", True),
        ("patienceWindowDecayFactor", "half", True),
        ("patienceWindowDecayFactor", "-0.5", True),
        ("patienceWindowDecayFactor", "1e-1", False),
    ],
)
@pytest.mark.parametrize("release", ["1.9", "1.10"])
def test_factors_of_the_stall_detector_are_checked(
    factor: str,
    value: str,
    refused: bool,  # noqa: FBT001 - the row's verdict
    release: str,
) -> None:
    policy: JsonObject = {"spec": {"experimental": {"stallDetector": {factor: value}}}}
    causes = kind_refusals("MigrationPolicy", policy, on(release, "MigrationStallDetection"))

    assert causes == [(INVALID, f"spec.experimental.stallDetector.{factor}")] * refused


def test_factors_are_quantities_since_1_10() -> None:
    policy: JsonObject = {"spec": {"experimental": {"stallDetector": {"ewmaAlpha": "400m"}}}}
    refused = [(INVALID, "spec.experimental.stallDetector.ewmaAlpha")]

    assert kind_refusals("MigrationPolicy", policy, on("1.9", "MigrationStallDetection")) == refused
    assert kind_refusals("MigrationPolicy", policy, on("1.10", "MigrationStallDetection")) == []
