"""What a change does to the disks of a machine, and what its guest sees, on both sides of each rule."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.vm_change import change_as_written
from renderer.kubevirt.impact.data import SOURCES
from renderer.kubevirt.impact.guest_view import FACTS
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.difference import DataEffect, Effect, Impact, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.pipeline.vm_changes import ProjectState, VmChanges
from tests.unit.kubevirt.impact.fake_engine import FakeEngine

GIVEN = "one that the cluster gives to"
Change = Callable[[dict[str, Any]], object]

KEPT, NEW, UNTOUCHED, LOST = DataEffect.KEPT, DataEffect.NEW_DISK, DataEffect.UNTOUCHED, DataEffect.LOST
ROOT, OTHER, DETACHED, COPIED = (
    DataEffect.OTHER_ROOT,
    DataEffect.OTHER_DISK,
    DataEffect.DETACHED,
    DataEffect.COPIED,
)


def machine() -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "runStrategy": "Always",
            "dataVolumeTemplates": [template("db-root", "30Gi")],
            "template": {
                "metadata": {"annotations": {"vm.kubevirt.io/os": "linux"}},
                "spec": {
                    "architecture": "amd64",
                    "domain": {
                        "cpu": {"sockets": 2, "cores": 1, "threads": 1},
                        "memory": {"guest": "4Gi"},
                        "devices": {
                            "disks": [
                                {"name": "root", "disk": {"bus": "virtio"}},
                                {"name": "data", "disk": {"bus": "virtio"}},
                                {"name": "iso", "cdrom": {"bus": "sata"}},
                            ],
                            "interfaces": [
                                {"name": "default", "masquerade": {}},
                                {"name": "lan", "bridge": {}, "macAddress": "02:00:00:00:00:01"},
                            ],
                        },
                    },
                    "networks": [
                        {"name": "default", "pod": {}},
                        {"name": "lan", "multus": {"networkName": "lan"}},
                    ],
                    "volumes": [
                        {"name": "root", "dataVolume": {"name": "db-root"}},
                        {"name": "data", "persistentVolumeClaim": {"claimName": "db-data"}},
                        {"name": "iso", "containerDisk": {"image": "drivers:1"}},
                    ],
                },
            },
        },
    }


def without_templates() -> dict[str, Any]:
    """A machine whose disks another one may take over."""
    vm = machine()
    vm["spec"]["dataVolumeTemplates"] = []
    return vm


def template(name: str, size: str) -> dict[str, Any]:
    storage = {"resources": {"requests": {"storage": size}}}
    return {"metadata": {"name": name}, "spec": {"storage": storage, "source": {"blank": {}}}}


def claim(size: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "db-data", "namespace": "prod"},
        "spec": {"resources": {"requests": {"storage": size}}},
    }


def changed(change: Change | None, vm: dict[str, Any] | None = None, release: str = "1.9") -> ResourceChange:
    """Return the change of the machine; without ``change`` it is deleted."""
    before = vm or machine()
    after = deepcopy(before)
    if change:
        change(after)
    target = Release.parse(release)
    sides: list[OverlaySide] = []
    states: list[ProjectState] = []
    for content in (before, after if change else None):
        objects: list[dict[str, Any]] = [claim("100Gi"), *([content] if content else [])]
        written = tuple(Resource(each, Site("vm.yaml")) for each in objects)
        sides.append(OverlaySide(target, written))
        states.append(ProjectState(ResourceSet(written), Catalog()))
    found = compare_overlay("", "", sides[0], sides[1], VmChanges(states[0], states[1], target))
    return found.changes[0]


def domain(vm: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = vm["spec"]["template"]["spec"]["domain"]
    return found


def volumes(vm: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = vm["spec"]["template"]["spec"]["volumes"]
    return found


def disks(vm: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = domain(vm)["devices"]["disks"]
    return found


def interfaces(vm: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = domain(vm)["devices"]["interfaces"]
    return found


def rename_template(vm: dict[str, Any]) -> None:
    vm["spec"]["dataVolumeTemplates"] = [template("db-root-2", "30Gi")]
    volumes(vm)[0]["dataVolume"]["name"] = "db-root-2"


def add_template(vm: dict[str, Any]) -> None:
    vm["spec"]["dataVolumeTemplates"].append(template("db-logs", "5Gi"))
    volumes(vm).append({"name": "logs", "dataVolume": {"name": "db-logs"}})
    disks(vm).append({"name": "logs", "disk": {"bus": "virtio"}})


def claim_of_data_volume(vm: dict[str, Any]) -> None:
    volumes(vm)[0] = {"name": "root", "persistentVolumeClaim": {"claimName": "db-root"}}


def swap_targets(vm: dict[str, Any]) -> None:
    volumes(vm)[0] = {"name": "root", "persistentVolumeClaim": {"claimName": "db-data"}}
    volumes(vm)[1] = {"name": "data", "dataVolume": {"name": "db-root"}}


def rename_volume(vm: dict[str, Any]) -> None:
    volumes(vm)[1]["name"] = disks(vm)[1]["name"] = "storage"


def remove_data(vm: dict[str, Any]) -> None:
    del volumes(vm)[1], disks(vm)[1]


def migrate_data(vm: dict[str, Any]) -> None:
    vm["spec"]["updateVolumesStrategy"] = "Migration"
    volumes(vm)[1]["persistentVolumeClaim"]["claimName"] = "db-data-2"


DATA: list[tuple[Change, list[tuple[DataEffect, str, str]]]] = [
    (
        rename_template,
        [
            (ROOT, "DataVolume db-root (30Gi)", "DataVolume db-root-2 (30Gi)"),
            (NEW, "", "DataVolume db-root-2 (30Gi)"),
            (KEPT, "DataVolume db-root (30Gi)", ""),
        ],
    ),
    (claim_of_data_volume, []),
    (swap_targets, [(ROOT, "DataVolume db-root (30Gi)", "claim db-data (100Gi)")]),
    (rename_volume, []),
    (remove_data, [(DETACHED, "claim db-data (100Gi)", "")]),
    (
        lambda vm: volumes(vm)[1]["persistentVolumeClaim"].update(claimName="other"),
        [(OTHER, "claim db-data (100Gi)", "claim other")],
    ),
    (migrate_data, [(COPIED, "claim db-data (100Gi)", "claim db-data-2")]),
    (
        lambda vm: volumes(vm)[2]["containerDisk"].update(image="drivers:2"),
        [(OTHER, "image drivers:1", "image drivers:2")],
    ),
    (
        lambda vm: disks(vm)[2].update(bootOrder=1),
        [(ROOT, "DataVolume db-root (30Gi)", "image drivers:1")],
    ),
    (
        lambda vm: interfaces(vm)[0].update(bootOrder=1),
        [(ROOT, "DataVolume db-root (30Gi)", "network interface default")],
    ),
    (lambda vm: disks(vm)[0].update(bootOrder=1), []),
    (
        lambda vm: vm["spec"].pop("dataVolumeTemplates"),
        [(KEPT, "DataVolume db-root (30Gi)", "")],
    ),
    (
        lambda vm: vm["spec"].update(dataVolumeTemplates=[template("db-root", "50Gi")]),
        [(UNTOUCHED, "DataVolume db-root (30Gi)", "DataVolume db-root (50Gi)")],
    ),
    (
        add_template,
        [(NEW, "", "DataVolume db-logs (5Gi)")],
    ),
    (
        lambda vm: vm["metadata"].update(name="db2"),
        [
            (LOST, "DataVolume db-root (30Gi)", ""),
            (KEPT, "claim db-data (100Gi)", ""),
        ],
    ),
    (
        lambda vm: vm["metadata"].update(namespace="stage"),
        [
            (LOST, "DataVolume db-root (30Gi)", ""),
            (NEW, "", "DataVolume db-root (30Gi)"),
            (KEPT, "claim db-data (100Gi)", ""),
        ],
    ),
]


@pytest.mark.parametrize(("change", "expected"), DATA)
def test_change_says_what_happens_to_disks(
    change: Change, expected: list[tuple[DataEffect, str, str]]
) -> None:
    found = changed(change).data
    assert [(each.effect, each.before, each.after) for each in found] == expected
    assert all(each.source in SOURCES[each.effect] for each in found)


def test_disk_that_goes_with_the_namespace_is_lost_and_does_not_stay() -> None:
    def side(namespace: str) -> OverlaySide:
        objects = [
            {**each, "metadata": {**each["metadata"], "namespace": namespace}}
            for each in (claim("100Gi"), machine())
        ]
        return OverlaySide(Release(1, 9), tuple(Resource(each, Site("a.yaml")) for each in objects))

    compared = compare_overlay("", "", side("prod"), side("stage"))
    found = {each.id.gvk.kind: each for each in compared.changes}
    vm, disk = found["VirtualMachine"], found["PersistentVolumeClaim"]
    assert [(each.effect, each.before) for each in vm.data] == [
        (LOST, "DataVolume db-root (30Gi)"),
        (NEW, ""),
    ]
    assert vm.impact is not None
    assert vm.impact.reason == "another VM is created in the namespace stage, with new disks"
    assert [(each.effect, each.before) for each in disk.data] == [(LOST, "claim db-data (100Gi)")]


@pytest.mark.parametrize(
    ("image", "is_harm"), [("drivers:2", False), ("drivers@sha256:1", False), ("tools:1", True)]
)
def test_next_version_of_an_image_puts_no_data_at_risk(image: str, *, is_harm: bool) -> None:
    found = changed(lambda vm: volumes(vm)[2]["containerDisk"].update(image=image))
    assert found.harms_data == is_harm


def test_claim_that_leaves_git_with_the_machine_does_not_stay() -> None:
    vm, disk = sorted(removed(machine(), claim("1Gi")), key=lambda change: change.id.gvk.kind, reverse=True)
    assert [(each.effect, each.before) for each in vm.data] == [(LOST, "DataVolume db-root (30Gi)")]
    assert [each.effect for each in disk.data] == [LOST]


def test_disk_that_leaves_the_machine_and_git_is_not_kept() -> None:
    after = machine()
    remove_data(after)
    found = removed(machine(), claim("1Gi"), after=[after])
    [vm] = [each for each in found if each.id.gvk.kind == "VirtualMachine"]
    assert [each.text for each in vm.data if each.effect is DETACHED] == [
        "at the next start; it leaves Git, too"
    ]


def test_deletion_says_which_disks_go_and_which_stay() -> None:
    vm = machine()
    domain(vm)["devices"]["tpm"] = {"persistent": True}
    assert [(each.effect, each.before, each.text) for each in changed(None, vm).data] == [
        (LOST, "DataVolume db-root (30Gi)", "deleted with the VM, which owns it"),
        (LOST, "TPM state of db", "deleted with the VM, which owns the claim with it"),
        (KEPT, "claim db-data (100Gi)", "the VM does not own it"),
    ]


def removed(
    *contents: dict[str, Any], kept: str = "", after: list[dict[str, Any]] | None = None
) -> list[Any]:
    """Return the changes if ``contents`` leave Git; ``kept`` is why nothing deletes them."""
    target = Release.parse("1.9")
    sides = [
        OverlaySide(
            target,
            tuple(Resource(each, Site("a.yaml")) for each in objects),
            engine=FakeEngine(kept=kept),
        )
        for objects in (contents, after or [])
    ]
    return list(compare_overlay("", "", sides[0], sides[1], change_as_written).changes)


def named(kind: str, spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:  # noqa: ANN401 - any field
    return {
        "apiVersion": "v1",
        "kind": kind,
        "metadata": {"name": "a", "namespace": "prod", **metadata},
        "spec": spec,
    }


BLOCK = "BlockUninstallIfWorkloadsExist"


def of_operator(api_version: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {**named(kind, spec), "apiVersion": api_version}


@pytest.mark.parametrize(
    ("content", "effect", "before", "text"),
    [
        (claim("1Gi"), LOST, "claim db-data (1Gi)", "deleted with what is on it"),
        (
            named("DataVolume", {"storage": {"resources": {"requests": {"storage": "2Gi"}}}}),
            LOST,
            "DataVolume a (2Gi)",
            "deleted with what is on it",
        ),
        (
            named("PersistentVolumeClaim", {"storageClassName": "slow"}, finalizers=["example.org/keep"]),
            LOST,
            "claim a",
            (
                "deleted with what is on it; its PersistentVolume stays (StorageClass slow: reclaimPolicy"
                " Retain), once somebody has removed its finalizer example.org/keep"
            ),
        ),
        (
            named("VirtualMachineSnapshot", {"source": {}}),
            LOST,
            "VirtualMachineSnapshot a",
            "deleted with its content",
        ),
        (
            named("VirtualMachineSnapshot", {"deletionPolicy": "Retain"}),
            KEPT,
            "VirtualMachineSnapshot a",
            "its VirtualMachineSnapshotContent stays (deletionPolicy: Retain)",
        ),
        (
            named("Namespace", {}),
            LOST,
            "Namespace a",
            "deleted with everything in it, machines and claims too",
        ),
        (
            named("CustomResourceDefinition", {"group": "kubevirt.io", "names": {"kind": "VirtualMachine"}}),
            LOST,
            "CustomResourceDefinition a",
            "deleted with each VirtualMachine in the cluster",
        ),
        (
            named("CustomResourceDefinition", {"group": "argoproj.io", "names": {"kind": "Application"}}),
            LOST,
            "CustomResourceDefinition a",
            "deleted with each Application in the cluster",
        ),
        (
            named("VolumeGroupSnapshot", {"source": {"selector": {}}}),
            LOST,
            "VolumeGroupSnapshot a",
            "deleted with its content, unless the deletionPolicy of its class is Retain",
        ),
        (
            named("VolumeSnapshotContent", {"deletionPolicy": "Delete"}),
            LOST,
            "VolumeSnapshotContent a",
            "deleted with the snapshot in the storage",
        ),
        (
            named("VolumeGroupSnapshotContent", {"deletionPolicy": "Retain"}),
            KEPT,
            "VolumeGroupSnapshotContent a",
            "the snapshot stays in the storage (deletionPolicy: Retain)",
        ),
        (
            named("VirtualMachineSnapshotContent", {"source": {}}),
            LOST,
            "VirtualMachineSnapshotContent a",
            "deleted with the VolumeSnapshots that it owns",
        ),
        (
            named("PersistentVolume", {"persistentVolumeReclaimPolicy": "Delete"}),
            LOST,
            "PersistentVolume a",
            (
                "deleted with what is on it, as soon as no claim has it (persistentVolumeReclaimPolicy:"
                " Delete)"
            ),
        ),
        (
            named("PersistentVolume", {}),
            KEPT,
            "PersistentVolume a",
            "what is on it stays in the storage (persistentVolumeReclaimPolicy: Retain)",
        ),
        (
            of_operator("kubevirt.io/v1", "KubeVirt", {}),
            LOST,
            "KubeVirt a",
            (
                "deleted with all machines in the cluster, and the disks that they own (uninstallStrategy:"
                " RemoveWorkloads, the default)"
            ),
        ),
        (
            of_operator("kubevirt.io/v1", "KubeVirt", {"uninstallStrategy": BLOCK}),
            KEPT,
            "KubeVirt a",
            f"its deletion is refused while there are any workloads (uninstallStrategy: {BLOCK})",
        ),
        (
            of_operator("cdi.kubevirt.io/v1beta1", "CDI", {"uninstallStrategy": "RemoveWorkloads"}),
            LOST,
            "CDI a",
            (
                "deleted with all DataVolumes in the cluster, and the claims that they own"
                " (uninstallStrategy: RemoveWorkloads)"
            ),
        ),
        (
            of_operator("hco.kubevirt.io/v1beta1", "HyperConverged", {}),
            KEPT,
            "HyperConverged a",
            (
                "its deletion is refused while there are any workloads (uninstallStrategy:"
                f" {BLOCK}, the default)"
            ),
        ),
        (
            of_operator(
                *("hco.kubevirt.io/v1", "HyperConverged"),
                {"deployment": {"uninstallStrategy": "RemoveWorkloads"}},
            ),
            LOST,
            "HyperConverged a",
            (
                "deleted with KubeVirt and CDI: all machines and DataVolumes in the cluster, and their disks"
                " (uninstallStrategy: RemoveWorkloads)"
            ),
        ),
    ],
)
def test_removed_object_says_what_is_lost_with_it(
    content: dict[str, Any], effect: DataEffect, before: str, text: str
) -> None:
    retained = {**named("StorageClass", {}, name="slow"), "reclaimPolicy": "Retain"}
    [change] = removed(content, retained, after=[retained])
    assert [(each.effect, each.before, each.text) for each in change.data] == [(effect, before, text)]
    assert change.data[0].source in SOURCES[effect]


def stateful_set(replicas: int | None, first: int = 0, **policy: str) -> dict[str, Any]:
    size = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    spec = {
        "ordinals": {"start": first},
        "persistentVolumeClaimRetentionPolicy": policy,
        "volumeClaimTemplates": [{"metadata": {"name": "d"}, "spec": size}],
        **({} if replicas is None else {"replicas": replicas}),
    }
    return {**named("StatefulSet", spec), "apiVersion": "apps/v1"}


def test_removed_stateful_set_takes_its_claims_if_it_says_so() -> None:
    [change] = removed(stateful_set(4, whenDeleted="Delete"))
    text = "deleted with the StatefulSet (persistentVolumeClaimRetentionPolicy.whenDeleted: Delete)"
    assert [(each.effect, each.before, each.text) for each in change.data] == [
        (LOST, "claim d-a-0 to -3 (1Gi)", text)
    ]


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        (stateful_set(3), stateful_set(1, whenScaled="Delete"), ["claim d-a-1 (1Gi)", "claim d-a-2 (1Gi)"]),
        (
            stateful_set(2, whenScaled="Delete"),
            stateful_set(None, whenScaled="Delete"),
            ["claim d-a-1 (1Gi)"],
        ),
        (stateful_set(2, whenScaled="Delete"), stateful_set(1), []),
        (stateful_set(1, whenScaled="Delete"), stateful_set(2, whenScaled="Delete"), []),
        (
            stateful_set(2, whenScaled="Delete"),
            stateful_set(2, first=1, whenScaled="Delete"),
            ["claim d-a-0 (1Gi)"],
        ),
        (
            stateful_set(2, whenScaled="Delete"),
            stateful_set(2, first=9, whenScaled="Delete"),
            ["claim d-a-0 (1Gi)", "claim d-a-1 (1Gi)"],
        ),
        (
            stateful_set(2, first=5),
            stateful_set(2, whenScaled="Delete"),
            ["claim d-a-5 (1Gi)", "claim d-a-6 (1Gi)"],
        ),
    ],
)
def test_stateful_set_that_shrinks_takes_the_claims_of_its_pods_if_it_says_so(
    before: dict[str, Any], after: dict[str, Any], lost: list[str]
) -> None:
    [change] = removed(before, after=[after])
    assert [each.before for each in change.data if each.effect is LOST] == lost


@pytest.mark.parametrize(
    ("volume", "keeper"),
    [
        ({"persistentVolumeReclaimPolicy": "Delete"}, ""),
        ({"persistentVolumeReclaimPolicy": "Retain"}, "a: persistentVolumeReclaimPolicy Retain"),
        (None, ""),
    ],
)
@pytest.mark.parametrize("is_reserved", [True, False])
def test_policy_of_a_persistent_volume_is_stronger_than_that_of_its_class(
    volume: dict[str, Any] | None, keeper: str, *, is_reserved: bool
) -> None:
    retained = {**named("StorageClass", {}, name="slow"), "reclaimPolicy": "Retain"}
    spec: dict[str, Any] = {"storageClassName": "slow"}
    reference: dict[str, Any] = {}
    if is_reserved:
        reference = {"claimRef": {"namespace": "prod", "name": "a"}}
    else:
        spec["volumeName"] = "a"
    volumes = [] if volume is None else [named("PersistentVolume", {**volume, **reference})]
    if volume is None and is_reserved:
        keeper = "StorageClass slow: reclaimPolicy Retain"
    [change] = removed(named("PersistentVolumeClaim", spec), retained, *volumes, after=[retained, *volumes])
    kept = f"; its PersistentVolume stays ({keeper})" if keeper else ""
    assert [each.text for each in change.data] == [f"deleted with what is on it{kept}"]


@pytest.mark.parametrize(("policy", "is_kept"), [("Retain", True), ("Delete", False)])
def test_changed_policy_of_a_persistent_volume_is_applied_first(policy: str, *, is_kept: bool) -> None:
    bound = named("PersistentVolumeClaim", {"volumeName": "a"})
    former = "Delete" if is_kept else "Retain"
    before, after = (
        named("PersistentVolume", {"persistentVolumeReclaimPolicy": each}) for each in (former, policy)
    )
    changes = removed(bound, before, after=[after])
    [text] = [data.text for change in changes for data in change.data]
    assert ("its PersistentVolume stays" in text) is is_kept


@pytest.mark.parametrize(
    "content",
    [
        named("ConfigMap", {}),
        named("DataImportCron", {}),
        of_operator("example.org/v1", "KubeVirt", {}),
        stateful_set(3),
        stateful_set(3, whenScaled="Delete"),
    ],
)
def test_removed_object_without_data_says_nothing(content: dict[str, Any]) -> None:
    [change] = removed(content)
    assert change.data == ()


def test_removed_claim_names_the_machines_that_need_it() -> None:
    changes = removed(claim("1Gi"), machine(), after=[machine()])
    assert changes[0].data[0].text == "deleted with what is on it; VirtualMachine db still needs it"


def test_nothing_is_lost_with_what_nothing_deletes() -> None:
    changes = removed(claim("1Gi"), machine(), kept="Kustomization a has no prune: true")
    assert [change.data for change in changes] == [(), ()]
    assert changes[1].impact == Impact(
        Effect.NONE, "it stays in the cluster: Kustomization a has no prune: true"
    )


RESTORED = "restore-6f2a2bde-3f4e-4a55-b9b2-08e1a3ab1f07-root"


def restored() -> dict[str, Any]:
    vm = machine()
    vm["spec"]["dataVolumeTemplates"] = [template(RESTORED, "30Gi")]
    volumes(vm)[0]["dataVolume"]["name"] = RESTORED
    return vm


def test_old_name_after_a_restore_undoes_it() -> None:
    [undone, *others] = changed(lambda vm: vm["spec"].update(machine()["spec"]), restored()).data
    assert (undone.effect, undone.before, undone.after, undone.text) == (
        DataEffect.UNDONE_RESTORE,
        f"DataVolume {RESTORED} (30Gi)",
        "DataVolume db-root (30Gi)",
        "at the next start; to keep what was restored, write its name into Git; a new one, blank",
    )
    assert [each.effect for each in others] == [NEW, KEPT]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({}, ["restore-UID-root, restore-UID-data -> db-root, db-data"]),
        ({"volumeRestorePolicy": "InPlace"}, []),
        ({"volumeRestorePolicy": "PrefixTargetName"}, []),
        (
            {
                "volumeRestoreOverrides": [
                    {"volumeName": "root", "restoreName": "db-root"},
                    {"volumeName": "data", "restoreName": "old"},
                ]
            },
            ["old -> db-data"],
        ),
        ({"target": {"kind": "VirtualMachine", "name": "copy"}}, []),
    ],
)
def test_restore_in_place_is_undone_unless_it_keeps_the_names(
    spec: dict[str, Any], expected: list[str]
) -> None:
    restore = named("VirtualMachineRestore", {"target": {"kind": "VirtualMachine", "name": "db"}, **spec})
    found = removed(machine(), after=[machine(), restore])
    [change] = [each for each in found if each.id.gvk.kind == "VirtualMachineRestore"]
    assert [f"{data.before} -> {data.after}" for data in change.data] == expected


def test_other_release_or_cluster_shows_its_guests_another_machine() -> None:
    """The newest machine type of another release, and another mainboard, without a change of the manifest."""
    written = (Resource(machine(), Site("vm.yaml")),)
    state = ProjectState(ResourceSet(written), Catalog())
    releases = Release.parse("1.7"), Release.parse("1.9")
    smbios = {"spec": {"configuration": {"smbios": {"product": "ACME"}}}}
    sides = OverlaySide(releases[0], written), OverlaySide(releases[1], written, kubevirt=smbios)
    changes = VmChanges(state, state, releases[1], former=releases[0])
    [change] = compare_overlay("", "", *sides, changes).changes
    assert [(each.fact, each.after) for each in change.guest if each.risk] == [
        ("machine type", "q35 (the newest of QEMU 10.1)"),
        ("mainboard", "family KubeVirt, manufacturer KubeVirt, product ACME"),
    ]
    assert change.impact is not None
    assert change.impact.effect is Effect.NONE
    assert compare_overlay("", "", sides[0], sides[0], changes).changes == ()


GPU = {"gpus": [{"name": "gpu", "deviceName": "nvidia.com/a40"}]}


def upgraded(
    vm: dict[str, Any], kubevirt: dict[str, Any], former: str = "1.5", target: str = "1.9"
) -> ResourceChange | None:
    """What a cluster of another release does to a machine whose manifest is the same."""
    installed = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt"},
        **kubevirt,
    }
    written = (Resource(vm, Site("vm.yaml")), Resource(installed, Site("kubevirt.yaml")))
    state = ProjectState(ResourceSet(written), Catalog())
    releases = Release.parse(former), Release.parse(target)
    before, after = (OverlaySide(each, written, kubevirt=installed) for each in releases)
    changes = VmChanges(state, state, releases[1], former=releases[0])
    return next(iter(compare_overlay("", "", before, after, changes).changes), None)


def test_upgrade_leaves_a_machine_its_identity() -> None:
    """Only a new machine gets a random UUID and a serial number; the controller writes the old ones."""
    found = upgraded(machine(), {})
    assert found is not None
    assert [each.fact for each in found.guest] == ["machine type"]


@pytest.mark.parametrize(
    ("methods", "change", "effect", "reason"),
    [
        ([], lambda _vm: None, Effect.NONE, "its manifest is the same"),
        (["LiveMigrate"], lambda _vm: None, Effect.MIGRATION, "unless db-root and db-data can be mounted"),
        (["LiveMigrate"], lambda vm: domain(vm)["devices"].update(GPU), Effect.NONE, "its manifest is the"),
        (
            ["LiveMigrate", "Evict"],
            lambda vm: domain(vm)["devices"].update(GPU),
            Effect.EVICTED,
            "it has GPUs",
        ),
        (["Evict"], lambda _vm: None, Effect.EVICTED, "KubeVirt evicts the instance after the upgrade"),
        (["Evict"], lambda vm: vm["spec"].update(runStrategy="Halted"), Effect.NONE, "its manifest is the"),
    ],
)
def test_upgrade_moves_running_machines(
    methods: list[str], change: Change, effect: Effect, reason: str
) -> None:
    vm = machine()
    change(vm)
    found = upgraded(vm, {"spec": {"workloadUpdateStrategy": {"workloadUpdateMethods": methods}}})
    assert found is not None
    assert found.impact is not None
    assert found.impact.effect is effect
    assert reason in found.impact.reason


@pytest.mark.parametrize("is_lost", [True, False])
def test_machine_that_another_configuration_refuses_does_not_start_again(*, is_lost: bool) -> None:
    vm = machine()
    interfaces(vm)[0] = {"name": "default", "bridge": {}}
    written = (Resource(vm, Site("vm.yaml")),)
    sides: list[OverlaySide] = []
    states: list[ProjectState] = []
    for is_permitted in (is_lost, False):
        network = {"permitBridgeInterfaceOnPodNetwork": is_permitted}
        content: dict[str, Any] = {
            "apiVersion": "kubevirt.io/v1",
            "kind": "KubeVirt",
            "metadata": {"name": "kubevirt"},
            "spec": {"configuration": {"network": network, "smbios": {"sku": str(len(sides))}}},
        }
        sides.append(OverlaySide(Release.parse("1.9"), written, kubevirt=content))
        objects = ResourceSet((*written, Resource(content, Site("kubevirt.yaml"))))
        states.append(ProjectState(objects, Catalog()))
    changes = VmChanges(states[0], states[1], Release.parse("1.9"))
    [change] = compare_overlay("", "", sides[0], sides[1], changes).changes
    assert change.impact is not None
    assert (change.impact.effect is Effect.NO_START) is is_lost
    assert ("does not permit a bridge" in change.start_refusal) is is_lost


def pool() -> dict[str, Any]:
    vm = machine()
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "replicas": 3,
            "virtualMachineTemplate": {"metadata": {}, "spec": vm["spec"]},
        },
    }


def sorted_by(order: str) -> dict[str, Any]:
    return {"proactive": {"selectionPolicy": {"sortPolicy": order}}}


def rename_template_of_pool(vm: dict[str, Any]) -> None:
    rename_template(vm["spec"]["virtualMachineTemplate"])


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda vm: vm["spec"].update(replicas=1),
            ["DataVolume db-root-0 to -2 (30Gi)"],
        ),
        (
            lambda vm: vm["spec"].update(replicas=1, scaleInStrategy=sorted_by("DescendingOrder")),
            ["DataVolume db-root-1 (30Gi)", "DataVolume db-root-2 (30Gi)"],
        ),
        (
            lambda vm: vm["spec"].update(replicas=2, scaleInStrategy=sorted_by("AscendingOrder")),
            ["DataVolume db-root-0 (30Gi)"],
        ),
        (
            lambda vm: vm["spec"].update(replicas=0),
            [f"DataVolume db-root-{index} (30Gi)" for index in range(3)],
        ),
        (lambda vm: vm["spec"].update(replicas=9), []),
        (
            rename_template_of_pool,
            [f"DataVolume db-root-{index} (30Gi)" for index in range(3)],
        ),
        (
            lambda vm: vm["spec"].update(
                replicas=1, scaleInStrategy={"proactive": {"statePreservation": "Offline"}}
            ),
            [],
        ),
    ],
)
def test_pool_loses_the_disks_of_the_machines_that_it_deletes(change: Change, expected: list[str]) -> None:
    assert [each.before for each in changed(change, pool()).data if each.effect is LOST] == expected


def remove_lan(vm: dict[str, Any]) -> None:
    del interfaces(vm)[1], vm["spec"]["template"]["spec"]["networks"][1]


def insert_interface(vm: dict[str, Any]) -> None:
    interfaces(vm).insert(1, {"name": "dmz", "bridge": {}})
    vm["spec"]["template"]["spec"]["networks"].insert(1, {"name": "dmz", "multus": {"networkName": "dmz"}})


def insert_disk(vm: dict[str, Any]) -> None:
    disks(vm).insert(0, {"name": "logs", "disk": {"bus": "virtio"}})
    disks(vm)[1]["bootOrder"] = 1
    volumes(vm).append({"name": "logs", "emptyDisk": {"capacity": "1Gi"}})


GUEST: list[tuple[Change, list[str]]] = [
    (lambda vm: domain(vm)["cpu"].update(sockets=4), []),
    (
        lambda vm: domain(vm)["cpu"].update(sockets=1, cores=2),
        ["CPU topology: 2 sockets, 1 core, 1 thread -> 1 socket, 2 cores, 1 thread"],
    ),
    (lambda vm: domain(vm)["cpu"].update(model="Haswell"), ["CPU model: host-model -> Haswell"]),
    (lambda vm: domain(vm)["cpu"].update(model="host-model"), []),
    (
        lambda vm: domain(vm).update(machine={"type": "pc-q35-9.0"}),
        ["machine type: q35 (the newest of QEMU 10.1) -> pc-q35-9.0"],
    ),
    (
        lambda vm: domain(vm).update(firmware={"bootloader": {"efi": {}}}, features={"smm": {}}),
        ["firmware: BIOS -> UEFI with secure boot"],
    ),
    (lambda vm: domain(vm).update(firmware={"bootloader": {"bios": {}}}), []),
    (
        lambda vm: domain(vm).update(firmware={"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223"}),
        ["firmware UUID: one chosen for prod/db -> 5d307ca9-b3ef-428c-8861-06e72d69f223"],
    ),
    (
        lambda vm: disks(vm)[0].update(disk={"bus": "sata"}),
        [
            "disk root: virtio disk -> sata disk",
            "device name of disk root: /dev/vda -> /dev/sda",
            "device name of disk data: /dev/vdb -> /dev/vda",
        ],
    ),
    (
        insert_disk,
        [
            "device name of disk root: /dev/vda -> /dev/vdb",
            "device name of disk data: /dev/vdb -> /dev/vdc",
        ],
    ),
    (
        lambda vm: disks(vm)[1].update(serial="D1"),
        ["serial number of disk data:  -> D1"],
    ),
    (
        lambda vm: disks(vm)[1].update(blockSize={"custom": {"logical": 4096, "physical": 4096}}),
        ["sector size of disk data: 512 -> 4096/4096"],
    ),
    (remove_data, ["disk data: virtio disk -> "]),
    (lambda vm: interfaces(vm)[1].update(model="e1000e"), ["interface lan: virtio -> e1000e"]),
    (
        lambda vm: interfaces(vm)[1].pop("macAddress"),
        ["MAC address of interface lan: 02:00:00:00:00:01 -> one that the cluster gives to prod/db"],
    ),
    (insert_interface, ["PCI place of interface lan: device 2 -> device 3"]),
    (remove_lan, ["interface lan: virtio -> "]),
    (
        lambda vm: interfaces(vm)[0].update(pciAddress="0000:05:00.0"),
        [
            "PCI place of interface default: device 1 -> 0000:05:00.0",
            "PCI place of interface lan: device 2 -> device 1",
        ],
    ),
    (
        lambda vm: domain(vm).update(clock={"timezone": "Europe/Berlin"}),
        ["clock: UTC -> Europe/Berlin"],
    ),
    (lambda vm: domain(vm).update(clock={"utc": {}}), []),
    (
        lambda vm: vm["metadata"].update(name="db2"),  # it boots from a new disk
        [],
    ),
]


HOST_PLACES: list[tuple[Change, list[str]]] = [
    (lambda vm: domain(vm)["devices"]["gpus"].insert(0, {"name": "new", "deviceName": "a.com/new"}), ["gpu"]),
    (lambda vm: domain(vm)["devices"]["gpus"].append({"name": "new", "deviceName": "a.com/new"}), []),
    (
        lambda vm: domain(vm)["devices"].update(hostDevices=[{"name": "n", "deviceName": "a.com/nvme"}]),
        ["gpu"],
    ),
    (lambda vm: domain(vm)["devices"].update(hostDevices=[{"name": "n", "deviceName": "a.com/usb"}]), []),
    (remove_data, ["gpu"]),
    (lambda vm: disks(vm)[2].update(cdrom={"bus": "scsi"}), []),
    (insert_interface, []),
]


@pytest.mark.parametrize(("change", "expected"), HOST_PLACES)
def test_device_of_the_host_moves_with_those_before_it(change: Change, expected: list[str]) -> None:
    """Four places are kept for interfaces; USB devices have none."""
    vm = machine()
    domain(vm)["devices"].update(deepcopy(GPU))
    devices = {"usb": [{"resourceName": "a.com/usb"}]}
    kubevirt = {"spec": {"configuration": {"permittedHostDevices": devices}}}
    after = deepcopy(vm)
    change(after)
    sides = [
        OverlaySide(Release.parse("1.9"), (Resource(each, Site("vm.yaml")),), kubevirt=kubevirt)
        for each in (vm, after)
    ]
    [found] = compare_overlay("", "", sides[0], sides[1]).changes
    assert [each.device for each in found.guest if each.fact == "PCI place of host device"] == expected


@pytest.mark.parametrize(("change", "expected"), GUEST)
def test_change_says_what_is_at_risk_in_the_guest(change: Change, expected: list[str]) -> None:
    found = [each for each in changed(change).guest if each.risk]
    assert [
        f"{f'{each.fact} {each.device}'.rstrip()}: {each.before} -> {each.after}" for each in found
    ] == expected


def test_guest_that_moves_into_another_machine_sees_it() -> None:
    found = changed(lambda vm: vm["metadata"].update(name="db2"), without_templates())
    assert [f"{each.fact}: {each.before} -> {each.after}" for each in found.guest if not each.device] == [
        "firmware UUID: one chosen for prod/db -> one chosen for prod/db2",
        "serial number: one chosen for prod/db -> one chosen for prod/db2",
        "host name: db -> db2",
    ]


def test_uuid_of_old_releases_is_made_of_the_name() -> None:
    found = changed(lambda vm: vm["metadata"].update(name="testvm"), without_templates(), release="1.5")
    [uuid] = [each for each in found.guest if each.fact == "firmware UUID"]
    assert uuid.after == "5a9fc181-957e-5c32-9e5a-2de5e9673531"


@pytest.mark.parametrize(
    ("system", "expected"), [("linux", "initramfs"), ("windows", "INACCESSIBLE_BOOT_DEVICE")]
)
def test_risk_is_that_of_the_installed_system(system: str, expected: str) -> None:
    vm = machine()
    vm["spec"]["template"]["metadata"]["annotations"]["vm.kubevirt.io/os"] = system
    [disk] = [
        each
        for each in changed(lambda new: disks(new)[0].update(disk={"bus": "sata"}), vm).guest
        if each.fact == "disk"
    ]
    assert expected in disk.risk
    assert not disk.is_live


def test_credentials_of_images_are_not_shown() -> None:
    vm = machine()
    volumes(vm)[2]["containerDisk"]["image"] = "https://user:hunter2@registry.example/drivers:1"
    found = changed(lambda vm: volumes(vm)[2]["containerDisk"].update(image="drivers:2"), vm)
    assert found.data[0].before.startswith("image https://")
    assert "hunter2" not in str(found)


def test_facts_have_distinct_names_and_sources() -> None:
    assert len({row.fact for row in FACTS}) == len(FACTS)
    assert all(row.source for row in FACTS)
