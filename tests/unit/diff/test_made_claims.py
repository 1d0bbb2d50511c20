"""Claims and DataVolumes of Git that a machine makes as well."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.made_claims import MadeClaims
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Danger, Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

_MADE = (
    "[{metadata: {name: root}, spec: {source: {blank: {}},"
    " storage: {storageClassName: fast, resources: {requests: {storage: 1Gi}}}}}]"
)
MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: shop},"
    f" spec: {{runStrategy: Always, dataVolumeTemplates: {_MADE}, template: {{spec: {{domain: {{}}}}}}}}}}"
)
WITHOUT = MACHINE.replace(f"dataVolumeTemplates: {_MADE}, ", "")
POOL = (
    "{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, metadata: {name: db, namespace: shop},"
    " spec: {replicas: 2, selector: {}, virtualMachineTemplate: {spec: {runStrategy: Always,"
    f" dataVolumeTemplates: {_MADE}, template: {{spec: {{domain: {{}}}}}}}}}}}}}}"
)
CLAIM = (
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: root, namespace: shop},"
    " spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
)
VOLUME = (
    "{apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume, metadata: {name: root, namespace: shop},"
    " spec: {source: {blank: {}}, storage: {resources: {requests: {storage: 1Gi}}}}}"
)
TOO = "has made it, too (dataVolumeTemplates): whichever of the two is removed deletes it"
TAKEN = "it takes over PersistentVolumeClaim shop/{} (dataVolumeTemplates), and that is deleted with it"


def judged(before: list[str], after: list[str]) -> list[ResourceChange]:
    old, new = (
        OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))
        for texts in (before, after)
    )
    claims = MadeClaims()
    claims.add("a", old, new)
    changes = compare_overlay("a", "a", old, new).changes
    return [claims.judged(each, "a", lambda one, other: one == other) for each in changes]


@pytest.mark.parametrize(
    ("before", "after", "effect", "said"),
    [
        ([MACHINE], [MACHINE, CLAIM], Effect.AT_RISK, f"VirtualMachine db {TOO}"),
        ([MACHINE], [MACHINE, VOLUME], Effect.AT_RISK, f"VirtualMachine db {TOO}"),
        ([MACHINE], [WITHOUT, CLAIM], Effect.NONE, f"VirtualMachine db {TOO}"),
        ([POOL], [POOL, CLAIM.replace("root", "root-1")], Effect.AT_RISK, f"VirtualMachinePool db {TOO}"),
        (
            [MACHINE],
            [MACHINE, CLAIM.replace("spec: {", "spec: {storageClassName: slow, ")],
            Effect.REFUSED,
            "VirtualMachine db has made it: the API server does not let it change: ",
        ),
        (
            [MACHINE],
            [MACHINE, VOLUME.replace("1Gi", "2Gi")],
            Effect.REFUSED,
            "VirtualMachine db has made it: CDI does not let it change: ",
        ),
        ([WITHOUT, CLAIM], [MACHINE, CLAIM], Effect.AT_RISK, TAKEN.format("root")),
        ([CLAIM], [MACHINE, CLAIM], Effect.AT_RISK, TAKEN.format("root")),
        (
            [POOL.replace("replicas: 2", "replicas: 1"), CLAIM.replace("root", "root-1")],
            [POOL, CLAIM.replace("root", "root-1")],
            Effect.AT_RISK,
            TAKEN.format("root-1"),
        ),
    ],
)
def test_disk_gets_a_second_owner(before: list[str], after: list[str], effect: Effect, said: str) -> None:
    impacts = [each.impact for each in judged(before, after) if each.impact]
    assert any(each.effect is effect and each.reason.startswith(said) for each in impacts), impacts


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ([], [MACHINE, CLAIM]),
        ([MACHINE, CLAIM], [MACHINE.replace("Always", "Manual"), CLAIM]),
        ([WITHOUT], [WITHOUT, CLAIM]),
        ([MACHINE], [MACHINE, CLAIM.replace("shop", "other")]),
        ([POOL], [POOL, CLAIM.replace("root", "root-2")]),
        ([POOL], [POOL, CLAIM]),
    ],
)
def test_nothing_is_taken_over(before: list[str], after: list[str]) -> None:
    assert Danger.DATA not in {each.danger for each in judged(before, after)}
