"""New objects that order a controller to act on a machine: a restore, a live migration, a transfer."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.orders import OrdersElsewhere
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Danger, DataEffect, Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

GROUPS = {
    "VirtualMachineRestore": "snapshot.kubevirt.io/v1beta1",
    "VirtualMachineInstanceMigration": "kubevirt.io/v1",
    "ObjectTransfer": "cdi.kubevirt.io/v1beta1",
    "VirtualMachineClone": "clone.kubevirt.io/v1beta1",
}
RESTORE = "target: {apiGroup: kubevirt.io, kind: VirtualMachine, name: db}, virtualMachineSnapshotName: s"
IN_PLACE = f"{RESTORE}, volumeRestorePolicy: InPlace"
STOPS = f"{IN_PLACE}, targetReadinessPolicy: StopTarget"
CLONE = "source: {kind: VirtualMachineSnapshot, name: s}, target: {kind: VirtualMachine, name: db}"
TRANSFER = "source: {kind: PersistentVolumeClaim, namespace: shop, name: db}, target: {namespace: other}"

Fields = dict[str, Any]


def order(kind: str, spec: str, name: str = "order") -> Resource:
    metadata = {"name": name} if kind == "ObjectTransfer" else {"name": name, "namespace": "shop"}
    fields: Fields = {"apiVersion": GROUPS[kind], "kind": kind, "metadata": metadata}
    return Resource({**fields, "spec": yaml.safe_load(f"{{{spec}}}")}, Site("a.yaml"))


def machine(strategy: str = "Always", name: str = "db", **spec: Any) -> Resource:  # noqa: ANN401 - any field
    volumes = [{"name": "root", "dataVolume": {"name": "db"}}]
    template = {"spec": {"domain": {"devices": {}}, "volumes": volumes}}
    content: Fields = {
        "apiVersion": "kubevirt.io/v1",
        "kind": "VirtualMachine",
        "metadata": {"name": name, "namespace": "shop"},
        "spec": {"runStrategy": strategy, "template": template, **spec},
    }
    return Resource(content, Site("a.yaml"))


def compared(before: list[Resource], after: list[Resource]) -> dict[str, ResourceChange]:
    sides = [OverlaySide(LATEST, tuple(each)) for each in (before, after)]
    return {each.id.gvk.kind: each for each in compare_overlay("a", "a", sides[0], sides[1]).changes}


@pytest.mark.parametrize(
    ("kind", "spec", "effect", "data"),
    [
        ("VirtualMachineRestore", RESTORE, Effect.NONE, [DataEffect.OTHER_DISK]),
        ("VirtualMachineRestore", IN_PLACE, Effect.NONE, [DataEffect.LOST]),
        ("VirtualMachineRestore", STOPS, Effect.STOP, [DataEffect.LOST]),
        ("VirtualMachineClone", CLONE, Effect.NONE, [DataEffect.OTHER_DISK]),
        ("VirtualMachineInstanceMigration", "vmiName: db", Effect.MIGRATION, []),
        ("VirtualMachineInstanceMigration", "vmiName: db, sendTo: {migrationID: a}", Effect.STOP, []),
        ("ObjectTransfer", TRANSFER, Effect.NO_START, [DataEffect.DETACHED]),
    ],
)
def test_machine_says_what_is_ordered(kind: str, spec: str, effect: Effect, data: list[DataEffect]) -> None:
    found = compared([machine()], [machine(), order(kind, spec)])
    change = found["VirtualMachine"]
    assert change.impact is not None
    assert change.impact.effect is effect
    assert change.impact.source
    assert [each.effect for each in change.data] == data
    assert change.danger is (Danger.DATA if data else effect.danger)
    assert "VirtualMachine db" in str(found[kind].impact)


def test_disks_that_the_machine_owns_are_lost_under_other_names_too() -> None:
    vm = machine(dataVolumeTemplates=[{"metadata": {"name": "db"}, "spec": {}}])
    change = compared([vm], [vm, order("VirtualMachineRestore", RESTORE)])["VirtualMachine"]
    assert [each.effect for each in change.data] == [DataEffect.LOST]


@pytest.mark.parametrize("left", [[machine(name="web")], []])
def test_order_says_what_it_does_to_a_machine_elsewhere(left: list[Resource]) -> None:
    found = compared(left, [*left, order("VirtualMachineRestore", STOPS)])
    assert [*found] == ["VirtualMachineRestore"]
    assert found["VirtualMachineRestore"].effects == (Effect.STOP,)


@pytest.mark.parametrize(
    ("kind", "spec", "vm"),
    [
        ("VirtualMachineInstanceMigration", "vmiName: db", machine("Halted")),
        ("VirtualMachineInstanceMigration", "vmiName: web", machine()),
        ("VirtualMachineInstanceMigration", "vmiName: db, receive: {migrationID: a}", machine()),
        ("VirtualMachineClone", CLONE.replace("VirtualMachineSnapshot", "VirtualMachine"), machine()),
        ("VirtualMachineClone", CLONE.replace("name: db", "name: new"), machine()),
        ("ObjectTransfer", TRANSFER.replace("namespace: shop", "namespace: lab"), machine()),
        ("ObjectTransfer", TRANSFER.replace("namespace: other", "namespace: shop"), machine()),
    ],
)
def test_machine_that_is_not_touched_is_not_mentioned(kind: str, spec: str, vm: Resource) -> None:
    assert "VirtualMachine" not in compared([vm], [vm, order(kind, spec)])


def test_halted_machine_is_restored_without_a_stop() -> None:
    vm = machine("Halted")
    change = compared([vm], [vm, order("VirtualMachineRestore", STOPS)])["VirtualMachine"]
    assert change.effects == (Effect.NONE,)
    assert change.danger is Danger.DATA


def test_order_that_exists_does_nothing_again() -> None:
    old, new = (order("VirtualMachineInstanceMigration", f"vmiName: db, priority: {each}") for each in "ab")
    assert [*compared([machine(), old], [machine(), new])] == ["VirtualMachineInstanceMigration"]


def test_order_of_another_name_is_another_order() -> None:
    old, new = (order("VirtualMachineInstanceMigration", "vmiName: db", name) for name in ("one", "two"))
    found = compared([machine(), old], [machine(), new])
    assert found["VirtualMachine"].effects == (Effect.MIGRATION,)


def test_new_machine_waits_for_its_restore() -> None:
    found = compared([], [machine(), order("VirtualMachineRestore", STOPS)])
    assert found["VirtualMachine"].impact is None


@pytest.mark.parametrize(
    ("kind", "spec", "before", "is_shared", "data"),
    [
        ("VirtualMachineRestore", IN_PLACE, [machine()], True, [DataEffect.LOST]),
        ("VirtualMachineClone", CLONE, [machine()], True, [DataEffect.OTHER_DISK]),
        ("ObjectTransfer", TRANSFER, [machine()], True, [DataEffect.DETACHED]),
        ("VirtualMachineRestore", IN_PLACE, [machine()], False, []),
        ("VirtualMachineRestore", IN_PLACE, [], True, []),  # the machine is new
    ],
)
def test_order_about_a_machine_of_another_overlay(
    kind: str, spec: str, before: list[Resource], data: list[DataEffect], *, is_shared: bool
) -> None:
    ordered = order(kind, spec)
    orders = OrdersElsewhere()
    orders.add("orders", [], [ordered])
    orders.add("machines", before, [machine()])
    change = compared([], [ordered])[kind]
    found = orders.judged(change, "orders", lambda *_: is_shared, LATEST)
    assert [each.effect for each in found.data] == data
    assert all(each.disk == "root of VirtualMachine db" for each in found.data)
