"""Objects that machines need by way of others."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.indirect_needs import IndirectNeeds
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = """
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: db, namespace: shop}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {}
      resourceClaims: [{name: gpu, resourceClaimName: gpu}]
      volumes:
      - {name: root, persistentVolumeClaim: {claimName: data}}
      - {name: os, containerDisk: {image: example.org/os}}
"""
OBJECT = "{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: NS}}"
ACCOUNT = (
    "{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, namespace: shop},"
    " imagePullSecrets: [{name: s}]}"
)
CLAIM = (
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: shop},"
    " spec: {storageClassName: fast, volumeName: v}}"
)
CLASS = (
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, parameters:"
    " {csi.storage.k8s.io/node-stage-secret-name: s, csi.storage.k8s.io/node-stage-secret-namespace: ceph}}"
)
VOLUME = (
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v},"
    " spec: {csi: {nodeStageSecretRef: {name: s, namespace: ceph}}}}"
)
DEVICE = (
    "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: gpu, namespace: shop},"
    " spec: {devices: {requests: [{name: g, exactly: {deviceClassName: c}}]}}}"
)
DEVICES = "{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: c}}"
KUBEVIRT = (
    "{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: k, namespace: kubevirt},"
    " spec: {configuration: {migrations: {network: lan}}}}"
)
LAN = (
    "{apiVersion: k8s.cni.cncf.io/v1, kind: NetworkAttachmentDefinition,"
    " metadata: {name: lan, namespace: kubevirt}}"
)
IN_SHOP, IN_CEPH = OBJECT.replace("NS", "shop"), OBJECT.replace("NS", "ceph")
PULLS = "VirtualMachine db pulls its image without it at its next start or live migration"


def reasons(before: list[str], after: list[str], machine: str = MACHINE) -> list[str]:
    old, new = (
        OverlaySide(
            LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in (machine, *texts))
        )
        for texts in (before, after)
    )
    needs = IndirectNeeds()
    needs.add("a", old.written, new.written)
    changes = (
        needs.judged(each, "a", lambda one, other: one == other)
        for each in compare_overlay("a", "a", old, new).changes
    )
    return [each.impact.reason for each in changes if each.impact and each.impact.effect is Effect.NO_START]


@pytest.mark.parametrize(
    ("kept", "removed", "words"),
    [
        ([ACCOUNT], IN_SHOP, f"ServiceAccount shop/default names Secret s: {PULLS}"),
        ([CLAIM, CLASS], IN_CEPH, "StorageClass fast names Secret s: VirtualMachine db waits for its disk"),
        ([CLAIM, VOLUME], IN_CEPH, "PersistentVolume v names Secret s: VirtualMachine db waits for its disk"),
        ([DEVICE], DEVICES, "ResourceClaim shop/gpu names DeviceClass c: VirtualMachine db is not scheduled"),
        (
            [KUBEVIRT],
            LAN,
            "KubeVirt kubevirt/k names NetworkAttachmentDefinition lan: VirtualMachine db may not",
        ),
    ],
)
def test_object_that_leaves_git(kept: list[str], removed: str, words: str) -> None:
    [found] = reasons([*kept, removed], kept)
    assert found.startswith(words)


def test_account_that_no_longer_names_a_secret() -> None:
    assert reasons([ACCOUNT], [ACCOUNT.replace("{name: s}", "")]) == [f"it no longer names Secret s: {PULLS}"]
    assert reasons([ACCOUNT], []) == [f"it no longer names Secret s: {PULLS}"]


def test_account_that_names_another_secret() -> None:
    assert not reasons([ACCOUNT], [ACCOUNT.replace("name: s}", "name: s-bt2f99hd62}")])


@pytest.mark.parametrize(
    ("kept", "removed", "machine"),
    [
        ([ACCOUNT], IN_CEPH, MACHINE),
        ([ACCOUNT], IN_SHOP, MACHINE.replace("example.org/os", "a, imagePullSecret: b")),
        ([ACCOUNT], IN_SHOP, MACHINE.replace("Always", "Halted")),
        ([CLASS], IN_CEPH, MACHINE),
        ([CLAIM, CLASS], IN_CEPH, MACHINE.replace("claimName: data", "claimName: other")),
        ([CLAIM, CLASS.replace("node-stage", "provisioner")], IN_CEPH, MACHINE),
        ([CLAIM, VOLUME.replace("nodeStage", "controllerExpand")], IN_CEPH, MACHINE),
    ],
)
def test_object_that_no_machine_needs(kept: list[str], removed: str, machine: str) -> None:
    assert not reasons([*kept, removed], kept, machine)


MADE = "{apiVersion: %s/v1, kind: %s, metadata: {name: %s, namespace: shop}, spec: {secret: %s}}"


@pytest.mark.parametrize(
    "maker", [("external-secrets.io", "ExternalSecret", "s", "a"), ("example.org", "Registry", "r", "s")]
)
def test_object_that_an_operator_makes_from_now_on(maker: tuple[str, ...]) -> None:
    assert not reasons([ACCOUNT, IN_SHOP], [ACCOUNT, MADE % maker])
