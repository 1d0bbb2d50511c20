"""Data that a guest applies at its first boot only, and when the next boot is a first one."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.vm_change import change_as_written
from renderer.model.difference import ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

CLAIM = "persistentVolumeClaim: {claimName: db}"
ONCE = "most modules of cloud-init run at the first boot only, and its instance id stays"
NETWORK_ONCE = "a network that cloud-init has set up may stay"
ANSWERED = "a Windows that is set up does not read its answer file again"
ANEW = "each start is a first boot, as its boot disk is made anew"
MACHINE = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: %(strategy)s
  template:
    spec:
      %(more)s
      domain: {firmware: {uuid: %(uuid)s}, devices: {disks: [{name: root}, {name: init}]}}
      volumes: [{name: root, %(root)s}, {name: init, %(init)s}]
"""
INIT_DATA = "{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: shop}, data: {userdata: %s}}"


def side(*others: str, **values: str) -> OverlaySide:
    given = {
        "strategy": "Always",
        "more": "",
        "uuid": "one",
        "root": CLAIM,
        "init": "emptyDisk: {}",
        **values,
    }
    found: list[dict[str, Any]] = [yaml.safe_load(text) for text in (MACHINE % given, *others)]
    return OverlaySide(LATEST, tuple(Resource(each, Site("a.yaml")) for each in found))


def reasons(before: OverlaySide, after: OverlaySide) -> list[str]:
    """Return what follows the first reason for each changed field of the machine."""
    found = compare_overlay("a", "a", before, after, change_as_written).changes
    (change,) = (each for each in found if each.id.gvk.kind == "VirtualMachine")
    return [*_notes(change)]


def _notes(change: ResourceChange) -> list[str]:
    texts = [each.impact.reason for each in change.fields if each.impact]
    return [text.partition("; ")[2] for text in texts if "; " in text]


@pytest.mark.parametrize(
    ("one", "other", "note"),
    [
        ("cloudInitNoCloud: {userData: a}", "cloudInitNoCloud: {userData: b}", ONCE),
        ("cloudInitNoCloud: {userDataBase64: YQ==}", "cloudInitNoCloud: {userDataBase64: Yg==}", ONCE),
        ("cloudInitNoCloud: {secretRef: {name: a}}", "cloudInitNoCloud: {secretRef: {name: b}}", ONCE),
        ("cloudInitConfigDrive: {networkData: a}", "cloudInitConfigDrive: {networkData: b}", NETWORK_ONCE),
        ("sysprep: {secret: {name: a}}", "sysprep: {secret: {name: b}}", ANSWERED),
    ],
)
@pytest.mark.parametrize("strategy", ["Always", "Halted"])
def test_field_says_what_the_guest_does_not_apply_again(
    one: str, other: str, note: str, strategy: str
) -> None:
    assert reasons(side(init=one, strategy=strategy), side(init=other, strategy=strategy)) == [note]


def test_key_of_another_secret_is_set_once() -> None:
    more = (
        "accessCredentials: [{sshPublicKey: {source: {secret: {secretName: %s}},"
        " propagationMethod: {noCloud: {}}}}]"
    )
    assert reasons(side(more=more % "a"), side(more=more % "b")) == [ONCE]


def test_machine_whose_boot_disk_is_made_anew_boots_for_the_first_time() -> None:
    image, init = "containerDisk: {image: fedora}", "cloudInitNoCloud: {userData: %s}"
    before, after = (side(root=image, init=init % value) for value in "ab")
    assert reasons(before, after) == [ANEW]


def test_secret_says_so_as_well() -> None:
    init = "cloudInitNoCloud: {secretRef: {name: a}}"
    for root, note in ((CLAIM, ONCE), ("containerDisk: {image: fedora}", ANEW)):
        before, after = (side(INIT_DATA % value, root=root, init=init) for value in ("YQ==", "Yg=="))
        assert reasons(before, after) == [note]


@pytest.mark.parametrize(
    "more",
    [{"uuid": "other"}, {"root": "persistentVolumeClaim: {claimName: other}"}],
    ids=["other instance id", "other boot disk"],
)
def test_other_guest_applies_the_data(more: dict[str, str]) -> None:
    init = "cloudInitNoCloud: {userData: %s}"
    assert reasons(side(init=init % "a"), side(init=init % "b", **more)) == []


def test_first_data_of_a_machine_are_applied() -> None:
    assert reasons(side(), side(init="cloudInitNoCloud: {userData: b}")) == []
