"""Machines that get the MAC address or the name in DNS of another one."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.shared_identities import with_shared_identities
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: shop}, spec: {"
    "runStrategy: Always, template: {spec: {hostname: h, subdomain: s, domain: {devices: {interfaces:"
    " [{name: n, bridge: {}, macAddress: '02:00:00:00:00:01'}]}},"
    " networks: [{name: n, multus: {networkName: lan}}]}}}}"
)
ANOTHER = MACHINE.replace("db", "web").replace("hostname: h", "hostname: other")
OTHER = ANOTHER.replace("00:01", "00:02")
POOL = (
    "{apiVersion: pool.kubevirt.io/v1beta1, kind: VirtualMachinePool, metadata: {name: p, namespace: shop},"
    " spec: {replicas: 2, selector: {}, virtualMachineTemplate: {spec: "
    + MACHINE.partition("spec: ")[2][:-1]
    + "}}}"
)
IN_NET = MACHINE.replace("networkName: lan", "networkName: net/lan")
MAC = "the MAC address 02:00:00:00:00:01, which VirtualMachine db has, too: "


def reasons(before: list[str], after: list[str]) -> list[str]:
    old, new = (
        OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))
        for texts in (before, after)
    )
    changes = compare_overlay("a", "a", old, new).changes
    found = with_shared_identities(changes, old.written, new.written)
    return [each.impact.reason for each in found if each.impact and each.impact.effect is Effect.DISCONNECTED]


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ([MACHINE], [MACHINE, ANOTHER], MAC),
        ([MACHINE, OTHER], [MACHINE, ANOTHER], MAC),
        ([MACHINE, ANOTHER.replace("Always", "Halted")], [MACHINE, ANOTHER], MAC),
        ([MACHINE], [MACHINE, OTHER.replace("hostname: other", "hostname: h")], "the host name h.s, which "),
        (
            [POOL.replace("replicas: 2", "replicas: 1")],
            [POOL],
            "the MAC address 02:00:00:00:00:01, which all ",
        ),
        ([IN_NET], [IN_NET, IN_NET.replace("shop", "prod")], MAC.replace("db has", "shop/db has")),
        ([MACHINE], [MACHINE, OTHER], ""),
        ([MACHINE], [MACHINE, ANOTHER.replace("Always", "Halted")], ""),
        ([MACHINE], [MACHINE, ANOTHER.replace("lan", "dmz")], ""),
        ([MACHINE], [ANOTHER], ""),
        ([MACHINE, ANOTHER], [MACHINE, ANOTHER.replace("Always", "Manual")], ""),
        ([POOL], [POOL.replace("replicas: 2", "replicas: 3")], ""),
    ],
)
def test_identity_of_another_machine(before: list[str], after: list[str], said: str) -> None:
    found = reasons(before, after)
    assert any(each.startswith(said) for each in found) if said else not found
