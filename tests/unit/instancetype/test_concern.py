from __future__ import annotations

import pytest

from renderer.instancetype.concern import concerns
from renderer.model.json import JsonObject
from renderer.model.location import Site
from renderer.model.render_config import ExpandMode
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet

PLAIN: JsonObject = {"template": {"spec": {}}}
GIVING_VCPUS: JsonObject = {"template": {"spec": {"domain": {"cpu": {"guest": 2}}}}}
MATCHING: JsonObject = {"instancetype": {"name": "medium"}, **PLAIN}


def concerned(api_version: str, kind: str, spec: JsonObject, mode: ExpandMode) -> bool:
    content: JsonObject = {"apiVersion": api_version, "kind": kind, "metadata": {"name": "x"}, "spec": spec}
    other = Resource({"apiVersion": "v1", "kind": "ConfigMap"}, Site("other.yaml"))
    return concerns(ResourceSet((other, Resource(content, Site("x.yaml")))), mode)


@pytest.mark.parametrize("mode", ExpandMode)
@pytest.mark.parametrize(
    ("api_version", "kind", "spec"),
    [
        ("kubevirt.io/v1", "VirtualMachine", MATCHING),
        ("kubevirt.io/v1", "KubeVirt", {}),
        ("kubevirt.io/v1", "VirtualMachine", GIVING_VCPUS),
        ("pool.kubevirt.io/v1beta1", "VirtualMachinePool", {"virtualMachineTemplate": {"spec": MATCHING}}),
        ("instancetype.kubevirt.io/v1beta1", "VirtualMachineInstancetype", {}),
    ],
)
def test_what_is_looked_up_or_checked_in_every_mode(
    api_version: str, kind: str, spec: JsonObject, mode: ExpandMode
) -> None:
    assert concerned(api_version, kind, spec, mode)


def test_a_vm_without_matchers_is_not_touched_where_nothing_is_expanded() -> None:
    assert not concerned("kubevirt.io/v1", "VirtualMachine", PLAIN, ExpandMode.OFF)
    assert concerned("kubevirt.io/v1", "VirtualMachine", PLAIN, ExpandMode.APPLIED)


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Secret"),
        ("kubevirt.io.example.org/v1", "VirtualMachine"),
        ("mykubevirt.io/v1", "VirtualMachine"),
    ],
)
def test_kinds_of_others(api_version: str, kind: str) -> None:
    assert not concerned(api_version, kind, MATCHING, ExpandMode.APPLIED)
