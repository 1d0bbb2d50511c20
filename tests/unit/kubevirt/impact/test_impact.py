"""The effect of a change on a running VM, on both sides of every release that changed it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.kubevirt.impact.state import FieldIndex
from renderer.kubevirt.impact.table import ROWS, Base
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.difference import ChangeType, Effect, Impact, ResourceChange
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release
from renderer.pipeline.vm_changes import ProjectState, VmChanges
from tests.house import ROOT

Change = Callable[[dict[str, Any]], object]

NONE, NEXT_START, LIVE = Effect.NONE, Effect.NEXT_START, Effect.LIVE
HOT_PLUG, MIGRATION, START = Effect.HOT_PLUG, Effect.MIGRATION, Effect.START
DISCONNECTED, MAY_DELETE = Effect.DISCONNECTED, Effect.MAY_DELETE
RESTART, STOP, REFUSED = Effect.RESTART, Effect.STOP, Effect.REFUSED
DELETED, REPLACED = Effect.DELETED, Effect.REPLACED
NEXT_MIGRATION, PENDING, BLOCKED = Effect.NEXT_MIGRATION, Effect.PENDING, Effect.BLOCKED
STUCK, EVICTED, NO_START = Effect.STUCK, Effect.EVICTED, Effect.NO_START
NOTHING = ResourceChange(ChangeType.CHANGED, None, None, (), Impact(Effect.NONE), (Effect.NONE,))


def machine() -> dict[str, Any]:
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": "db", "namespace": "prod"},
        "spec": {
            "runStrategy": "Always",
            "dataVolumeTemplates": [
                {"metadata": {"name": "root"}, "spec": {"pvc": {}, "source": {"blank": {}}}}
            ],
            "template": {
                "metadata": {"labels": {"app": "db"}},
                "spec": {
                    "domain": {
                        "cpu": {"sockets": 2, "cores": 1, "threads": 1},
                        "memory": {"guest": "4Gi"},
                        "devices": {
                            "disks": [
                                {"name": "root", "disk": {}},
                                {"name": "plug", "disk": {"bus": "scsi"}},
                            ],
                            "interfaces": [
                                {"name": "default", "masquerade": {}},
                                {"name": "lan", "bridge": {}},
                            ],
                        },
                    },
                    "networks": [
                        {"name": "default", "pod": {}},
                        {"name": "lan", "multus": {"networkName": "vlan1"}},
                    ],
                    "volumes": [
                        {"name": "root", "dataVolume": {"name": "root"}},
                        {"name": "plug", "dataVolume": {"name": "plug", "hotpluggable": True}},
                    ],
                },
            },
        },
    }


def instance(vm: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = vm["spec"]["template"]["spec"]
    return found


def domain(vm: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = instance(vm)["domain"]
    return found


def devices(vm: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = domain(vm)["devices"]
    return found


def resource(content: dict[str, Any]) -> Resource:
    return Resource(content, Site("vm.yaml"))


def compared(  # noqa: PLR0913, PLR0917 - a cluster, and what a VM was in between
    before: dict[str, Any],
    after: dict[str, Any],
    release: str,
    configuration: Mapping[str, Json] | None = None,
    between: Sequence[dict[str, Any]] = (),
    methods: Sequence[Json] = (),
) -> ResourceChange:
    strategy: dict[str, Json] = {"workloadUpdateMethods": [*methods]}
    spec: dict[str, Json] = {"configuration": dict(configuration or {}), "workloadUpdateStrategy": strategy}
    kubevirt: dict[str, Json] = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "KubeVirt",
        "metadata": {"name": "kubevirt"},
        "spec": spec,
    }
    target = Release.parse(release)
    sides = [OverlaySide(target, (resource(each),), kubevirt=kubevirt) for each in (before, after)]
    states = [
        ProjectState(ResourceSet((resource(each), resource(kubevirt))), Catalog())
        for each in (before, *between, after)
    ]
    hold = VmChanges(states[0], states[-1], target, states[1:-1])
    found = compare_overlay("overlays/prod", "prod", sides[0], sides[1], hold, accumulated=bool(between))
    return found.changes[0] if found.changes else NOTHING


def effect(
    change: Change,
    release: str,
    configuration: Mapping[str, Json] | None = None,
    start: Change = lambda _: None,
    methods: Sequence[Json] = (),
) -> Effect:
    before, after = machine(), machine()
    start(before)
    start(after)
    change(after)
    impact = compared(before, after, release, configuration, methods=methods).impact
    assert impact is not None
    return impact.effect


def gates(*names: str, **others: Json) -> Mapping[str, Json]:
    return {"developerConfiguration": {"featureGates": list(names)}, **others}


LIVE_UPDATE = gates("VMLiveUpdateFeatures", vmRolloutStrategy="LiveUpdate")
STAGE: Mapping[str, Json] = {"vmRolloutStrategy": "Stage"}


def set_sockets(count: int) -> Change:
    return lambda vm: domain(vm)["cpu"].update(sockets=count)


def set_guest(amount: str) -> Change:
    return lambda vm: domain(vm)["memory"].update(guest=amount)


def set_run_strategy(strategy: str) -> Change:
    return lambda vm: vm["spec"].update(runStrategy=strategy)


def in_instance(**fields: Json) -> Change:
    return lambda vm: instance(vm).update(fields)


def in_domain(**fields: Json) -> Change:
    return lambda vm: domain(vm).update(fields)


def both(*changes: Change) -> Change:
    return lambda vm: [change(vm) for change in changes]


ARM = in_instance(architecture="arm64")
NUMA = both(
    lambda vm: domain(vm)["cpu"].update(numa={"guestMappingPassthrough": {}}, dedicatedCpuPlacement=True),
    lambda vm: domain(vm)["memory"].update(hugepages={"pageSize": "2Mi"}),
)


def drop_interface(vm: dict[str, Any]) -> None:
    devices(vm)["interfaces"].pop()
    instance(vm)["networks"].pop()


@pytest.mark.parametrize(
    ("release", "configuration", "expected"),
    [
        ("1.6", {}, NEXT_MIGRATION),
        ("1.5", {}, RESTART),
        ("1.5", {"vmRolloutStrategy": "LiveUpdate"}, NEXT_MIGRATION),
        ("1.9", {}, NEXT_MIGRATION),
        ("1.9", STAGE, RESTART),
        ("1.4", {}, RESTART),
        ("1.4", gates(vmRolloutStrategy="LiveUpdate"), RESTART),
        ("1.4", LIVE_UPDATE, NEXT_MIGRATION),
        ("1.2", LIVE_UPDATE, NEXT_MIGRATION),
        ("1.1", LIVE_UPDATE, PENDING),
    ],
)
@pytest.mark.parametrize("change", [set_sockets(4), set_guest("8Gi")], ids=["sockets", "memory"])
def test_release_and_rollout_strategy_decide_about_live_updates(
    change: Change, release: str, configuration: Mapping[str, Json], expected: Effect
) -> None:
    assert effect(change, release, configuration) == expected


@pytest.mark.parametrize(("release", "expected"), [("1.0", PENDING), ("1.1", NEXT_MIGRATION)])
def test_before_1_2_the_vm_chose_live_updates(release: str, expected: Effect) -> None:
    def choose(vm: dict[str, Any]) -> None:
        vm["spec"]["liveUpdateFeatures"] = {"cpu": {}, "memory": {}}

    assert effect(set_sockets(4), release, gates("VMLiveUpdateFeatures"), choose) == NEXT_MIGRATION
    assert effect(set_guest("8Gi"), release, gates("VMLiveUpdateFeatures"), choose) == expected
    assert effect(set_sockets(4), release, gates("VMLiveUpdateFeatures")) == PENDING
    assert effect(choose, release, gates("VMLiveUpdateFeatures")) == REFUSED


def test_sockets_have_room() -> None:
    assert effect(set_sockets(1), "1.9") == RESTART
    assert effect(set_sockets(8), "1.9") == NEXT_MIGRATION
    assert effect(set_sockets(9), "1.9") == RESTART
    assert (
        effect(set_sockets(9), "1.9", {"liveUpdateConfiguration": {"maxHotplugRatio": 5}}) == NEXT_MIGRATION
    )
    assert effect(set_sockets(5), "1.9", {"liveUpdateConfiguration": {"maxCpuSockets": 4}}) == RESTART
    room = both(lambda vm: domain(vm)["cpu"].update(maxSockets=16))
    assert effect(set_sockets(16), "1.9", start=room) == NEXT_MIGRATION


def test_at_most_512_vcpus_are_planned_for() -> None:
    start = both(lambda vm: domain(vm)["cpu"].update(sockets=20, cores=10, threads=1))
    assert effect(set_sockets(51), "1.9", start=start) == NEXT_MIGRATION
    assert effect(set_sockets(52), "1.9", start=start) == RESTART


def test_some_settings_prevent_plugging_sockets() -> None:
    assert effect(set_sockets(4), "1.9", start=ARM) == RESTART
    queues = both(lambda vm: devices(vm).update(networkInterfaceMultiqueue=True))
    assert effect(set_sockets(4), "1.3", LIVE_UPDATE, queues) == RESTART
    assert effect(set_sockets(4), "1.4", LIVE_UPDATE, queues) == NEXT_MIGRATION
    gpu = both(lambda vm: devices(vm).update(gpus=[{"name": "a", "deviceName": "b"}]))
    assert effect(set_sockets(4), "1.9", start=gpu) == BLOCKED


def test_a_vm_without_a_topology_has_no_sockets_to_change() -> None:
    assert effect(in_domain(cpu={"sockets": 4}), "1.9", start=lambda vm: domain(vm).pop("cpu")) == RESTART


@pytest.mark.parametrize("key", ["cores", "threads", "maxSockets", "model"])
def test_the_rest_of_the_topology_needs_a_restart(key: str) -> None:
    assert (
        effect(lambda vm: domain(vm)["cpu"].update({key: "Haswell" if key == "model" else 4}), "1.9")
        == RESTART
    )


def test_memory_has_room() -> None:
    assert effect(set_guest("2Gi"), "1.9") == RESTART
    assert effect(set_guest("16Gi"), "1.9") == NEXT_MIGRATION
    assert effect(set_guest("17Gi"), "1.9") == RESTART
    assert (
        effect(set_guest("17Gi"), "1.9", {"liveUpdateConfiguration": {"maxGuest": "32Gi"}}) == NEXT_MIGRATION
    )
    room = both(lambda vm: domain(vm)["memory"].update(maxGuest="64Gi"))
    assert effect(set_guest("64Gi"), "1.9", start=room) == NEXT_MIGRATION
    assert effect(set_guest("2Gi"), "1.9", start=set_guest("1Gi")) == NEXT_MIGRATION


@pytest.mark.parametrize(
    "start",
    [
        ARM,
        both(in_domain(launchSecurity={"sev": {}}, firmware={"bootloader": {"efi": {"secureBoot": False}}})),
        both(NUMA, lambda vm: domain(vm)["cpu"].update(realtime={})),
        NUMA,
        both(lambda vm: domain(vm)["memory"].update(guest="1001Mi")),
        both(lambda vm: domain(vm)["memory"].update(guest="512Mi")),
        both(lambda vm: devices(vm).update(gpus=[{"name": "a", "deviceName": "b"}])),
    ],
)
def test_some_settings_prevent_plugging_memory(start: Change) -> None:
    assert effect(set_guest("5Gi"), "1.9", start=start) == RESTART


@pytest.mark.parametrize("change", [set_guest("5Gi"), set_sockets(4)])
def test_limit_that_is_raised_with_what_is_plugged_in_waits_for_nothing(change: Change) -> None:
    limit = both(lambda vm: domain(vm).update(resources={"limits": {"memory": "8Gi", "cpu": "4"}}))
    before, after = machine(), machine()
    limit(before)
    both(limit, change)(after)
    found = compared(before, after, "1.9")
    assert found.effects == (NEXT_MIGRATION,)
    assert found.pending  # the instance differs from the template


@pytest.mark.parametrize("field", ["nodeSelector", "affinity"])
def test_placement_is_updated_live(field: str) -> None:
    values: dict[str, Json] = {"affinity": {"nodeAffinity": {}}, "nodeSelector": {"a": "b"}}
    change = in_instance(**{field: values[field]})
    assert effect(change, "1.9") == LIVE
    assert effect(change, "1.9", STAGE) == RESTART
    assert effect(change, "1.1") == PENDING


def test_tolerations_are_updated_live_since_1_4() -> None:
    change = in_instance(tolerations=[{"key": "a", "operator": "Exists"}])
    assert effect(change, "1.4", LIVE_UPDATE) == LIVE
    assert effect(change, "1.3", LIVE_UPDATE) == RESTART


def test_other_fields_wait_for_a_restart() -> None:
    """KubeVirt plugs in neither CPUs nor memory while a VM waits for a restart."""
    before, after = machine(), machine()
    both(set_sockets(4), in_instance(evictionStrategy="None", nodeSelector={"a": "b"}))(after)
    change = compared(before, after, "1.9")
    assert [field.impact.effect for field in change.fields if field.impact] == [RESTART] * 3


def add_interface(**interface: Json) -> Change:
    def add(vm: dict[str, Any]) -> None:
        devices(vm)["interfaces"].append({"name": "new", **interface})
        instance(vm)["networks"].append({"name": "new", "multus": {"networkName": "vlan2"}})

    return add


def test_interfaces_are_plugged_in() -> None:
    assert effect(add_interface(bridge={}), "1.4") == NEXT_MIGRATION
    assert effect(add_interface(sriov={}), "1.9", STAGE) == NEXT_MIGRATION
    assert effect(add_interface(bridge={}), "1.3") == RESTART
    assert effect(add_interface(bridge={}), "1.3", gates("HotplugNICs")) == RESTART
    assert effect(add_interface(binding={"name": "passt"}), "1.9") == PENDING
    assert effect(add_interface(bridge={}, state="absent"), "1.9") == NONE


def test_interfaces_are_unplugged_by_their_state() -> None:
    def set_state(state: str) -> Change:
        return lambda vm: devices(vm)["interfaces"][1].update(state=state)

    assert effect(set_state("absent"), "1.4") == DISCONNECTED
    assert effect(set_state("down"), "1.5") == DISCONNECTED
    assert effect(set_state("up"), "1.5", start=set_state("down")) == LIVE
    assert effect(set_state("down"), "1.4") == REFUSED
    assert effect(drop_interface, "1.9") == RESTART
    assert (
        effect(lambda vm: devices(vm)["interfaces"][1].update(macAddress="02:00:00:00:00:01"), "1.9")
        == RESTART
    )
    assert effect(lambda vm: devices(vm)["interfaces"].reverse(), "1.9") == PENDING


@pytest.mark.parametrize(
    ("release", "configuration", "expected"),
    [
        ("1.9", {}, MIGRATION),
        ("1.8", {}, RESTART),
        ("1.8", gates("LiveUpdateNADRef"), MIGRATION),
        ("1.7", {}, RESTART),
    ],
)
def test_changed_network_of_an_interface(
    release: str, configuration: Mapping[str, Json], expected: Effect
) -> None:
    def connect(vm: dict[str, Any]) -> None:
        instance(vm)["networks"][1]["multus"]["networkName"] = "vlan3"

    assert effect(connect, release, configuration) == expected


def test_first_interface_replaces_the_default_one() -> None:
    """Without any interface, KubeVirt adds one, which is removed once another is written."""

    def remove_all(vm: dict[str, Any]) -> None:
        del devices(vm)["interfaces"], instance(vm)["networks"]

    def add(vm: dict[str, Any]) -> None:
        devices(vm)["interfaces"] = [{"name": "new", "bridge": {}}]
        instance(vm)["networks"] = [{"name": "new", "multus": {"networkName": "vlan2"}}]

    assert effect(add, "1.9", start=remove_all) == RESTART
    without_default = both(remove_all, lambda vm: devices(vm).update(autoattachPodInterface=False))
    assert effect(add, "1.9", start=without_default) == NEXT_MIGRATION


def add_volume(*, hotpluggable: bool) -> Change:
    def add(vm: dict[str, Any]) -> None:
        devices(vm)["disks"].append({"name": "new", "disk": {"bus": "scsi"}})
        volume = {"name": "new", "persistentVolumeClaim": {"claimName": "a", "hotpluggable": hotpluggable}}
        instance(vm)["volumes"].append(volume)

    return add


DECLARATIVE = gates("DeclarativeHotplugVolumes")


@pytest.mark.parametrize(
    ("release", "configuration", "expected"),
    [
        ("1.9", {}, HOT_PLUG),
        (
            "1.9",
            {"developerConfiguration": {"disabledFeatureGates": ["DeclarativeHotplugVolumes"]}},
            PENDING,
        ),
        ("1.9", gates("HotplugVolumes"), PENDING),
        ("1.8", {}, PENDING),
        ("1.8", DECLARATIVE, HOT_PLUG),
        ("1.6", {**DECLARATIVE, **STAGE}, HOT_PLUG),
        ("1.5", {**DECLARATIVE, "vmRolloutStrategy": "LiveUpdate"}, RESTART),
        ("1.5", STAGE, RESTART),
        ("1.1", {}, PENDING),
    ],
)
def test_hotpluggable_volumes_are_plugged_in(
    release: str, configuration: Mapping[str, Json], expected: Effect
) -> None:
    assert effect(add_volume(hotpluggable=True), release, configuration) == expected


def test_other_volumes_need_a_restart() -> None:
    assert effect(add_volume(hotpluggable=False), "1.9") == RESTART
    assert effect(lambda vm: devices(vm)["disks"][0].update(cache="none"), "1.9") == RESTART
    assert effect(lambda vm: devices(vm)["disks"].reverse(), "1.9") == PENDING


def test_volumes_are_unplugged() -> None:
    def remove(vm: dict[str, Any]) -> None:
        devices(vm)["disks"].pop()
        instance(vm)["volumes"].pop()

    def make_drive(vm: dict[str, Any]) -> None:
        devices(vm)["disks"][1] = {"name": "plug", "cdrom": {"bus": "sata"}}

    assert effect(remove, "1.9") == HOT_PLUG
    assert effect(remove, "1.9", start=make_drive) == RESTART


@pytest.mark.parametrize(
    ("release", "configuration", "expected"),
    [
        ("1.9", {}, MIGRATION),
        ("1.9", STAGE, PENDING),
        (
            "1.4",
            gates(
                "VMLiveUpdateFeatures",
                "VolumesUpdateStrategy",
                "VolumeMigration",
                vmRolloutStrategy="LiveUpdate",
            ),
            MIGRATION,
        ),
        ("1.2", LIVE_UPDATE, RESTART),
    ],
)
def test_storage_is_migrated(release: str, configuration: Mapping[str, Json], expected: Effect) -> None:
    def move(vm: dict[str, Any]) -> None:
        instance(vm)["volumes"][0]["dataVolume"]["name"] = "root-2"
        vm["spec"]["dataVolumeTemplates"][0]["metadata"]["name"] = "root-2"

    def choose(vm: dict[str, Any]) -> None:
        vm["spec"]["updateVolumesStrategy"] = "Migration"

    assert effect(move, release, configuration, choose) == expected
    assert effect(move, release, configuration) == RESTART


MIGRATES = gates(
    "VMLiveUpdateFeatures",
    "HotplugVolumes",
    "VolumesUpdateStrategy",
    "VolumeMigration",
    vmRolloutStrategy="LiveUpdate",
)


@pytest.mark.parametrize(("release", "expected"), [("1.3", RESTART), ("1.4", MIGRATION), ("1.9", MIGRATION)])
def test_hotplugged_volumes_migrate_since_1_4(release: str, expected: Effect) -> None:
    def move(vm: dict[str, Any]) -> None:
        instance(vm)["volumes"][1]["dataVolume"]["name"] = "plug-2"

    def choose(vm: dict[str, Any]) -> None:
        vm["spec"]["updateVolumesStrategy"] = "Migration"

    assert effect(move, release, MIGRATES, choose) == expected


@pytest.mark.parametrize(("release", "expected"), [("1.3", MIGRATION), ("1.4", RESTART), ("1.9", RESTART)])
def test_volumes_stay_with_a_vm_that_cannot_migrate_since_1_4(release: str, expected: Effect) -> None:
    def move(vm: dict[str, Any]) -> None:
        instance(vm)["volumes"][0]["dataVolume"]["name"] = "root-2"
        vm["spec"]["dataVolumeTemplates"][0]["metadata"]["name"] = "root-2"

    def choose(vm: dict[str, Any]) -> None:
        vm["spec"]["updateVolumesStrategy"] = "Migration"
        devices(vm)["interfaces"][0] = {"name": "default", "bridge": {}}  # on the pod network

    assert effect(move, release, MIGRATES, choose) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("Always", "Halted", STOP),
        ("Halted", "Always", START),
        ("Halted", "RerunOnFailure", START),
        ("Halted", "Manual", NONE),
        ("Manual", "Always", NONE),
        ("Always", "Manual", NONE),
        ("Always", "RerunOnFailure", NONE),
    ],
)
def test_run_strategy_change_starts_or_stops(before: str, after: str, expected: Effect) -> None:
    assert effect(set_run_strategy(after), "1.9", start=set_run_strategy(before)) == expected


def test_running_is_a_run_strategy() -> None:
    def say_running(vm: dict[str, Any]) -> None:
        del vm["spec"]["runStrategy"]
        vm["spec"]["running"] = True

    before, after = machine(), machine()
    say_running(before)
    change = compared(before, after, "1.9")
    assert change.effects == (NONE,)


def test_change_of_a_halted_vm_applies_at_its_start() -> None:
    halted = set_run_strategy("Halted")
    assert effect(set_sockets(4), "1.9", start=halted) == NEXT_START
    assert effect(in_domain(ioThreadsPolicy="auto"), "1.9", start=halted) == NEXT_START
    assert effect(both(set_sockets(4), set_run_strategy("Always")), "1.9", start=halted) == START
    assert effect(both(set_sockets(4), halted), "1.9") == STOP


def test_manual_vm_may_be_running() -> None:
    manual = set_run_strategy("Manual")
    assert effect(in_domain(ioThreadsPolicy="auto"), "1.9", start=manual) == RESTART
    assert effect(set_sockets(4), "1.9", start=manual) == NEXT_MIGRATION


def test_fields_outside_the_instance_have_no_effect() -> None:
    assert effect(lambda vm: vm["metadata"].update(labels={"a": "b"}), "1.9") == NONE
    assert (
        effect(
            lambda vm: vm["spec"]["dataVolumeTemplates"][0]["spec"]["pvc"].update(storageClassName="b"), "1.9"
        )
        == NONE
    )
    assert effect(lambda vm: vm["spec"]["template"]["metadata"].update(labels={}), "1.9") == PENDING


@pytest.mark.parametrize(("release", "expected"), [("1.6", LIVE), ("1.5", PENDING)])
def test_annotations_of_the_descheduler_are_updated_live(release: str, expected: Effect) -> None:
    def annotate(vm: dict[str, Any]) -> None:
        annotations = {"descheduler.alpha.kubernetes.io/evict": "true"}
        vm["spec"]["template"]["metadata"].setdefault("annotations", {}).update(annotations)

    def start(vm: dict[str, Any]) -> None:
        vm["spec"]["template"]["metadata"]["annotations"] = {"a": "b"}

    assert effect(annotate, release, start=start) == expected


def pool(**spec: Json) -> dict[str, Any]:
    vm = machine()
    return {
        "apiVersion": "pool.kubevirt.io/v1beta1",
        "kind": "VirtualMachinePool",
        "metadata": {"name": "pool"},
        "spec": {"replicas": 3, **spec, "virtualMachineTemplate": {"metadata": {}, "spec": vm["spec"]}},
    }


@pytest.mark.parametrize(
    ("release", "strategy", "expected"),
    [
        ("1.9", {}, RESTART),
        ("1.9", {"opportunistic": {}}, PENDING),
        ("1.9", {"unmanaged": {}}, NONE),
        ("1.6", {"opportunistic": {}}, RESTART),
    ],
)
def test_a_pool_restarts_its_vms(release: str, strategy: Json, expected: Effect) -> None:
    before, after = pool(updateStrategy=strategy), pool(updateStrategy=strategy)
    set_sockets(4)(after["spec"]["virtualMachineTemplate"])
    impact = compared(before, after, release).impact
    assert impact is not None
    assert impact.effect == expected


SELECTED: Json = {"proactive": {"selectionPolicy": {"selectors": {"labelSelector": {"matchLabels": {}}}}}}


@pytest.mark.parametrize(
    ("release", "before", "after", "disks", "plain"),
    [
        ("1.9", {"unmanaged": {}}, None, MAY_DELETE, RESTART),
        ("1.9", {"opportunistic": {}}, {"proactive": {}}, MAY_DELETE, RESTART),
        ("1.9", SELECTED, {"proactive": {}}, MAY_DELETE, RESTART),
        ("1.9", {"unmanaged": {}}, {"opportunistic": {}}, PENDING, PENDING),
        ("1.9", None, {"opportunistic": {}}, NONE, NONE),
        ("1.9", None, SELECTED, NONE, NONE),
        ("1.9", {"opportunistic": {}}, {"unmanaged": {}}, NONE, NONE),
        ("1.6", {"unmanaged": {}}, None, NONE, NONE),
    ],
)
def test_a_pool_reaches_outdated_machines_that_a_strategy_has_held_back(
    release: str, before: Json, after: Json, disks: Effect, plain: Effect
) -> None:
    for expected in (disks, plain):
        sides = pool(updateStrategy=before), pool(updateStrategy=after)
        for each in sides if expected is plain else ():
            del each["spec"]["virtualMachineTemplate"]["spec"]["dataVolumeTemplates"]
        impact = compared(*sides, release).impact
        assert impact is not None
        assert impact.effect == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("unmanaged", "proactive", MAY_DELETE),
        ("opportunistic", "proactive", MAY_DELETE),
        ("proactive", "unmanaged", NONE),
        ("unmanaged", "opportunistic", NONE),
    ],
)
def test_a_pool_deletes_machines_that_a_strategy_has_kept(before: str, after: str, expected: Effect) -> None:
    impact = compared(pool(scaleInStrategy={before: {}}), pool(scaleInStrategy={after: {}}), "1.9").impact
    assert impact is not None
    assert impact.effect == expected


@pytest.mark.parametrize(
    ("field", "before", "after", "expected"),
    [
        ("autohealing", None, {}, Effect.MAY_DELETE),
        ("autohealing", {"startUpFailureThreshold": 5}, {}, Effect.MAY_DELETE),
        ("autohealing", {}, {"minFailingToStartDuration": "1m"}, Effect.MAY_DELETE),
        ("autohealing", {}, {"minFailingToStartDuration": "10m"}, Effect.NONE),
        ("autohealing", {}, None, Effect.NONE),
        ("paused", True, None, Effect.MAY_DELETE),
        ("paused", None, True, Effect.NONE),
        ("nameGeneration", None, {"appendIndexToSecretRefs": True}, Effect.PENDING),
        ("maxUnavailable", None, 1, Effect.NONE),
    ],
)
def test_a_field_of_a_pool(field: str, before: Json, after: Json, expected: Effect) -> None:
    sides = [pool(**({} if value is None else {field: value})) for value in (before, after)]
    impact = compared(sides[0], sides[1], "1.9").impact
    assert impact is not None
    assert impact.effect is expected


def test_a_pool_that_says_that_it_is_not_paused() -> None:
    impact = compared(pool(), pool(paused=False), "1.9").impact
    assert impact is not None
    assert impact.reason == "both mean the same"


def test_a_paused_pool_does_nothing_for_another_template() -> None:
    impact = compared(pool(paused=True), pool(paused=True, replicas=1), "1.9").impact
    assert impact is not None
    assert impact.effect is Effect.NONE


def test_each_field_of_a_pool_has_a_row() -> None:
    known = set[str]()
    for path in (ROOT / "schemas/kubevirt").glob("*/virtualmachinepool.json"):
        spec = json.loads(path.read_text(encoding="utf-8"))["properties"]["spec"]
        known.update(f"spec.{key}" for key in spec["properties"])
    rows = {field for row in ROWS["VirtualMachinePool"] if row.base is Base.RESOURCE for field in row.fields}
    assert known == rows - {""}


def test_a_pool_replaces_disks_and_counts_its_vms() -> None:
    after = pool()
    after["spec"]["virtualMachineTemplate"]["spec"]["dataVolumeTemplates"][0]["spec"]["a"] = "b"
    for release, expected in (("1.6", REPLACED), ("1.5", RESTART)):
        impact = compared(pool(), after, release).impact
        assert impact is not None
        assert impact.effect == expected
    for replicas, expected in ((5, START), (1, DELETED)):
        impact = compared(pool(), pool(replicas=replicas), "1.9").impact
        assert impact is not None
        assert impact.effect == expected


def instances(kind: str, sockets: int) -> dict[str, Any]:
    spec: dict[str, Any] = {"domain": {"cpu": {"sockets": sockets}}}
    return {
        "apiVersion": "kubevirt.io/v1",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": spec if kind == "VirtualMachineInstance" else {"template": {"spec": spec}},
    }


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("VirtualMachineInstance", REFUSED), ("VirtualMachineInstanceReplicaSet", PENDING)],
)
def test_instances_do_not_change(kind: str, expected: Effect) -> None:
    impact = compared(instances(kind, 1), instances(kind, 2), "1.9").impact
    assert impact is not None
    assert impact.effect == expected


def test_defaulted_fields_are_not_a_change() -> None:
    """Empties, defaults written out, and networks in another order."""
    assert effect(in_domain(machine={}, resources={}), "1.9") == NONE
    assert effect(in_domain(machine={"type": "q35"}), "1.9") == NONE
    assert effect(in_instance(hostname="", architecture="amd64"), "1.9") == NONE
    assert effect(lambda vm: instance(vm)["networks"].reverse(), "1.9") == NONE


def test_change_that_cannot_be_plugged_in_blocks_the_controller() -> None:
    def add(bus: str) -> Change:
        def change(vm: dict[str, Any]) -> None:
            add_volume(hotpluggable=True)(vm)
            devices(vm)["disks"][-1]["disk"] = {"bus": bus} if bus else {}

        return change

    assert effect(add("sata"), "1.9") == STUCK
    assert effect(add(""), "1.9") == STUCK
    assert effect(both(add("sata"), set_sockets(4)), "1.9") == STUCK
    assert effect(both(add("sata"), in_domain(ioThreadsPolicy="auto")), "1.9") == RESTART


def test_migratability_decides_the_effect() -> None:
    def bridge(vm: dict[str, Any]) -> None:
        devices(vm)["interfaces"][0] = {"name": "default", "bridge": {}}

    def allow(vm: dict[str, Any]) -> None:
        key = "kubevirt.io/allow-pod-bridge-network-live-migration"
        vm["spec"]["template"]["metadata"]["annotations"] = {key: ""}

    assert effect(set_sockets(4), "1.9", start=bridge) == BLOCKED
    assert effect(set_guest("8Gi"), "1.9", start=bridge) == RESTART
    assert effect(set_sockets(4), "1.9", start=both(bridge, allow)) == NEXT_MIGRATION
    assert effect(set_sockets(4), "1.9", start=bridge, methods=["LiveMigrate"]) == BLOCKED
    assert effect(set_sockets(4), "1.9", start=bridge, methods=["LiveMigrate", "Evict"]) == EVICTED
    assert effect(set_sockets(4), "1.9", methods=["LiveMigrate", "Evict"]) == NEXT_MIGRATION
    assert effect(set_sockets(4), "1.9", methods=["Evict"]) == EVICTED


def test_a_vm_without_memory_does_not_start_again() -> None:
    change = compared(machine(), removed_memory(), "1.9")
    assert change.effects[:2] == (NO_START, RESTART)
    assert "memory" in change.start_refusal
    assert change.pending == ()


def removed_memory() -> dict[str, Any]:
    vm = machine()
    del domain(vm)["memory"]
    return vm


def test_pending_fields_are_named() -> None:
    vm = machine()
    both(set_sockets(4), in_domain(ioThreadsPolicy="auto"))(vm)
    change = compared(machine(), vm, "1.9")
    assert [str(field) for field in change.pending] == [
        "spec.domain.cpu.sockets",
        "spec.domain.ioThreadsPolicy",
    ]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [((4, 8, 16), NEXT_MIGRATION), ((4, 8, 17), RESTART), ((4, 8, 6), NEXT_MIGRATION), ((4, 8, 2), RESTART)],
)
def test_changes_accumulate_since_the_last_start(sizes: tuple[int, ...], expected: Effect) -> None:
    states = []
    for size in sizes:
        vm = machine()
        set_guest(f"{size}Gi")(vm)
        states.append(vm)
    impact = compared(states[0], states[2], "1.9", between=states[1:2]).impact
    assert impact is not None
    assert impact.effect == expected


def test_sockets_that_were_plugged_in_are_not_given_back() -> None:
    more = machine()
    set_sockets(4)(more)
    assert compared(machine(), machine(), "1.9", between=[more]).effects == (RESTART, NEXT_MIGRATION)
    assert compared(machine(), machine(), "1.9") is NOTHING


@pytest.mark.parametrize(
    "change",
    [
        set_sockets(4),
        set_guest("8Gi"),
        add_interface(bridge={}),
        in_instance(nodeSelector={"zone": "a"}),
        in_domain(ioThreadsPolicy="auto"),
        both(set_sockets(4), in_domain(ioThreadsPolicy="auto")),
    ],
    ids=["sockets", "memory", "interface", "placement", "restart", "sockets at the restart"],
)
def test_change_does_not_depend_on_the_number_of_observations(change: Change) -> None:
    after = machine()
    change(after)
    at_once = compared(machine(), after, "1.9")
    assert compared(machine(), after, "1.9", between=[after]) == at_once
    assert compared(machine(), after, "1.9", between=[machine(), after, after]) == at_once


def test_reverted_change_is_not_pending() -> None:
    moved = machine()
    in_instance(nodeSelector={"zone": "a"})(moved)
    assert compared(machine(), machine(), "1.9", between=[moved, machine()]) is NOTHING


@pytest.mark.parametrize(
    ("field", "is_among"),
    [
        (("spec", "a"), True),
        (("spec",), True),
        (("spec", "a", "b"), True),
        (("spec", "l", 1), True),
        (("spec", "l", 2), False),
        (("spec", "ab"), False),
        (("metadata",), False),
    ],
)
def test_field_index_contains_parents_and_children(field: tuple[str | int, ...], *, is_among: bool) -> None:
    index = FieldIndex([FieldPath.of("spec", "a"), FieldPath.of("spec", "l", 1)])
    assert (FieldPath.of(*field) in index) is is_among
    assert FieldPath.of(*field) not in FieldIndex([])


def remove_drive(vm: dict[str, Any]) -> None:
    devices(vm)["disks"].pop()
    instance(vm)["volumes"].pop()


def annotate_template(key: str) -> Change:
    return lambda vm: vm["spec"]["template"]["metadata"].update(annotations={key: "true"})


def make_drive(vm: dict[str, Any]) -> None:
    devices(vm)["disks"][1] = {"name": "plug", "cdrom": {"bus": "sata"}}


def migrate_storage(vm: dict[str, Any]) -> None:
    vm["spec"]["updateVolumesStrategy"] = "Migration"


QUEUES = both(lambda vm: devices(vm).update(networkInterfaceMultiqueue=True))
TEN_CORES = both(lambda vm: domain(vm)["cpu"].update(sockets=20, cores=10))
GPU = both(lambda vm: devices(vm).update(gpus=[{"name": "a", "deviceName": "b"}]))
ARM_LIVE = gates("VMLiveUpdateFeatures", "MultiArchitecture", vmRolloutStrategy="LiveUpdate")
MIGRATES_VOLUMES = gates(
    "VMLiveUpdateFeatures", "VolumesUpdateStrategy", "VolumeMigration", vmRolloutStrategy="LiveUpdate"
)


@pytest.mark.parametrize(
    ("change", "start", "configuration", "expected"),
    [
        (set_sockets(1), None, LIVE_UPDATE, {"1.2.0": NEXT_MIGRATION, "1.2.1": RESTART}),
        (set_guest("1Gi"), set_guest("512Mi"), LIVE_UPDATE, {"1.3.0": NEXT_MIGRATION, "1.3.1": RESTART}),
        (
            set_sockets(52),
            TEN_CORES,
            LIVE_UPDATE,
            {"1.4.0": NEXT_MIGRATION, "1.4.1": RESTART, "1.5.0": NEXT_MIGRATION, "1.5.1": RESTART},
        ),
        (
            set_sockets(4),
            QUEUES,
            LIVE_UPDATE,
            {"1.4.0": RESTART, "1.4.1": NEXT_MIGRATION, "1.5.1": RESTART, "1.5.2": NEXT_MIGRATION},
        ),
        (set_sockets(4), ARM, ARM_LIVE, {"1.5.1": NEXT_MIGRATION, "1.5.2": RESTART}),
        (set_guest("8Gi"), ARM, ARM_LIVE, {"1.5.1": NEXT_MIGRATION, "1.5.2": RESTART}),
        (
            add_interface(bridge={}),
            None,
            LIVE_UPDATE,
            {"1.4.0": RESTART, "1.4.1": NEXT_MIGRATION, "1.5.1": RESTART, "1.5.2": NEXT_MIGRATION},
        ),
        (
            lambda vm: instance(vm)["volumes"][1]["dataVolume"].update(name="plug-2"),
            migrate_storage,
            MIGRATES_VOLUMES,
            {"1.4.0": RESTART, "1.4.1": MIGRATION},
        ),
        (remove_drive, None, {**DECLARATIVE, **STAGE}, {"1.6.2": RESTART, "1.6.3": HOT_PLUG}),
        (remove_drive, make_drive, DECLARATIVE, {"1.6.3": HOT_PLUG, "1.6.4": RESTART, "1.7.0": RESTART}),
        (
            annotate_template("descheduler.alpha.kubernetes.io/prefer-no-eviction"),
            None,
            {},
            {"1.6.0": PENDING, "1.6.1": LIVE},
        ),
        (
            annotate_template("descheduler.beta.kubernetes.io/evict"),
            None,
            {},
            {"1.6.0": LIVE, "1.6.1": PENDING},
        ),
        (
            lambda vm: vm["metadata"].update(annotations={"kubevirt.io/skip-backup-hooks": "true"}),
            None,
            {},
            {"1.6.5": NONE, "1.6.6": PENDING, "1.7.2": NONE, "1.7.3": PENDING},
        ),
        (
            lambda vm: instance(vm)["networks"][1]["multus"].update(networkName="vlan2"),
            GPU,
            {},
            {"1.9": BLOCKED, "1.10": RESTART},
        ),
    ],
)
def test_patch_releases_differ(
    change: Change, start: Change | None, configuration: Mapping[str, Json], expected: Mapping[str, Effect]
) -> None:
    begin = start or (lambda _vm: None)
    assert {release: effect(change, release, configuration, begin) for release in expected} == expected


def test_volumes_of_a_receiver_are_left_alone_since_1_6_5() -> None:
    def begin(vm: dict[str, Any]) -> None:
        migrate_storage(vm)
        vm["spec"]["runStrategy"] = "WaitAsReceiver"

    def move(vm: dict[str, Any]) -> None:
        instance(vm)["volumes"][0]["dataVolume"]["name"] = "root-2"
        vm["spec"]["dataVolumeTemplates"][0]["metadata"]["name"] = "root-2"

    gate = gates("DecentralizedLiveMigration")
    releases = ("1.6.4", "1.6.5", "1.7.0", "1.7.1")
    assert [effect(move, release, gate, begin) for release in releases] == [
        MIGRATION,
        PENDING,
        MIGRATION,
        PENDING,
    ]
