"""NetworkPolicies that no longer allow connections of running machines."""

from __future__ import annotations

from contextvars import copy_context

import pytest
import yaml

from renderer.diff.compare import compare_overlay
from renderer.diff.network_policies import with_cut_connections
from renderer.diff.overlay_side import OverlaySide
from renderer.model.difference import ChangeType, Effect, ResourceChange
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST
from renderer.model.run.work import begin_run, spent

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
EVERYWHERE = "{ipBlock: {cidr: 0.0.0.0/0}}, {ipBlock: {cidr: '::/0'}}"
IS_B, IN = "namespaceSelector: {matchLabels: {a: b}}", "{key: a, operator: In"
TO, FROM = "only some connections to VirtualMachine db", "only some connections from VirtualMachine db"


def rule(peer: str, ports: str = "") -> str:
    return f"{DB}, ingress: [{{from: [{{{peer}}}], ports: [{ports}]}}]"


def side(*policies: str, machine: str = MACHINE) -> OverlaySide:
    texts = [machine, *(POLICY % (f"p{number}", each) for number, each in enumerate(policies))]
    return OverlaySide(LATEST, tuple(Resource(yaml.safe_load(each), Site("a.yaml")) for each in texts))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([], [ALL], TO),
        ([], ["podSelector: {matchLabels: {vm.kubevirt.io/name: db}}"], TO),
        ([], ["podSelector: {matchLabels: {kubevirt.io: virt-launcher}}"], TO),
        ([], ["podSelector: {matchExpressions: [{key: kubevirt.io/created-by, operator: Exists}]}"], TO),
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
        ([f"{DB}, {ONE}"], [f"{DB}, ingress: [{{ports: [{{port: 22, protocol: TCP}}]}}]"], ""),
        ([f"{DB}, {ONE}"], [f"{DB}, ingress: [{{ports: [{{port: 22, protocol: UDP}}]}}]"], TO),
        ([f"{DB}, {BOTH}"], [f"{DB}, ingress: [{{ports: [{{port: 22, endPort: 80}}]}}]"], ""),
        ([f"{DB}, ingress: [{{ports: [{{port: 22, endPort: 80}}]}}]"], [f"{DB}, {BOTH}"], TO),
        ([f"{DB}, ingress: [{{ports: [{{port: ssh}}]}}]"], [f"{DB}, ingress: [{{ports: [{{}}]}}]"], ""),
        ([f"{DB}, ingress: [{{ports: [{{port: ssh}}]}}]"], [f"{DB}, {ONE}"], TO),
        ([rule("ipBlock: {cidr: 10.1.0.0/16}")], [rule("ipBlock: {cidr: 10.0.0.0/8}")], ""),
        ([rule("ipBlock: {cidr: 10.0.0.0/8}")], [rule("ipBlock: {cidr: 10.1.0.0/16}")], TO),
        (
            [rule("ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}")],
            [rule("ipBlock: {cidr: 10.0.0.0/8}")],
            "",
        ),
        (
            [rule("ipBlock: {cidr: 10.0.0.0/8}")],
            [rule("ipBlock: {cidr: 10.0.0.0/8, except: [10.1.0.0/16]}")],
            TO,
        ),
        ([rule("ipBlock: {cidr: 10.0.0.0/8}")], [rule("ipBlock: {cidr: '::/0'}")], TO),
        ([rule("ipBlock: {cidr: x}")], [rule("ipBlock: {cidr: y}")], TO),
        ([], [f"{DB}, egress: [{{to: [{EVERYWHERE}]}}], ingress: [{{}}]"], ""),
        ([], [f"{DB}, egress: [{{to: [{{ipBlock: {{cidr: 0.0.0.0/0}}}}]}}], ingress: [{{}}]"], FROM),
        ([rule("namespaceSelector: {}")], [f"{DB}, ingress: [{{from: [{EVERYWHERE}]}}]"], ""),
        (
            [rule("ipBlock: {cidr: 10.0.0.0/8}")],
            [rule("ipBlock: {cidr: 10.0.0.0/9}"), rule("ipBlock: {cidr: 10.128.0.0/9}")],
            "",
        ),
        (
            [rule("ipBlock: {cidr: 10.0.0.0/8}")],
            [rule("ipBlock: {cidr: 10.0.0.0/9}"), rule("ipBlock: {cidr: 10.192.0.0/10}")],
            TO,
        ),
        ([rule(IS_B)], [rule(f"namespaceSelector: {{matchExpressions: [{IN}, values: [b, c]}}]}}")], ""),
        ([rule(f"namespaceSelector: {{matchExpressions: [{IN}, values: [b, c]}}]}}")], [rule(IS_B)], TO),
        (
            [rule(f"namespaceSelector: {{matchExpressions: [{IN}, values: [b, c]}}]}}")],
            [rule(IS_B), rule(IS_B.replace("b}", "c}"))],
            "",
        ),
        ([rule(IS_B)], [rule("namespaceSelector: {matchExpressions: [{key: a, operator: Exists}]}")], ""),
        ([rule("namespaceSelector: {matchExpressions: [{key: a, operator: Exists}]}")], [rule(IS_B)], TO),
        (
            [rule("podSelector: {matchLabels: {a: b}}")],
            [rule("podSelector: {matchExpressions: [{key: a, operator: NotIn, values: [c]}]}")],
            "",
        ),
        ([rule("podSelector: {matchLabels: {a: b}}")], [rule("podSelector: {}")], ""),
        ([rule("podSelector: {}")], [rule("podSelector: {matchLabels: {a: b}}")], TO),
        ([rule("podSelector: {}")], [rule("namespaceSelector: {}")], ""),
        ([rule("podSelector: {}")], [rule("namespaceSelector: {matchLabels: {a: b}}")], TO),
        ([rule("namespaceSelector: {}")], [rule("podSelector: {}")], TO),
        (
            [rule("podSelector: {matchLabels: {a: b}}, namespaceSelector: {matchLabels: {c: d}}")],
            [rule("namespaceSelector: {matchLabels: {c: d}}")],
            "",
        ),
        (
            [rule("namespaceSelector: {matchLabels: {c: d}}")],
            [rule("podSelector: {matchLabels: {a: b}}, namespaceSelector: {matchLabels: {c: d}}")],
            TO,
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


def test_rules_are_compared_once_for_machines_that_the_same_policies_select() -> None:
    ports = ", ".join(f"{{port: {each}}}" for each in range(100))
    policies = [
        POLICY % ("p", f"{ALL}, ingress: [{{ports: [{each}]}}]") for each in (ports, f"{ports}, {{}}")
    ]

    def steps(number: int) -> int:
        begin_run()
        machines = [MACHINE.replace("name: db", f"name: db{each}", 1) for each in range(number)]
        before, after = (
            [Resource(yaml.safe_load(each), Site("a.yaml")) for each in (*machines, policy)]
            for policy in policies
        )
        id_ = after[-1].current_id
        with_cut_connections([ResourceChange(ChangeType.CHANGED, id_, id_)], before, after)
        return spent()

    few, many = (copy_context().run(steps, number) for number in (1, 20))
    assert 0 < many < 1.2 * few
