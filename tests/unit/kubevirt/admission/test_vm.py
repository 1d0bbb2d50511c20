"""Every check of a VirtualMachine: what it refuses, by the type and field that KubeVirt names."""

from __future__ import annotations

import pytest

from renderer.kubevirt.admission.vm import check_vm
from renderer.model.kube.json import Json, JsonObject
from tests.unit.kubevirt.admission.valid_vm import TEMPLATE, causes, changed, cluster, refusals

INVALID, REQUIRED = "FieldValueInvalid", "FieldValueRequired"
NOT_SUPPORTED, DUPLICATE = "FieldValueNotSupported", "FieldValueDuplicate"
DEVICES = f"{TEMPLATE}.domain.devices"
CPU, MEMORY = f"{TEMPLATE}.domain.cpu", f"{TEMPLATE}.domain.memory"
REQUESTS, LIMITS = f"{TEMPLATE}.domain.resources.requests", f"{TEMPLATE}.domain.resources.limits"
REPEATED_DISK = f"{DEVICES}.disks.domain.devices.disks[0]"
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_OF_NO_LABEL: JsonObject = {"matchExpressions": [{"key": "tier", "operator": "In", "values": ["a b"]}]}


def test_valid_vm_is_admitted() -> None:
    assert refusals({}) == []


def disk(**fields: Json) -> JsonObject:
    return {"domain.devices.disks": [{"name": "root", **fields}]}


def interface(**fields: Json) -> JsonObject:
    return {"domain.devices.interfaces": [{"name": "default", "masquerade": {}, **fields}]}


def volume(**source: Json) -> JsonObject:
    return {"volumes": [{"name": "root", **source}]}


REFUSED: list[tuple[JsonObject, str, str]] = [
    ({"hostname": "Web"}, INVALID, f"{TEMPLATE}.hostname"),
    ({"subdomain": "a_b"}, INVALID, f"{TEMPLATE}.subdomain"),
    ({"serviceAccountName": "-"}, INVALID, f"{TEMPLATE}.serviceAccountName"),
    ({"domain.resources": {"requests": {"memory": "-1"}}}, INVALID, f"{REQUESTS}.memory"),
    ({"domain.resources": {"requests": {"memory": "512"}}}, INVALID, f"{REQUESTS}.memory"),
    ({"domain.resources": {"limits": {"memory": "-1"}}}, INVALID, f"{LIMITS}.memory"),
    (
        {"domain.resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi"}}},
        INVALID,
        f"{REQUESTS}.memory",
    ),
    ({"domain.memory.hugepages": {"pageSize": "big"}}, INVALID, f"{MEMORY}.hugepages.pageSize"),
    ({"domain.memory": {"guest": "1Mi", "hugepages": {"pageSize": "2Mi"}}}, INVALID, f"{REQUESTS}.memory"),
    ({"domain.memory": {"guest": "3Mi", "hugepages": {"pageSize": "2Mi"}}}, INVALID, f"{REQUESTS}.memory"),
    ({"domain.memory.reservedOverhead": {}}, INVALID, f"{MEMORY}.reservedOverhead"),
    ({"domain.memory.maxGuest": "1Gi"}, INVALID, f"{MEMORY}.guest"),
    ({"domain.memory": {"guest": "1025Mi", "maxGuest": "2Gi"}}, INVALID, f"{MEMORY}.guest"),
    ({"domain.memory": {"guest": "512Mi", "maxGuest": "2Gi"}}, INVALID, f"{MEMORY}.guest"),
    ({"domain.machine.type": "pc-i440fx"}, INVALID, f"{TEMPLATE}.domain.machine.type"),
    ({"domain.firmware.acpi": {}}, INVALID, f"{TEMPLATE}.acpi"),
    ({"domain.firmware.acpi": {"slicNameRef": "none"}}, INVALID, f"{TEMPLATE}.acpi.slicNameRef"),
    ({"domain.firmware.acpi": {"msdmNameRef": "root"}}, INVALID, f"{TEMPLATE}.acpi.msdmNameRef"),
    ({"domain.firmware.bootloader": {"efi": {}}}, INVALID, f"{TEMPLATE}.domain"),
    (
        {"domain.firmware.bootloader": {"efi": {"secureBoot": False}, "bios": {}}},
        INVALID,
        f"{TEMPLATE}.domain.firmware.bootloader",
    ),
    (
        {"domain.firmware.kernelBoot": {"kernelArgs": "quiet"}},
        INVALID,
        f"{TEMPLATE}.domain.firmware.kernelBoot.kernelArgs",
    ),
    ({"domain.resources": {"requests": {"cpu": "-1"}}}, INVALID, f"{REQUESTS}.cpu"),
    ({"domain.resources": {"limits": {"cpu": "-1"}}}, INVALID, f"{LIMITS}.cpu"),
    ({"domain.resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}, INVALID, f"{REQUESTS}.cpu"),
    ({"domain.cpu.isolateEmulatorThread": True}, INVALID, f"{CPU}.isolateEmulatorThread"),
    (
        {"domain.cpu.features": [{"name": "vmx", "policy": "maybe"}]},
        NOT_SUPPORTED,
        f"{CPU}.features[0].policy",
    ),
    (
        {"domain.cpu": {"threads": 4, "dedicatedCpuPlacement": True}},
        INVALID,
        f"{CPU}.dedicatedCpuPlacement",
    ),
    (
        {"domain.cpu": {"threads": 3, "dedicatedCpuPlacement": True}},
        INVALID,
        f"{CPU}.dedicatedCpuPlacement",
    ),
    (
        {"domain.cpu.dedicatedCpuPlacement": True, "domain.resources": {"requests": {"cpu": "1500m"}}},
        INVALID,
        f"{REQUESTS}.cpu",
    ),
    (
        {
            "domain.cpu": {"cores": 1, "dedicatedCpuPlacement": True},
            "domain.resources": {"requests": {"memory": "1Gi"}, "limits": {"memory": "2Gi"}},
        },
        INVALID,
        f"{REQUESTS}.memory",
    ),
    (
        {
            "domain.cpu": {"cores": 1, "dedicatedCpuPlacement": True},
            "domain.resources": {"requests": {"cpu": "1"}, "limits": {"cpu": "2"}},
        },
        INVALID,
        f"{CPU}.dedicatedCpuPlacement",
    ),
    ({"startStrategy": "Later"}, INVALID, f"{TEMPLATE}.startStrategy"),
    ({"evictionStrategy": "Never"}, INVALID, f"{TEMPLATE}.evictionStrategy"),
    ({"readinessProbe": {}}, REQUIRED, f"{TEMPLATE}.readinessProbe"),
    ({"livenessProbe": {"exec": {}, "httpGet": {}}}, INVALID, f"{TEMPLATE}.livenessProbe"),
    ({"dnsPolicy": "Some"}, NOT_SUPPORTED, f"{TEMPLATE}.dnsPolicy"),
    ({"dnsPolicy": "None"}, REQUIRED, f"{TEMPLATE}.dnsConfig"),
    ({"dnsConfig": {"nameservers": ["dns"]}}, INVALID, "nameservers"),
    ({"dnsConfig": {"searches": ["A"]}}, INVALID, "searchDomains"),
    ({"dnsConfig": {"options": [{}]}}, INVALID, "options"),
    (
        {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {}}}},
        INVALID,
        f"{TEMPLATE}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
    ),
    (
        {"affinity": {"podAffinity": {_REQUIRED: [{"topologyKey": "zone", "labelSelector": _OF_NO_LABEL}]}}},
        INVALID,
        f"{TEMPLATE}.podAffinity.{_REQUIRED}[0].labelSelector.matchExpressions[0].values[0]",
    ),
    (
        {"topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "Wait"}]},
        INVALID,
        f"{TEMPLATE}.topologySpreadConstraints[0].whenUnsatisfiable",
    ),
    (interface(model="ne2000"), NOT_SUPPORTED, f"{DEVICES}.interfaces[0].model"),
    (interface(macAddress="02:00"), INVALID, f"{DEVICES}.interfaces[0].macAddress"),
    (interface(macAddress="02:00:00:00:00:00"), INVALID, f"{DEVICES}.interfaces[0].macAddress"),
    (interface(pciAddress="81:01.0"), INVALID, f"{DEVICES}.interfaces[0].pciAddress"),
    (interface(bridge={}), INVALID, f"{DEVICES}.interfaces[0]"),
    (interface(masquerade=None), INVALID, f"{DEVICES}.interfaces[0]"),
    (interface(state="asleep"), INVALID, f"{DEVICES}.interfaces[0].state"),
    (interface(bootOrder=0), INVALID, f"{TEMPLATE}[0].bootOrder"),
    (interface(ports=[{"port": 0}]), REQUIRED, f"{DEVICES}.interfaces[0].ports[0].port"),
    (interface(ports=[{"port": 65536}]), INVALID, f"{DEVICES}.interfaces[0].ports[0].port"),
    (interface(ports=[{"port": 80, "name": "a--b"}]), INVALID, f"{DEVICES}.interfaces[0].ports[0].name"),
    (
        interface(ports=[{"port": 80, "protocol": "SCTP"}]),
        INVALID,
        f"{DEVICES}.interfaces[0].ports[0].protocol",
    ),
    (interface(portRanges=[{}]), INVALID, f"{DEVICES}.interfaces[0].name"),
    (interface(dhcpOptions={"privateOptions": [{"option": 1}]}), INVALID, TEMPLATE),
    (
        interface(dhcpOptions={"ntpServers": ["::1"]}),
        INVALID,
        f"{DEVICES}.interfaces[0].dhcpOptions.ntpServers[0]",
    ),
    (interface(slirp={}), INVALID, "spec.domain.devices.interfaces[0].slirp"),
    (
        {"networks": [{"name": "default", "pod": {}, "multus": {"networkName": "n"}}]},
        REQUIRED,
        f"{TEMPLATE}.networks[0]",
    ),
    (disk(disk={"bus": "floppy"}), INVALID, f"{DEVICES}.disks[0].disk.bus"),
    (disk(cdrom={"bus": "virtio"}), INVALID, f"{DEVICES}.disks[0].cdrom.bus"),
    (disk(disk={"bus": "sata", "readonly": True}), INVALID, f"{DEVICES}.disks[0].disk.bus"),
    (disk(disk={"bus": "sata"}, dedicatedIOThread=True), NOT_SUPPORTED, REPEATED_DISK),
    (disk(lun={}), INVALID, f"{DEVICES}.disks[0].lun"),
    (disk(disk={}, bootOrder=0), INVALID, f"{DEVICES}.disks[0].bootOrder"),
    (disk(serial="a b"), INVALID, f"{DEVICES}.disks[0].serial"),
    (disk(cache="lazy"), INVALID, f"{DEVICES}.disks[0].cache"),
    (disk(io="aio"), NOT_SUPPORTED, f"{REPEATED_DISK}.io"),
    (disk(errorPolicy="panic"), INVALID, f"{DEVICES}.disks[0].errorPolicy"),
    (
        disk(blockSize={"custom": {"logical": 4096, "physical": 512}}),
        INVALID,
        f"{DEVICES}.disks[0].blockSize.custom.logical",
    ),
    (disk(blockSize={"custom": {}, "matchVolume": {}}), INVALID, f"{DEVICES}.disks[0].blockSize"),
    (volume(), INVALID, f"{TEMPLATE}.volumes[0]"),
    (volume(emptyDisk={}, ephemeral={}), INVALID, f"{TEMPLATE}.volumes[0]"),
    (volume(dataVolume={}), REQUIRED, f"{TEMPLATE}.volumes[0].name"),
    (volume(configMap={}), INVALID, f"{TEMPLATE}.volumes[0].configMap.name"),
    (volume(cloudInitNoCloud={}), INVALID, f"{TEMPLATE}.volumes[0].cloudInitNoCloud"),
    (volume(cloudInitNoCloud={"userData": "x" * 2049}), INVALID, f"{TEMPLATE}.volumes[0].cloudInitNoCloud"),
    (
        volume(cloudInitConfigDrive={"userDataBase64": "?"}),
        INVALID,
        f"{TEMPLATE}.volumes[0].cloudInitConfigDrive.userDataBase64",
    ),
    (volume(containerDisk={"path": "disk.img"}), INVALID, f"{TEMPLATE}.volumes[0].containerDisk"),
    ({"utilityVolumes": [{"name": "u"}]}, INVALID, f"{TEMPLATE}.utilityVolumes"),
    ({"domain.devices.inputs": [{"type": "mouse"}]}, INVALID, f"{DEVICES}.inputs[0].type"),
    ({"domain.devices.inputs": [{"type": "tablet", "bus": "ps2"}]}, INVALID, f"{DEVICES}.inputs[0].bus"),
    ({"domain.ioThreadsPolicy": "many"}, INVALID, f"{TEMPLATE}.domain.ioThreadsPolicy"),
    ({"domain.ioThreadsPolicy": "supplementalPool"}, INVALID, f"{TEMPLATE}.domain.ioThreads.count"),
    ({"domain.devices.hostDevices": [{"name": "h", "deviceName": "h"}]}, INVALID, f"{TEMPLATE}.HostDevices"),
    ({"domain.devices.gpus": [{"name": "g"}]}, REQUIRED, f"{DEVICES}.gpus"),
    ({"domain.devices.sound": {"name": "s", "model": "sb16"}}, INVALID, f"{TEMPLATE}.Sound"),
    ({"domain.devices.autoattachVSOCK": True}, INVALID, f"{DEVICES}.autoattachVSOCK"),
    ({"domain.devices.downwardMetrics": {}}, INVALID, f"{DEVICES}.downwardMetrics"),
    ({"domain.devices.panicDevices": [{"model": "alarm"}]}, INVALID, f"{DEVICES}.panicDevices[0].model"),
    ({"domain.launchSecurity": {"sev": {}}}, INVALID, f"{TEMPLATE}.launchSecurity"),
    ({"domain.launchSecurity": {}}, "FieldValueForbidden", f"{TEMPLATE}.launchSecurity"),
    ({"accessCredentials": [{}]}, INVALID, f"{TEMPLATE}.accessCredentials[0]"),
    ({"/runStrategy": "Sometimes"}, INVALID, "spec.runStrategy"),
    ({"/runStrategy": None}, INVALID, "spec.running"),
    ({"/running": True}, INVALID, "spec.running"),
    ({"/dataVolumeTemplates": [{}]}, REQUIRED, "spec.dataVolumeTemplate[0].name"),
    (
        {"/dataVolumeTemplates": [{"metadata": {"name": "d"}}]},
        INVALID,
        "spec.dataVolumeTemplate[0].PVC.Storage",
    ),
    (
        {
            "/dataVolumeTemplates": [
                {"metadata": {"name": "d"}, "spec": {"storage": {}, "source": {"blank": {}}}}
            ]
        },
        REQUIRED,
        "spec.dataVolumeTemplate[0]",
    ),
    (
        {"/template/metadata/labels": {"kubevirt.io/nodeName": "n"}},
        NOT_SUPPORTED,
        "spec.template.metadata.labels",
    ),
    (
        {"/template/metadata/annotations": {"hooks.kubevirt.io/hookSidecars": "[]"}},
        INVALID,
        "spec.template.metadata.annotations",
    ),
]


@pytest.mark.parametrize(("changes", "kind", "field"), REFUSED)
def test_invalid_vm_is_refused(changes: JsonObject, kind: str, field: str) -> None:
    assert refusals(changes) == [(kind, field)]


GATES: list[tuple[str, JsonObject]] = [
    ("DownwardMetrics", {"domain.devices.downwardMetrics": {}}),
    ("HostDevices", {"domain.devices.hostDevices": [{"name": "h", "deviceName": "h"}]}),
    ("HostDisk", volume(hostDisk={"path": "/a", "type": "DiskOrCreate"})),
    ("VSOCK", {"domain.devices.autoattachVSOCK": True}),
    ("ReservedOverheadMemlock", {"domain.memory.reservedOverhead": {}}),
    ("Sidecar", {"/template/metadata/annotations": {"hooks.kubevirt.io/hookSidecars": "[]"}}),
    ("ExperimentalIgnitionSupport", {"/template/metadata/annotations": {"kubevirt.io/ignitiondata": "{}"}}),
    ("PersistentReservation", {**disk(lun={"reservation": True}), **volume(dataVolume={"name": "d"})}),
    (
        "EnableVirtioFsStorageVolumes",
        {**volume(dataVolume={"name": "d"}), "domain.devices.filesystems": [{"name": "root"}]},
    ),
    ("PortRangesSpec", interface(portRanges=[{"protocol": "TCP", "start": 1, "end": 2}])),
]


@pytest.mark.parametrize(("gate", "changes"), GATES)
def test_gate_admits_otherwise_refused_vms(gate: str, changes: JsonObject) -> None:
    assert [gate in cause.message for cause in causes(changes)] == [True]
    assert refusals(changes, cluster(gate)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {
            "domain.memory": {"hugepages": {"pageSize": "2Mi"}},
            "domain.resources": {"requests": {"memory": "2Mi"}},
        },
        {
            "domain.cpu": {"cores": 2, "threads": 2, "dedicatedCpuPlacement": True},
            "domain.resources": {
                "requests": {"cpu": "4", "memory": "1Gi"},
                "limits": {"cpu": "4", "memory": "1Gi"},
            },
        },
    ],
)
def test_minimal_vm_is_admitted(changes: JsonObject) -> None:
    assert refusals(changes) == []


def test_a_gate_that_is_on_by_default_can_be_disabled() -> None:
    changes: JsonObject = {"domain.rebootPolicy": "Reboot"}

    assert refusals(changes) == []
    disabled = cluster(disabled_feature_gates=("RebootPolicy",))
    assert refusals(changes, disabled) == [(INVALID, f"{TEMPLATE}.domain.rebootPolicy")]


def test_all_causes_are_reported_in_kubevirts_order() -> None:
    changes: JsonObject = {
        "hostname": "Web",
        "domain.devices.disks": [{"name": "a", "bootOrder": 1}, {"name": "a", "bootOrder": 1}],
        "volumes": [],
    }

    assert refusals(changes) == [
        (INVALID, f"{TEMPLATE}.hostname"),
        (INVALID, f"{DEVICES}.disks[0].name"),
        (INVALID, f"{DEVICES}.disks[1].name"),
        (INVALID, f"{DEVICES}.disks[1].bootOrder"),
        (INVALID, f"{DEVICES}.disks[1].name"),
    ]


def test_a_discontinued_binding_ends_the_admission() -> None:
    assert refusals({**interface(slirp={}), "hostname": "Web"}) == [
        (INVALID, "spec.domain.devices.interfaces[0].slirp")
    ]


def test_field_is_located_where_the_user_wrote_it() -> None:
    found = {str(cause.at) for cause in causes({**disk(disk={"bus": "sata"}, dedicatedIOThread=True)})}

    assert found == {f"{DEVICES}.disks[0].dedicatedIOThread"}


def test_networks_and_interfaces_belong_together() -> None:
    changes: JsonObject = {"networks": [{"name": "other", "pod": {}}]}

    assert refusals(changes) == [
        (INVALID, f"{DEVICES}.interfaces[0].name"),
        (REQUIRED, f"{TEMPLATE}.networks[0].name"),
        (INVALID, f"{DEVICES}.interfaces[0].name"),
    ]


def test_one_pod_network_and_one_interface_for_each_network() -> None:
    networks: Json = [{"name": "default", "pod": {}}, {"name": "default", "pod": {}}]

    assert refusals({"networks": networks}) == [
        (DUPLICATE, f"{TEMPLATE}.interfaces"),
        (DUPLICATE, f"{TEMPLATE}.networks[1].name"),
    ]


def test_realtime_needs_dedicated_cpus_and_numa() -> None:
    assert refusals({"domain.cpu": {"realtime": {}}}) == [
        (REQUIRED, f"{CPU}.dedicatedCpuPlacement"),
        (REQUIRED, f"{CPU}.numa.guestMappingPassthrough"),
    ]


def test_too_many_sockets_are_reported_twice_like_kubevirt() -> None:
    assert refusals({"domain.cpu": {"sockets": 4, "maxSockets": 2}}) == [(INVALID, f"{CPU}.sockets")] * 2


def test_base64_is_measured_decoded() -> None:
    fits, does_not = "eHh4" * 682, "eHh4" * 683

    assert refusals(volume(cloudInitNoCloud={"userDataBase64": fits})) == []
    assert refusals(volume(cloudInitNoCloud={"userDataBase64": does_not})) == [
        (INVALID, f"{TEMPLATE}.volumes[0].cloudInitNoCloud")
    ]


def test_a_data_volume_stays_in_the_namespace_of_its_vm() -> None:
    template: Json = {
        "metadata": {"name": "d", "namespace": "golden"},
        "spec": {"storage": {}, "source": {"blank": {}}},
    }
    spec = changed({"/dataVolumeTemplates": [template], **volume(dataVolume={"name": "d"})})

    assert check_vm(spec, cluster(), "golden") == check_vm(spec, cluster()) == ()
    (cause,) = check_vm(spec, cluster(), "prod")
    assert (cause.type, cause.field) == (INVALID, "spec.dataVolumeTemplates[0]")


def test_emulated_machines_of_the_cluster_are_admitted() -> None:
    own = cluster(emulated_machines=("pc-?440*",))

    assert refusals({"domain.machine.type": "pc-i440fx"}, own) == []
    assert refusals({}, own) == [(INVALID, f"{TEMPLATE}.domain.machine.type")]
