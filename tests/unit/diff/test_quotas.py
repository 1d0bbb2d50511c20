"""Quotas and Namespaces that do not admit the pods of machines."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
import yaml

from renderer.diff import quotas
from renderer.diff.limit_ranges import limit_refusal
from renderer.diff.quotas import impact_of_limits, limited_namespaces, running_pods
from renderer.kubevirt.facts.cluster import read_cluster_config
from renderer.model.difference import Effect
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

MACHINE = (
    "{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: shop},"
    " spec: {runStrategy: Always, template: {spec: {domain: {memory: {guest: 1Gi}}, volumes: [%s]}}}}"
)
SPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}, annotations: {%s}}}"
ENFORCED = SPACE.replace("team: a}, annotations: {%s", "pod-security.kubernetes.io/enforce: %s")
QUOTA = "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: shop}, spec: {hard: {%s}}}"
AAQ = QUOTA.replace("v1", "aaq.kubevirt.io/v1alpha1").replace("Resource", "ApplicationAwareResource")
LIMITS = (
    "{apiVersion: v1, kind: LimitRange, metadata: {name: l, namespace: shop},"
    " spec: {limits: [{type: Container, max: {memory: 1Mi}}]}}"
)
OF_CLUSTER = (
    "{apiVersion: quota.openshift.io/v1, kind: ClusterResourceQuota, metadata: {name: q},"
    " spec: {selector: {%s}, quota: {hard: {pods: 0}}}}"
)
PROFILE = (
    "{spec: {configuration: {seccompConfiguration: {virtualMachineInstanceProfile: {customProfile: {}}}}}}"
)


def resource(text: str) -> Resource:
    return Resource(yaml.safe_load(text), Site("a.yaml"))


@pytest.mark.parametrize(
    ("before", "after", "volume", "effect", "words"),
    [
        (SPACE % "", ENFORCED % "restricted", "", Effect.NO_START, "enforce is restricted: its next pods"),
        ("", ENFORCED % "restricted", "", Effect.NO_START, "enforce is restricted"),
        (
            SPACE % "",
            ENFORCED % "baseline",
            "{name: a, hostDisk: {}}",
            Effect.NO_START,
            "enforce is baseline",
        ),
        (SPACE % "", ENFORCED % "baseline", "", None, ""),
        (ENFORCED % "restricted", ENFORCED % "baseline", "", None, ""),
        (
            SPACE % "",
            SPACE % "openshift.io/node-selector: gpu=yes",
            "",
            Effect.PENDING,
            "made only for nodes with gpu=yes (openshift.io/node-selector)",
        ),
        (
            SPACE % "openshift.io/node-selector: 'a=b,c=d'",
            SPACE % "openshift.io/node-selector: ' a=b'",
            "",
            None,
            "",
        ),
        (
            "",
            QUOTA % "requests.devices.kubevirt.io/kvm: 0",
            "",
            Effect.NO_START,
            "kvm is 0: its next pods are",
        ),
        ("", QUOTA % "requests.ephemeral-storage: 0", "", Effect.NO_START, "ephemeral-storage is 0"),
        ("", QUOTA % "limits.memory: 0", "", Effect.NO_START, "limits.memory is 0"),
        ("", AAQ % "pods: 0", "", Effect.NO_START, "pods is 0: its next pods wait for room"),
        ("", QUOTA % "requests.devices.kubevirt.io/kvm: 1", "", None, ""),
    ],
)
def test_next_pod_of_a_machine(
    before: str, after: str, volume: str, effect: Effect | None, words: str
) -> None:
    machine, limits = resource(MACHINE % volume), resource(after)
    pods = running_pods(machine)
    assert pods is not None
    former = resource(before) if before else None
    found = impact_of_limits(former, limits, {machine.current_id: pods}, [limits])
    assert (found.effect if found else None) is effect
    assert words in (found.reason if found else "")


def test_pod_with_a_profile_is_restricted() -> None:
    machine, space = resource(MACHINE % ""), resource(ENFORCED % "restricted")
    pods = running_pods(machine, read_cluster_config(yaml.safe_load(PROFILE)))
    assert pods is not None
    assert impact_of_limits(None, space, {machine.current_id: pods}, [space]) is None


@pytest.mark.parametrize(
    ("selector", "namespaces"),
    [
        ("labels: {matchLabels: {team: a}}", ["shop"]),
        ("annotations: {a: b}", ["shop"]),
        ("annotations: {a: c}", []),
        ("labels: {matchLabels: {team: b}}", []),
        ("", []),
    ],
)
def test_quota_of_several_namespaces(selector: str, namespaces: list[str]) -> None:
    assert [*limited_namespaces(resource(OF_CLUSTER % selector), [resource(SPACE % "a: b")])] == namespaces


def test_machines_of_one_size_are_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    machines = [resource((MACHINE % "").replace("db", f"m{number}")) for number in range(50)]
    pods = {each.current_id: found for each in machines if (found := running_pods(each))}
    limits = resource(LIMITS)
    judged = Mock(side_effect=limit_refusal)
    monkeypatch.setattr(quotas, "limit_refusal", judged)
    impact = impact_of_limits(None, limits, pods, [limits])
    assert impact
    assert "VirtualMachine m4 and 45 more run, and memory of a container is at most 1Mi" in impact.reason
    assert judged.call_count == 2  # by the new LimitRange, and by none
