"""Machines with one key get one verdict: each is checked alone here, and compared with its twins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import pytest

from renderer.kubevirt.admission.causes import Cause
from renderer.kubevirt.admission.check_table import Check, CheckTable
from renderer.kubevirt.admission.grace import _ANNOTATIONS
from renderer.kubevirt.admission.twins import twin_key
from renderer.kubevirt.admission.vm import check_vm
from renderer.kubevirt.facts.admission_request import AdmissionRequest
from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import Release
from tests.releases.__main__ import RELEASES, TABLES, name_of
from tests.unit.kubevirt.admission.test_live_update import ROOM
from tests.unit.kubevirt.admission.test_releases import ROWS
from tests.unit.kubevirt.admission.test_vm import GATES, REFUSED
from tests.unit.kubevirt.admission.valid_vm import changed, cluster

NAMESPACE = "prod"
#: The check tables of a VirtualMachine.
TABLES_OF_VM = (
    "VirtualMachine, first",
    "VirtualMachine, metadata",
    "VirtualMachine, template",
    "a disk and its volume",
    "a disk",
    "a volume",
    "networks",
    "a binding",
    "an interface",
    "dedicated CPUs",
    "VirtualMachine, last",
)


def templates(*, name: str = "root", claim: str = "root", namespace: Json = None, **spec: Json) -> JsonObject:
    metadata: JsonObject = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    return {
        "/dataVolumeTemplates": [{"metadata": metadata, "spec": {"source": {"blank": {}}, **spec}}],
        "volumes": [{"name": "root", "dataVolume": {"name": claim}}],
    }


def volume(**source: Json) -> JsonObject:
    return {"volumes": [{"name": "root", **source}]}


def address(mac: Json) -> JsonObject:
    return {"domain.devices.interfaces": [{"name": "default", "masquerade": {}, "macAddress": mac}]}


TEXTS = ("a", "b", "", "a" * 2048, "a" * 2049)
CLOUD_INIT: list[JsonObject] = [
    *({"userData": text} for text in TEXTS),
    *({"userData": "a", "networkData": text} for text in TEXTS),
    *({"secretRef": {"name": name}} for name in ("a", "b", "")),
    {"userData": "a", "networkDataSecretRef": {"name": "a"}},
    {"userData": "a", "networkDataSecretRef": {"name": "b"}},
    {"userData": "a", "networkDataSecretRef": {"name": ""}},
]
#: For each field that is a machine's own: values that checks tell apart, and values that they do not.
OWN: dict[str, list[JsonObject]] = {
    "hostname": [{"hostname": each} for each in ("a", "b", "", "Web", "a_b", "a.b", "a" * 63, "a" * 64)],
    "address": [
        address(each) for each in ("02:00:00:00:00:01", "02-00-00-00-00-02", "020000000001", "02:00", "", "x")
    ],
    "labels": [
        {"/template/metadata/labels": each}
        for each in ({"a": "x"}, {"a": "y"}, {"b": "x"}, {}, {"a b": "x"}, {"kubevirt.io/nodeName": "n"})
    ],
    "namespace of a template": [templates(namespace=each) for each in (None, NAMESPACE, "other", "")],
    "name of a template": [
        templates(name=name, claim=claim) for name in ("root", "other", "") for claim in ("root", "other")
    ],
    "storage of a template": [
        templates(storage={"resources": each})
        for each in (None, {"requests": {"storage": "1Gi"}}, {"requests": {"storage": "x"}})
    ],
    "claim of a template": [
        templates(pvc={"resources": each})
        for each in (None, {"requests": {"storage": "1Gi"}}, {"requests": {"storage": "x"}})
    ],
    "source of a template": [
        templates(sourceRef=each)
        for each in (None, {"kind": "DataSource", "name": "a"}, {"kind": "DataSource", "name": "b"})
    ],
    "claims": [
        *(volume(dataVolume={"name": each}) for each in ("a", "b", "", "root")),
        *(volume(persistentVolumeClaim={"claimName": each}) for each in ("a", "b", "")),
    ],
    "cloud-init": [volume(cloudInitNoCloud=each) for each in CLOUD_INIT],
    "cloud-init of a drive": [volume(cloudInitConfigDrive=each) for each in CLOUD_INIT],
}


def key(spec: JsonObject) -> bytes:
    metadata: JsonObject = {"name": "web", "namespace": NAMESPACE}
    content: JsonObject = {"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": metadata}
    resource = Resource({**content, "spec": spec}, Site("vm.yaml", 0))
    return twin_key(AdmissionRequest("VirtualMachine", resource, ROOT, resource.content, ClusterConfig()))


def interfaces(*each: JsonObject, network: list[JsonObject] | None = None) -> JsonObject:
    listed: JsonObject = {"domain.devices.interfaces": [*each]}
    return listed if network is None else {**listed, "networks": [*network]}


def disks(*each: JsonObject) -> JsonObject:
    return {"domain.devices.disks": [*each]}


POD: list[JsonObject] = [{"name": "default", "pod": {}}]
MULTUS: list[JsonObject] = [{"name": "default", "multus": {"networkName": "n"}}]
GPUS = ("a", "b")
#: Inputs that other rows refuse in some release.
OTHERS: list[JsonObject] = [
    disks(*({"name": f"d{i}", "disk": {}} for i in range(257))),
    {"volumes": [{"name": f"d{i}", "containerDisk": {"image": "i"}} for i in range(257)]},
    {"domain.devices.interfaces": [{"name": f"d{i}", "bridge": {}} for i in range(257)]},
    {"networks": [{"name": f"d{i}", "pod": {}} for i in range(257)]},
    interfaces(
        {"name": "default", "masquerade": {}},
        {"name": "two", "masquerade": {}},
        network=[*POD, {"name": "two", "pod": {}}],
    ),
    *(
        interfaces({"name": "default", b: {} if b != "binding" else {"name": "x"}}, network=n)
        for b in ("macvtap", "passt", "passtBinding", "binding", "slirp", "bridge", "sriov")
        for n in (POD, MULTUS)
    ),
    interfaces({"name": "default", "masquerade": {}, "binding": {"name": "x"}}),
    interfaces({"name": "default", "masquerade": {}, "bridge": {}}),
    interfaces({"name": "default", "bridge": {}, "binding": {"name": "x"}}),
    interfaces({"name": "default", "passtBinding": {}, "bridge": {}}),
    interfaces({"name": "a b", "masquerade": {}}, network=[{"name": "a b", "pod": {}}]),
    {
        "readinessProbe": {"tcpSocket": {"port": 1}},
        **interfaces({"name": "default", "bridge": {}}, network=MULTUS),
    },
    {
        "domain.devices.gpus": [
            {"name": n, "deviceName": "d", "virtualGPUOptions": {"display": {"ramFB": {"enabled": True}}}}
            for n in GPUS
        ]
    },
    {
        "domain.devices.gpus": [
            {"name": n, "deviceName": "d", "virtualGPUOptions": {"display": {"ramFB": {}}}} for n in GPUS
        ]
    },
    {"domain.devices.tpm": {"persistent": True}},
    {"domain.firmware.bootloader": {"efi": {"persistent": True, "secureBoot": False}}},
    {"domain.devices.video": {"type": "vga"}, "domain.devices.autoattachGraphicsDevice": False},
    {"volumes": [{"name": "root", "downwardMetrics": {}}, {"name": "two", "downwardMetrics": {}}]},
    {
        **disks({"name": "root", "disk": {"bus": "sata"}}),
        "volumes": [{"name": "root", "downwardMetrics": {}}],
    },
    disks({"name": "root", "disk": {"pciAddress": "x"}}),
    disks({"name": "root", "disk": {"pciAddress": "0000:81:00.1", "bus": "sata"}}),
    disks({"name": "", "disk": {}}),
    disks({"name": "a b", "disk": {}}),
    interfaces(
        {"name": "default", "bridge": {}}, network=[{"name": "default", "multus": {"networkName": ""}}]
    ),
    interfaces(
        {"name": "default", "bridge": {}}, network=[{"name": "default", "multus": {"networkName": "a/b/c"}}]
    ),
    {"domain.cpu.numa": {"guestMappingPassthrough": {}}},
    {"domain.cpu.realtime": {}},
    {"domain.cpu.maxSockets": 1},
    {"domain.cpu": {"sockets": 4, "maxSockets": 2}},
    {"domain.cpu.dedicatedCpuPlacement": True, "domain.cpu.threads": 2, "architecture": "arm64"},
    {"domain.cpu.dedicatedCpuPlacement": True, "domain.memory": {}},
    {
        "domain.cpu.dedicatedCpuPlacement": True,
        "domain.memory": {},
        "domain.resources": {"limits": {"cpu": "2"}},
    },
    {"architecture": "s390x"},
    {"architecture": "arm64"},
    {"architecture": "ppc64le"},
    {"architecture": "x"},
    {"domain.devices.filesystems": [{"name": "root", "virtiofs": {}}]},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 1}}},
    {"/liveUpdateFeatures": {"cpu": {}}},
    {"/liveUpdateFeatures": {"memory": {"maxGuest": "1Gi"}}},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 4}}, "/instancetype": {"name": "a"}},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 4}}, "domain.cpu.maxSockets": 4},
    {"/liveUpdateFeatures": {"affinity": {}}, "/instancetype": {"name": "a"}},
    {"/updateVolumesStrategy": "Migration"},
    {"/updateVolumesStrategy": "x"},
    {"domain.memory": {"guest": "2Gi", "maxGuest": "4Gi"}, "architecture": "s390x"},
    {"domain.memory": {"guest": "5Gi", "maxGuest": "4Gi"}},
    {"/template/metadata/annotations": {"kubevirt.io/multiThreadedQemuMigration": "x"}},
    {
        "/template/metadata/annotations": {
            "kubevirt.io/ignitiondata": "x",
            "hooks.kubevirt.io/hookSidecars": "x",
        }
    },
    {"resourceClaims": [{"name": "c"}, {"name": "c"}]},
    {"resourceClaims": [{"name": "c"}]},
    {"domain.rebootPolicy": "Reboot"},
    {"domain.devices.panicDevices": [{}]},
    {"domain.launchSecurity": {"sev": {}}},
    {"domain.launchSecurity": {"snp": {}}},
    {"domain.launchSecurity": {"tdx": {}}},
    disks({"name": "root", "disk": {}, "serial": "a b"}),
    disks({"name": "root", "disk": {}, "serial": "a" * 300}),
    disks({"name": "root", "disk": {}}, {"name": "root", "disk": {}}),
    disks({"name": "root", "disk": {}, "lun": {}}),
    disks({"name": "two", "disk": {}}),
    {"networks": [*POD, *POD]},
    {"networks": []},
    {"networks": [*POD, {"name": "two", "multus": {"networkName": "n"}}]},
    {"networks": [{"name": "default", "resourceClaim": {"claimName": "c"}}]},
    interfaces({"name": "default", "masquerade": {}}, {"name": "default", "masquerade": {}}),
    interfaces({"name": "default", "masquerade": {}}, {"name": "two", "masquerade": {}}),
]
#: Inputs refused because of the cluster's configuration.
LIVE: list[JsonObject] = [
    ROOM,
    {**ROOM, "domain.resources": {"limits": {"memory": "4Gi"}}},
    {"domain.resources": {"limits": {"cpu": "2"}}},
    {**ROOM, "architecture": "s390x"},
    {**ROOM, "domain.launchSecurity": {"sev": {}}},
    {"domain.memory": {"guest": "5Gi", "maxGuest": "4Gi"}},
    {"domain.cpu": {"sockets": 4, "maxSockets": 2}},
    {"/liveUpdateFeatures": {"cpu": {}}},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 1}}},
    {"/liveUpdateFeatures": {"memory": {"maxGuest": "1Gi"}}},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 4}}, "/instancetype": {"name": "a"}},
    {"/liveUpdateFeatures": {"cpu": {"maxSockets": 4}}, "domain.cpu.maxSockets": 4},
    {"/liveUpdateFeatures": {"affinity": {}}, "/instancetype": {"name": "a"}},
    {"/updateVolumesStrategy": "Migration"},
]
GRACE: list[JsonObject] = [
    {
        "domain.devices.gpus": [{"name": "g", "deviceName": "nvidia.com/grace"}],
        "/template/metadata/annotations": dict.fromkeys(_ANNOTATIONS, "true"),
    }
]
#: No VirtualMachine reaches it: an earlier row refuses slirp.
UNREACHED = ["check_slirp"]


def inputs(release: Release) -> Iterator[tuple[Cluster, JsonObject]]:
    """Clusters, and what each of them may refuse in a machine."""
    for change in ({}, *(each for each, _, _ in REFUSED), *(each for _, each in GATES), *OTHERS):
        yield cluster(release=release), change
    for change, *_ in ROWS:
        yield cluster(release=release), change
    live = cluster("VMLiveUpdateFeatures", "NUMA", release=release, vm_rollout_strategy="LiveUpdate")
    yield from ((live, change) for change in LIVE)
    grace = cluster(release=release, pci_host_devices={"nvidia.com/grace": "10DE:2941"})
    yield from ((grace, change) for change in GRACE)
    yield cluster(release=release, permits_bridge=False), interfaces({"name": "default", "bridge": {}})
    yield cluster("Passt", release=release), interfaces({"name": "default", "passt": {}})


@cache
def inputs_of_rows() -> tuple[list[tuple[Cluster, JsonObject]], set[str]]:
    """Inputs that each row of the tables refuses, and the rows that refuse none."""
    rows = {id(check.run): name_of(check.run) for title in TABLES_OF_VM for check in TABLES[title].checks}
    chosen = []
    refusing: set[int] = set()

    def recorded(table: CheckTable[...], release: Release, fields: frozenset[str]) -> tuple[Check[...], ...]:
        return tuple(
            check._replace(run=partial(record, check.run)) for check in needed(table, release, fields)
        )

    def record(run: Callable[..., Iterable[Cause]], *arguments: object) -> list[Cause]:
        causes = [*run(*arguments)]
        if causes:
            refusing.add(id(run))
        return causes

    needed = CheckTable.checks_for
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CheckTable, "checks_for", recorded)
        for release in RELEASES:
            for of, change in inputs(release):
                before = len(refusing)
                check_vm(changed(change), of, NAMESPACE)
                if len(refusing) > before or not change:
                    chosen.append((of, change))
    return chosen, {name for key, name in rows.items() if key not in refusing}


def test_every_row_refuses_one_of_the_inputs() -> None:
    _, unreached = inputs_of_rows()

    assert sorted(unreached) == UNREACHED


@pytest.mark.parametrize("field", OWN)
def test_verdict_of_a_twin_equals_its_own(field: str) -> None:
    """Combined with the inputs that each row refuses, and alone in each release."""
    for of, refused_input in inputs_of_rows()[0]:
        twins = defaultdict(set)
        for own in OWN[field]:
            spec = changed({**own, **refused_input})
            found = check_vm(spec, of, NAMESPACE)
            twins[key(spec)].add(tuple((cause.type, cause.field, cause.at) for cause in found))

        assert all(len(verdicts) == 1 for verdicts in twins.values()), (str(of.release), refused_input, twins)


# The namespace of a template is compared with that of its machine, which is the same for all here.
@pytest.mark.parametrize("field", [field for field in OWN if field != "namespace of a template"])
def test_own_fields_do_not_separate_twins(field: str) -> None:
    specs = [changed(own) for own in OWN[field]]

    assert len({key(spec) for spec in specs}) < len(specs)
