"""LimitRanges that do not admit the pod of a machine."""

from __future__ import annotations

import pytest
import yaml

from renderer.diff.limit_ranges import limit_refusal
from renderer.kubevirt.facts.cluster import DEFAULT_CONFIG
from renderer.kubevirt.facts.compute_container import compute_container
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource

LARGE = "cpu: {cores: 4}, memory: {guest: 4Gi}"
PINNED = "cpu: {cores: 4, dedicatedCpuPlacement: true, isolateEmulatorThread: true}, memory: {guest: 4Gi}"
LIMITED = f'{LARGE}, resources: {{limits: {{cpu: "4"}}}}'
PAGES = "memory: {guest: 4Gi, hugepages: {pageSize: 2Mi}}"
OVERCOMMITTED = "memory: {guest: 4Gi}, resources: {requests: {memory: 1Gi}}"


def resource(kind: str, spec: str) -> Resource:
    text = f"{{apiVersion: v1, kind: {kind}, metadata: {{name: a, namespace: b}}, spec: {{{spec}}}}}"
    return Resource(
        yaml.safe_load(text.replace("v1", "kubevirt.io/v1") if "domain" in spec else text), Site("a")
    )


@pytest.mark.parametrize(
    ("domain", "limits", "refusal"),
    [
        (LARGE, "type: Container, max: {memory: 3Gi}", "memory of a container is at most 3Gi"),
        (LARGE, "type: Container, max: {memory: 4Gi}", "memory of a container is at most 4Gi"),
        (LARGE, "type: Container, max: {memory: 5Gi}", ""),
        (LARGE, "type: Container, max: {cpu: 300m}", "cpu of a container is at most 300m"),
        (LARGE, 'type: Container, max: {cpu: "1"}', ""),
        (PINNED, 'type: Container, max: {cpu: "4"}', "cpu of a container is at most 4"),
        (PINNED, 'type: Container, max: {cpu: "6"}', ""),
        (LIMITED, 'type: Container, max: {cpu: "2"}', "cpu of a container is at most 2"),
        (LARGE, "type: Container, min: {memory: 16Gi}", "memory of a container is at least 16Gi"),
        (LARGE, "type: Container, min: {memory: 4Gi}", ""),
        (LARGE, 'type: Container, min: {cpu: "1"}', "cpu of a container is at least 1"),
        (LARGE, "type: Container, default: {memory: 1Gi}", "a container gets a limit of 1Gi memory, less"),
        (LARGE, "type: Container, default: {memory: 8Gi}, defaultRequest: {memory: 1Mi}", ""),
        (LARGE, "type: Container, maxLimitRequestRatio: {cpu: 2}", "a container needs a limit of cpu"),
        (LIMITED, "type: Container, maxLimitRequestRatio: {cpu: 2}", "a limit of cpu is at most 2 times"),
        (LIMITED, "type: Container, maxLimitRequestRatio: {cpu: 10}", ""),
        (LARGE, "type: Pod, max: {memory: 8Gi}", "a pod needs a limit of memory"),
        (LARGE, "type: Pod, max: {memory: 8Gi}}, {type: Container, default: {memory: 8Gi}", ""),
        (LARGE, "type: PersistentVolumeClaim, max: {storage: 1Gi}", ""),
        (PAGES, "type: Container, max: {memory: 2Gi}", ""),
        (OVERCOMMITTED, "type: Container, max: {memory: 2Gi}", ""),
        (LARGE, "type: Container, max: {memory: many}", ""),
    ],
)
def test_pod_of_machine_is_refused(domain: str, limits: str, refusal: str) -> None:
    machine = resource("VirtualMachine", f"runStrategy: Always, template: {{spec: {{domain: {{{domain}}}}}}}")
    view = VirtualMachineView.of(machine)
    assert view is not None
    found = limit_refusal(
        resource("LimitRange", f"limits: [{{{limits}}}]"), compute_container(view, DEFAULT_CONFIG)
    )
    assert found.startswith(refusal) if refusal else not found
    assert not limit_refusal(None, compute_container(view, DEFAULT_CONFIG))
    given = limit_refusal(
        resource("LimitRange", f"limits: [{{{limits}}}]"), compute_container(view, DEFAULT_CONFIG), ["memory"]
    )
    assert given == ("" if "memory" in found and "limit" in found else found)
