"""Differences between KubeVirt's releases, seen from outside: both sides of each row of ``behaviour``.

``CHANGES`` reads like ``renderer/kubevirt/instancetype/behaviour.py``: the row, the observed outcome, and its
value in each release.
"""

from __future__ import annotations

import base64
import inspect
import json
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

import pytest

from renderer.kubevirt.facts.cluster import Cluster, ClusterConfig
from renderer.kubevirt.facts.kinds import INSTANCETYPE
from renderer.kubevirt.instancetype.admission_requests import admission_requests
from renderer.kubevirt.instancetype.apply.vmi import apply_to_template
from renderer.kubevirt.instancetype.behaviour import Behaviour, behaviour_of
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.kubevirt.instancetype.expand import expand
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.kubevirt.instancetype.open_fields import open_fields
from renderer.kubevirt.instancetype.resolve import resolve_matchers
from renderer.kubevirt.instancetype.stored_vm import start
from renderer.kubevirt.instancetype.webhook_fields import gets_pci_topology, mutation_of
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from tests.conformance.kubevirt.revision_store import store_revision
from tests.conformance.kubevirt.vm_cases import storage_class_names
from tests.kubevirt_objects import (
    behaviour,
    instancetype,
    kubevirt,
    labelled,
    preference,
    resources,
    revision,
    scope,
    vm,
)
from tests.releases.__main__ import RELEASES

#: A function that returns the observed outcome in a release.
Look: TypeAlias = Callable[[str], Json]

DEVICES = "domain.devices"


def expanded(
    at: str, content: JsonObject, *objects: JsonObject, mode: ExpandMode = ExpandMode.APPLIED
) -> Look:
    """``at`` of the template's spec after the expansion; the codes and fields of the errors if it fails."""

    def look(release: str) -> Json:
        outcome = expand(resources(content, *objects), Catalog(), Release.parse(release), mode)
        if outcome.failed:
            return [f"{diagnostic.code}: {diagnostic.field}" for diagnostic in outcome.diagnostics]
        *parents, last = at.split(".")
        return object_at(outcome.value.resources[0].content, "spec", "template", "spec", *parents).get(last)

    return look


def webhook_value(at: str, content: JsonObject) -> Look:
    """``at`` of the template's spec as the validating webhook sees it."""

    def look(release: str) -> Json:
        (request,) = admission_requests(resources(content), Catalog(), Release.parse(release))
        *parents, last = at.split(".")
        return object_at(request.content, "spec", "template", "spec", *parents).get(last)

    return look


def started(at: str, content: JsonObject) -> Look:
    """``at`` of the spec of the instance that is started of the VM."""

    def look(release: str) -> Json:
        (resource,) = resources(content)
        instance = start(resource, Catalog(), Cluster(behaviour(release).release))
        *parents, last = at.split(".")
        return object_at(instance, "spec", *parents).get(last)

    return look


def findings_of(content: JsonObject, *objects: JsonObject) -> Look:
    """Return a look at the findings: severity, code and message."""

    def look(release: str) -> Json:
        outcome = expand(resources(content, *objects), Catalog(), Release.parse(release), ExpandMode.APPLIED)
        return [f"{found.severity} {found.code}: {found.message}" for found in outcome.diagnostics]

    return look


def applied_cpu(vcpus: int, preferred: JsonObject) -> Look:
    """``domain.cpu`` as it is applied, whether it would be admitted or not."""

    def look(release: str) -> Json:
        sizes = object_at(instancetype(vcpus=vcpus), "spec")
        applied = apply_to_template(sizes, object_at(preferred, "spec"), {}, behaviour(release))
        return object_at(applied.template, "spec", "domain").get("cpu")

    return look


def matcher_kind(content: JsonObject) -> Look:
    """The kind of the instance type matcher as it is stored."""

    def look(release: str) -> Json:
        matcher = resolve_matchers(object_at(content, "spec"), scope(), behaviour(release)).instancetype
        return None if matcher is None else matcher.kind

    return look


def architecture(content: JsonObject, preferred: JsonObject, *objects: JsonObject) -> Look:
    """The architecture that the mutating webhook writes into the VM."""

    def look(release: str) -> Json:
        spec, how = object_at(content, "spec"), behaviour(release)
        mutation = mutation_of(spec, object_at(preferred, "spec"), ClusterConfig(), scope(*objects), how)
        return mutation.architecture

    return look


def gets_topology(machine_architecture: str, machine_type: str) -> Look:
    """Return True if a VM that is created gets the version of its PCI topology."""

    def look(release: str) -> Json:
        return gets_pci_topology(machine_architecture, machine_type, behaviour(release))

    return look


def storage_classes(content: JsonObject) -> Look:
    """The storage classes that the mutating webhook leaves in the templates of DataVolumes."""

    def look(release: str) -> Json:
        return storage_class_names(content, "fast", behaviour(release))

    return look


def fills_in(path: str) -> Look:
    """Return True if the cluster writes the field into a VM that is created."""

    def look(release: str) -> Json:
        return path in open_fields(resources(vm("db")), behaviour(release))

    return look


def stored_name(release: str) -> Json:
    """The name of the ControllerRevision that KubeVirt makes."""
    medium = instancetype("medium") | {"metadata": {"name": "medium", "uid": "u", "generation": 3}}
    how = behaviour(release)
    stored = store_revision(vm("db"), Matcher("medium"), INSTANCETYPE, scope(medium), how)
    return text_at(stored.created, "metadata", "name")


def topology(name: str, **cpu: Json) -> dict[str, Json]:
    return preference("p", cpu={"preferredCPUTopology": name, **cpu})


def with_devices(**devices: Json) -> dict[str, Json]:
    return vm("db", {"devices": devices}, preference="p")


def prefers(**devices: Json) -> dict[str, Json]:
    return preference("p", devices=devices)


def of_version(version: str, content: JsonObject) -> dict[str, Json]:
    return {**content, "apiVersion": f"instancetype.kubevirt.io/{version}"}


def spec_in_base64(**spec: Json) -> dict[str, Json]:
    """A revision as KubeVirt 0.56 wrote it."""
    encoded = base64.b64encode(json.dumps(spec).encode()).decode()
    return revision("rev", {"apiVersion": "", "spec": encoded})


def cpu(sockets: int, cores: int, threads: int = 1) -> JsonObject:
    return {"sockets": sockets, "cores": cores, "threads": threads}


SIZED = vm("db", instancetype="medium", preference="p")
PREFERRING = vm("db", preference="p")
PINNED = vm("db", instancetype={"name": "medium", "revisionName": "rev"})
FOUR, THREE = instancetype("medium", 4), instancetype("medium", 3)
VCPUS: dict[str, Json] = {"cpu": {"guest": 2}, "memory": {"guest": "4Gi"}}
TWO_SOCKETS = cpu(2, 1)
MISSING = "there is no VirtualMachineClusterInstancetype medium"
WOULD_BE_ADMITTED = "KubeVirt 1.6 would admit the VM, and not start it until there is one"
UNDECODABLE = ["revision-invalid: spec.instancetype.revisionName"]

SATA_DISK: JsonObject = {"name": "root", "disk": {"bus": "sata"}}
BRIDGE: JsonObject = {"name": "default", "bridge": {}}
DATA_VOLUME: JsonObject = {"name": "root", "dataVolume": {"name": "data"}}
CONTAINER_DISK: JsonObject = {"name": "root", "containerDisk": {"image": "fedora:40"}}
ARM_SOURCE = labelled("DataSource", "ds", labels={"template.kubevirt.io/architecture": "arm64"})
SNAPSHOT = labelled(
    "VolumeSnapshot", "snap", labels={"instancetype.kubevirt.io/default-instancetype": "medium"}
)
OF_SNAPSHOT = labelled("DataVolume", "data", {"source": {"snapshot": {"name": "snap", "namespace": "prod"}}})


def with_volume(volume: JsonObject, **spec: Json) -> dict[str, Json]:
    template: JsonObject = {"spec": {"domain": {"devices": {}}, "volumes": [volume]}}
    return vm("db") | {"spec": {**spec, "template": template}}


def needing(amount: str) -> dict[str, Json]:
    return preference("p", requirements={"memory": {"guest": amount}})


def on(machine_architecture: str) -> dict[str, Json]:
    """A VM with everything except a machine type."""
    content = vm("db", instancetype="medium")
    spec = object_at(content, "spec")
    template: JsonObject = {"spec": {"architecture": machine_architecture, "domain": {"devices": {}}}}
    return {**content, "spec": {**spec, "template": template}}


def with_domain(architecture: str, **domain: Json) -> dict[str, Json]:
    """A VM with no matchers."""
    spec: JsonObject = {"architecture": architecture, "domain": {"devices": {}, **domain}}
    return vm("db") | {"spec": {"template": {"spec": spec}}}


def with_watchdog(architecture: str) -> dict[str, Json]:
    return with_domain(architecture, devices={"watchdog": {"name": "w"}})


def booting_by_efi(architecture: str) -> dict[str, Json]:
    return with_domain(architecture, firmware={"bootloader": {"efi": {}}})


def on_s390x() -> dict[str, Json]:
    """A VM with a volume and no matchers."""
    spec: JsonObject = {"architecture": "s390x", "domain": {"devices": {}}, "volumes": [CONTAINER_DISK]}
    return vm("db") | {"spec": {"template": {"spec": spec}}}


CHANGES: list[tuple[str, Look, Mapping[str, Json]]] = [
    # Application.
    (
        "topologies",
        expanded("domain.cpu", SIZED, FOUR, topology("preferAny")),
        {"1.0": cpu(1, 1), "1.1": cpu(4, 1)},
    ),
    (
        "topologies",
        expanded("domain.cpu", SIZED, FOUR, topology("cores")),
        {"1.3": cpu(1, 1), "1.4": cpu(1, 4)},
    ),
    (
        "single_vcpu_skips_topology",
        applied_cpu(1, topology("preferSpread")),
        {"1.2": {"cores": 2, "threads": 1}, "1.3": cpu(1, 1)},
    ),
    (
        "memory_conflicts_by_field",
        expanded("domain.memory", vm("db", {"memory": {"maxGuest": "8Gi"}}, instancetype="medium"), FOUR),
        {
            "1.6": ["conflict: spec.template.spec.domain.memory"],
            "1.7": {"guest": "4Gi", "maxGuest": "8Gi"},
        },
    ),
    (
        "dedicated_io_thread_needs_virtio",
        expanded(
            f"{DEVICES}.disks",
            with_devices(disks=[SATA_DISK]),
            prefers(preferredDiskDedicatedIoThread=True),
        ),
        {"1.2": [{**SATA_DISK, "dedicatedIOThread": True}], "1.3": [SATA_DISK]},
    ),
    (
        "keeps_firmware_options_of_vm",
        expanded(
            "domain.firmware",
            vm("db", {"firmware": {"bootloader": {"efi": {"secureBoot": True}}}}, preference="p"),
            preference("p", firmware={"preferredUseSecureBoot": False}),
        ),
        {
            "1.0.0": {"bootloader": {"efi": {"secureBoot": False}}},
            "1.0.1": {"bootloader": {"efi": {"secureBoot": True}}},
        },
    ),
    (
        "masquerade_needs_pod_network",
        expanded(
            f"{DEVICES}.interfaces",
            with_devices(interfaces=[BRIDGE]),
            prefers(preferredInterfaceMasquerade={}),
        ),
        {"1.0": [{**BRIDGE, "masquerade": {}}], "1.1": [BRIDGE]},
    ),
    (
        "machine_needs_type",
        expanded("domain.machine", PREFERRING, preference("p", machine={})),
        {"1.4": {"type": ""}, "1.5": None},
    ),
    (
        "panic_device_is_created",
        expanded(f"{DEVICES}.panicDevices", PREFERRING, prefers(preferredPanicDeviceModel="isa")),
        {"1.8": None, "1.9": [{"model": "isa"}]},
    ),
    # Admission.
    (
        "fills_in_matcher_kind",
        matcher_kind(vm("db", instancetype="medium")),
        {"1.6": "virtualmachineclusterinstancetype", "1.7": ""},
    ),
    (
        "infers_from_volume_snapshots",
        expanded(
            "domain.cpu",
            with_volume(DATA_VOLUME, instancetype={"inferFromVolume": "root"}),
            OF_SNAPSHOT,
            SNAPSHOT,
            FOUR,
        ),
        {"1.8": ["inference-failed: spec.instancetype.inferFromVolume"], "1.9": cpu(4, 1)},
    ),
    (
        "admits_missing_objects",
        findings_of(vm("db", instancetype="medium")),
        {
            "1.5": [f"error instancetype-not-found: {MISSING}"],
            "1.6": [f"error instancetype-not-found: {MISSING}; {WOULD_BE_ADMITTED}"],
        },
    ),
    (
        "spread_check",
        expanded("domain.cpu", SIZED, THREE, topology("preferSpread")),
        {"1.0": cpu(1, 1), "1.1": ["topology: spec.instancetype"]},
    ),
    (
        "spread_check",
        expanded("domain.cpu", PREFERRING, topology("preferSpread")),
        {"1.0": None, "1.1": ["topology: spec.preference"], "1.2": None},
    ),
    (
        "spread_requirement_names_sockets_first",
        expanded(
            "domain.cpu",
            vm("db", {"cpu": TWO_SOCKETS}, preference="p"),
            preference("p", cpu={"preferredCPUTopology": "preferSpread"}, requirements={"cpu": {"guest": 4}}),
        ),
        {
            "1.2": ["requirement: spec.template.spec.domain.cpu.cores"],
            "1.3": ["requirement: spec.template.spec.domain.cpu.sockets"],
        },
    ),
    (
        "vm_memory",
        expanded(
            "domain.memory",
            vm("db", {"resources": {"requests": {"memory": "1Gi"}}}, preference="p"),
            needing("2Gi"),
        ),
        {"1.2": None, "1.3": ["requirement: spec.template.spec.domain.memory"]},
    ),
    (
        "vm_memory",
        expanded("domain.memory", PREFERRING, needing("0")),
        {"1.5.0": ["requirement: spec.template.spec.domain.memory"], "1.5.1": None},
    ),
    (
        "checks_topology_names",
        findings_of(PREFERRING, topology("dense")),
        {"1.3": [], "1.4": ['error topology: "dense" is not a CPU topology']},
    ),
    (
        "checks_topology_names",
        findings_of(PREFERRING, topology("preferCores")),
        {
            "1.3": [],
            "1.4": ["warning deprecated: spec.cpu.preferredCPUTopology: preferCores is deprecated"],
        },
    ),
    (
        "checks_spread_options",
        findings_of(PREFERRING, topology("preferSpread", spreadOptions={"across": "Nodes"})),
        {"1.2": [], "1.3": ['error topology: vCPUs cannot be spread across "Nodes"']},
    ),
    (
        "warns_of_launch_security",
        findings_of(vm("db", instancetype="medium"), instancetype("medium", launchSecurity={"sev": {}})),
        {
            "1.8": [],
            "1.9": ["warning deprecated: spec.launchSecurity of instance types is deprecated"],
        },
    ),
    (
        "mutates_architecture",
        architecture(vm("db"), preference("p", preferredArchitecture="arm64")),
        {"1.6": "amd64", "1.7": "arm64"},
    ),
    (
        "assigns_firmware_uuid",
        fills_in(".spec.template.spec.domain.firmware.uuid"),
        {"1.5": False, "1.6": True},
    ),
    (
        "assigns_firmware_serial",
        fills_in(".spec.template.spec.domain.firmware.serial"),
        {"1.5.2": False, "1.5.3": True, "1.6.0": False, "1.6.1": True},
    ),
    (
        "pci_topology",
        gets_topology("amd64", "q35"),
        {"1.6.3": False, "1.6.4": True, "1.6": True, "1.7.0": False, "1.7.1": False, "1.7.2": True},
    ),
    (
        "pci_topology",
        gets_topology("s390x", "s390-ccw-virtio"),
        {
            "1.6.4": True,
            "1.6.5": False,
            "1.7.2": True,
            "1.7.3": False,
            "1.7": False,
            "1.8.0": True,
            "1.8.1": True,
            "1.8.2": False,
        },
    ),
    (
        "pci_topology",
        gets_topology("amd64", "pc-i440fx-8.0"),
        {
            "1.6.5": True,
            "1.6.6": False,
            "1.7.3": True,
            "1.7.4": False,
            "1.8.2": True,
            "1.8.3": False,
        },
    ),
    (
        "fills_in_storage_class_of_storage",
        storage_classes(vm("db", dataVolumeTemplates=[{"spec": {"storage": {}}}, {"spec": {"pvc": {}}}])),
        {"1.0.0": [None, "fast"], "1.0.1": ["fast", "fast"]},
    ),
    (
        "reads_data_source_architecture",
        architecture(
            vm("db", dataVolumeTemplates=[{"spec": {"sourceRef": {"kind": "DataSource", "name": "ds"}}}]),
            preference("p"),
            ARM_SOURCE,
        ),
        {"1.6.3": "amd64", "1.6.4": "arm64"},
    ),
    # Defaults.
    (
        "expand_defaults",
        expanded(
            f"{DEVICES}.disks",
            with_volume(CONTAINER_DISK, instancetype={"name": "medium"}),
            FOUR,
            mode=ExpandMode.DEFAULTS,
        ),
        {
            "1.3.0": None,
            "1.3.1": [{"name": "root", "disk": {"bus": "sata"}}],
            "1.4": [{"name": "root"}],
        },
    ),
    (
        "defaults_memory_request",
        expanded("domain.resources", vm("db", instancetype="medium"), FOUR, mode=ExpandMode.DEFAULTS),
        {"1.6.3": {"requests": {"memory": "4Gi"}}, "1.6.4": None},
    ),
    (
        "overcommits_memory",
        expanded(
            "domain.resources",
            vm("db", instancetype="medium"),
            FOUR,
            kubevirt(developerConfiguration={"memoryOvercommit": 200}),
            mode=ExpandMode.DEFAULTS,
        ),
        {
            "1.6.1": {"requests": {"memory": "2Gi"}},
            "1.6.2": {"requests": {"memory": "4Gi"}},
            "1.6.3": {"requests": {"memory": "2Gi"}},
        },
    ),
    (
        "defaults_eviction_strategy",
        webhook_value("evictionStrategy", vm("db")),
        {"1.0.0": None, "1.0.1": "None"},
    ),
    (
        "permits_slirp",
        expanded(
            "domain.cpu",
            vm("db", instancetype="medium"),
            FOUR,
            kubevirt(network={"defaultNetworkInterface": "slirp", "permitSlirpInterface": True}),
        ),
        {"1.2": cpu(4, 1), "1.3": ["defaults-failed: spec.template.spec.domain.devices.interfaces"]},
    ),
    (
        "defaults_template_as_instance",
        webhook_value(f"{DEVICES}.disks", with_volume(CONTAINER_DISK)),
        {"1.3": [{"name": "root", "disk": {"bus": "sata"}}], "1.4": [{"name": "root"}]},
    ),
    (
        "knows_s390x",
        webhook_value(f"{DEVICES}.disks", on_s390x()),
        {
            "1.2": [{"name": "root", "disk": {"bus": "sata"}}],
            "1.3": [{"name": "root", "disk": {"bus": "virtio"}}],
        },
    ),
    (
        "defaults_guest_memory",
        webhook_value("domain.memory", vm("db", {"resources": {"requests": {"memory": "1Gi"}}})),
        {"1.2": None, "1.3": {"guest": "1Gi"}},
    ),
    (
        "other_watchdogs",
        started(f"{DEVICES}.watchdog", with_watchdog("s390x")),
        {
            "1.5.0": {"name": "w", "i6300esb": {"action": "reset"}},
            "1.5.1": {"name": "w", "diag288": {"action": "reset"}},
        },
    ),
    (
        "defaults_secure_boot_of_efi",
        started("domain.firmware.bootloader", booting_by_efi("arm64")),
        {"1.8.2": {"efi": {}}, "1.8.3": {"efi": {"secureBoot": False}}},
    ),
    # Versions and revisions.
    (
        "served_versions",
        expanded("domain.cpu", vm("db", instancetype="medium"), of_version("v1alpha2", FOUR)),
        {"1.5": cpu(4, 1), "1.6": ["api-version: spec.instancetype"]},
    ),
    (
        "spec_revisions",
        expanded("domain.cpu", PINNED, spec_in_base64(**VCPUS, later="x")),
        {"1.2": TWO_SOCKETS, "1.3": UNDECODABLE},
    ),
    (
        "spec_revisions",
        expanded("domain.cpu", PINNED, spec_in_base64(**VCPUS)),
        {"1.6": TWO_SOCKETS, "1.7": UNDECODABLE},
    ),
    (
        "decodes_alpha_revisions",
        expanded("domain.cpu", PINNED, revision("rev", of_version("v1alpha1", FOUR))),
        {"1.6": cpu(4, 1), "1.7": UNDECODABLE},
    ),
    (
        "revision_name_has_version",
        stored_name,
        {"1.2": "db-medium-u-3", "1.3": "db-medium-v1beta1-u-3"},
    ),
    (
        "records_revision_in_status",
        expanded(
            "domain.cpu",
            vm("db", instancetype="medium")
            | {"status": {"instancetypeRef": {"controllerRevisionRef": {"name": "rev"}}}},
            FOUR,
            revision("rev", THREE, {"instancetype.kubevirt.io/object-name": "medium"}),
        ),
        {"1.4": cpu(4, 1), "1.5": cpu(3, 1)},
    ),
    (
        "uses_revision_by_name",
        expanded(
            "domain.cpu",
            vm("db", instancetype="medium")
            | {"status": {"instancetypeRef": {"controllerRevisionRef": {"name": "rev"}}}},
            FOUR,
            revision("rev", THREE, {"instancetype.kubevirt.io/object-name": "small"}),
        ),
        {"1.5.1": cpu(3, 1), "1.5.2": cpu(4, 1)},
    ),
]

ROWS = [name for name, member in vars(Behaviour).items() if isinstance(member, property)]
LOOKED_AT = [
    pytest.param(look, release, seen, id=f"{row}-{at}-{release}")
    for at, (row, look, outcomes) in enumerate(CHANGES)
    for release, seen in outcomes.items()
]


@pytest.mark.parametrize(("look", "release", "seen"), LOOKED_AT)
def test_outcome_of_the_release_is_as_recorded(look: Look, release: str, seen: Json) -> None:
    assert look(release) == seen


@pytest.mark.parametrize("row", ROWS)
def test_both_sides_of_every_change_of_a_row_are_tested(row: str) -> None:
    shown = [
        (Release.parse(before), Release.parse(after))
        for name, _, outcomes in CHANGES
        if name == row
        for before, after in pairwise(outcomes)
        if outcomes[before] != outcomes[after]
    ]
    changes = [
        (before, after)
        for before, after in pairwise(RELEASES)
        if getattr(behaviour_of(before), row) != getattr(behaviour_of(after), row)
    ]

    assert changes
    assert [change for change in changes if not any(_shows(pair, change) for pair in shown)] == []


def _shows(pair: tuple[Release, Release], change: tuple[Release, Release]) -> bool:
    """Return True for the two releases of a change; between minors their newest patches do as well."""
    if change[1].patch == 0:
        return [each.minor_release for each in pair] == [each.minor_release for each in change]
    return pair == change


@pytest.mark.parametrize("row", ROWS)
def test_row_cites_its_upstream_source(row: str) -> None:
    assert ".go" in (inspect.getdoc(getattr(Behaviour, row)) or "")


def test_only_existing_rows_are_tested() -> None:
    assert {row for row, _, _ in CHANGES} == set(ROWS)
