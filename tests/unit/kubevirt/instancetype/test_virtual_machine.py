from __future__ import annotations

import pytest

from renderer.kubevirt.instancetype.virtual_machine import needs_instancetype_stage
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet

PLAIN: JsonObject = {"template": {"spec": {}}}
MATCHING: JsonObject = {"instancetype": {"name": "medium"}, **PLAIN}
POOL = ("pool.kubevirt.io/v1beta1", "VirtualMachinePool")
VM = ("kubevirt.io/v1", "VirtualMachine")


def concerned(api_version: str, kind: str, spec: JsonObject) -> bool:
    content: JsonObject = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}
    other = Resource({"apiVersion": "v1", "kind": "ConfigMap"}, Site("other.yaml"))
    return needs_instancetype_stage(ResourceSet((other, Resource(content, Site("x.yaml")))))


def giving_vcpus(count: int | None) -> JsonObject:
    return {"template": {"spec": {"domain": {"cpu": {"guest": count}}}}}


@pytest.mark.parametrize(
    ("api_version", "kind", "spec"),
    [
        (*VM, MATCHING),
        (*VM, {"preference": None, **PLAIN}),
        (*VM, giving_vcpus(2)),
        (*VM, giving_vcpus(None)),
        (*POOL, {"virtualMachineTemplate": {"spec": MATCHING}}),
        ("kubevirt.io/v1", "KubeVirt", {}),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", {}),
    ],
)
def test_machines_with_matchers_or_custom_sizes_are_processed(
    api_version: str, kind: str, spec: JsonObject
) -> None:
    assert concerned(api_version, kind, spec)


@pytest.mark.parametrize(
    ("api_version", "kind", "spec"),
    [
        (*VM, PLAIN),
        (*VM, {}),
        (*POOL, {"virtualMachineTemplate": {"spec": PLAIN}}),
        ("kubevirt.io/v1", "VirtualMachineInstance", {}),
    ],
)
def test_complete_machines_are_skipped(api_version: str, kind: str, spec: JsonObject) -> None:
    assert not concerned(api_version, kind, spec)


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Secret"),
        ("kubevirt.io.example.org/v1", "VirtualMachine"),
        ("mykubevirt.io/v1", "VirtualMachine"),
    ],
)
def test_kinds_of_other_groups_are_skipped(api_version: str, kind: str) -> None:
    assert not concerned(api_version, kind, MATCHING)
