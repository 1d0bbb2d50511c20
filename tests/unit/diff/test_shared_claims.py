"""Machines that begin to write to the claim of another running machine."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Danger, DataEffect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: %s, namespace: shop}, spec: {"
    "runStrategy: Always, template: {spec: {domain: {devices: {disks: [{name: d, disk: {}}]}},"
    " volumes: [{name: d, persistentVolumeClaim: {claimName: %s}}]}}}}"
)
CLAIM = (
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, namespace: shop},"
    " spec: {accessModes: [ReadWriteOnce]}}"
)
ONE, OTHER, SECOND = MACHINE % ("db", "a"), MACHINE % ("web", "b"), MACHINE % ("web", "a")
HALTED = SECOND.replace("Always", "Halted")


def side(*texts: str) -> OverlaySide:
    return OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))


@pytest.mark.parametrize(
    ("before", "after", "claim", "is_shared"),
    [
        (OTHER, SECOND, CLAIM, True),
        ("", SECOND, CLAIM, True),
        (HALTED, SECOND, CLAIM, True),
        (OTHER, HALTED, CLAIM, False),
        (OTHER, SECOND, CLAIM.replace("Once", "Many"), False),
        (OTHER, SECOND.replace("disk: {}", "cdrom: {}"), CLAIM, False),
        (SECOND, SECOND.replace("template: {", "template: {metadata: {labels: {a: b}}, "), CLAIM, False),
    ],
)
def test_a_second_machine_writes_to_a_claim(before: str, after: str, claim: str, *, is_shared: bool) -> None:
    texts = [ONE, claim]
    old, new = (side(*texts, *filter(None, [each])) for each in (before, after))
    [change] = compare_overlay("a", "a", old, new).changes
    found = [each for each in change.data if each.effect is DataEffect.SHARED]
    assert bool(found) is is_shared
    if found:
        assert found[0].text.startswith("VirtualMachine db writes to it, too, and it is ReadWriteOnce: ")
        assert change.danger is Danger.DATA


WORKLOAD = (
    "{apiVersion: apps/v1, kind: %s, metadata: {name: copy, namespace: shop}, spec: {%s: {spec: {containers:"
    " [{name: c, %s}], volumes: [{name: v, persistentVolumeClaim: {claimName: a}}]}}}}"
)
MOUNTS = "volumeMounts: [{name: v, mountPath: /v}]"
DEPLOYMENT, JOB = (WORKLOAD % (kind, "template", MOUNTS) for kind in ("Deployment", "Job"))
CRON_JOB = WORKLOAD % ("CronJob", "jobTemplate: {spec: {template", MOUNTS) + "}}"


@pytest.mark.parametrize(
    ("before", "after", "sharing"),
    [
        ([ONE], [ONE, DEPLOYMENT], ["Deployment"]),
        ([ONE], [ONE, JOB], ["Job"]),
        ([ONE], [ONE, CRON_JOB], ["CronJob"]),
        ([ONE], [ONE, WORKLOAD % ("Deployment", "template", "volumeDevices: [{name: v}]")], ["Deployment"]),
        ([ONE, DEPLOYMENT.replace("spec: {t", "spec: {replicas: 0, t")], [ONE, DEPLOYMENT], ["Deployment"]),
        ([ONE, DEPLOYMENT], [ONE, DEPLOYMENT.replace("Path: /v", "Path: /w")], []),
        ([ONE], [ONE, CRON_JOB.replace("spec: {j", "spec: {suspend: true, j")], []),
        ([ONE], [ONE, DEPLOYMENT.replace("mountPath", "readOnly: true, mountPath")], []),
        ([ONE], [ONE, DEPLOYMENT.replace("claimName", "readOnly: true, claimName")], []),
        ([ONE.replace("Always", "Halted")], [ONE.replace("Always", "Halted"), DEPLOYMENT], []),
        ([DEPLOYMENT], [DEPLOYMENT, ONE], ["VirtualMachine"]),
        ([JOB], [JOB, ONE], []),  # it has filled the disk
        ([], [JOB, ONE], []),  # it fills the disk
        ([DEPLOYMENT], [DEPLOYMENT, DEPLOYMENT.replace("copy", "other")], []),  # no machine
    ],
)
def test_a_workload_writes_to_the_claim_of_a_machine(
    before: list[str], after: list[str], sharing: list[str]
) -> None:
    changes = compare_overlay("a", "a", side(CLAIM, *before), side(CLAIM, *after)).changes
    found = [
        each.id.gvk.kind for each in changes if any(one.effect is DataEffect.SHARED for one in each.data)
    ]
    assert found == sharing


def test_a_second_pod_cannot_mount_a_claim_of_one_pod() -> None:
    claim = CLAIM.replace("Once", "OncePod")
    changes = compare_overlay("a", "a", side(ONE, claim), side(ONE, claim, SECOND)).changes
    [text] = [each.text for change in changes for each in change.data if each.effect is DataEffect.SHARED]
    assert text.endswith("it is ReadWriteOncePod: the machine does not start beside another one")


def test_few_of_many_machines_that_write_to_a_claim_are_named() -> None:
    machines = [MACHINE % (f"m{each}", "a") for each in range(8)]
    changes = compare_overlay("a", "a", side(CLAIM), side(CLAIM, *machines)).changes
    texts = [each.text for change in changes for each in change.data if each.effect is DataEffect.SHARED]
    assert len(texts) == 8
    assert all(each.count("VirtualMachine") == 5 and " and 2 more write to it, too" in each for each in texts)
