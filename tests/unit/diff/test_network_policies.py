"""NetworkPolicies that no longer allow connections of running machines."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: shop}, spec: {"
    "runStrategy: Always, template: {metadata: {labels: {app: db}}, spec: {networks: [{name: a, pod: {}}]}}}}"
)
POLICY = (
    "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: %s, namespace: shop},"
    " spec: {%s}}"
)
ALL, DB = "podSelector: {}", "podSelector: {matchLabels: {app: db}}"
ONE, OTHER = "ingress: [{ports: [{port: 22}]}]", "ingress: [{ports: [{port: 80}]}]"
BOTH = "ingress: [{ports: [{port: 22}, {port: 80}]}]"
TO, FROM = "only some connections to VirtualMachine db", "only some connections from VirtualMachine db"


def side(*policies: str, machine: str = MACHINE) -> OverlaySide:
    texts = [machine, *(POLICY % (f"p{number}", each) for number, each in enumerate(policies))]
    return OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([], [ALL], TO),
        ([], ["podSelector: {matchLabels: {vm.kubevirt.io/name: db}}"], TO),
        ([], ["podSelector: {matchLabels: {kubevirt.io: virt-launcher}}"], TO),
        ([], [f"{DB}, policyTypes: [Egress]"], FROM),
        ([], [f"{DB}, policyTypes: [Ingress, Egress]"], f"{TO} and from VirtualMachine db are allowed"),
        ([], [f"{DB}, egress: [{{ports: [{{port: 53}}]}}], ingress: [{{}}]"], FROM),
        ([f"{DB}, {ONE}"], [f"{DB}, {OTHER}"], TO),
        ([f"{DB}, {ONE}", f"{ALL}, {OTHER}"], [f"{DB}, {OTHER}"], TO),
        ([], [f"{DB}, ingress: [{{}}]"], ""),
        ([], ["podSelector: {matchLabels: {app: web}}"], ""),
        ([DB], [f"{DB}, {ONE}"], ""),
        ([f"{DB}, {ONE}"], [ALL, f"{DB}, {ONE}"], ""),
        ([ALL], [], ""),
        ([f"{DB}, {ONE}"], [f"{DB}, {BOTH}"], ""),
        ([f"{DB}, {BOTH}"], [f"{DB}, {ONE}", f"{DB}, {OTHER}"], ""),
        ([f"{DB}, {BOTH}"], [f"{DB}, {ONE}"], TO),
        (
            [f"{DB}, {ONE}"],
            [f"{DB}, ingress: [{{from: [{{podSelector: {{}}}}], ports: [{{port: 22}}]}}]"],
            TO,
        ),
        (
            [f"{DB}, ingress: [{{from: [{{podSelector: {{}}}}], ports: [{{port: 22}}]}}]"],
            [f"{DB}, {ONE}"],
            "",
        ),
    ],
)
def test_running_machine_is_cut_off(before: list[str], after: list[str], words: str) -> None:
    changes = compare_overlay("a", "a", side(*before), side(*after)).changes
    reasons = [
        each.impact.reason for each in changes if each.effects == (Effect.DISCONNECTED,) and each.impact
    ]
    assert bool(reasons) is bool(words)
    assert all(words in each for each in reasons)


@pytest.mark.parametrize(
    ("old", "new"), [("Always", "Halted"), ("pod: {}", "multus: {networkName: a}"), ("name: db", "name: web")]
)
def test_others_have_no_connections_to_lose(old: str, new: str) -> None:
    after = side(ALL, machine=MACHINE.replace(old, new, 1))
    before = side(machine=MACHINE if new.startswith("name") else MACHINE.replace(old, new, 1))
    changes = compare_overlay("a", "a", before, after).changes
    assert not any(Effect.DISCONNECTED in each.effects for each in changes)
