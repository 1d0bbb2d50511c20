from __future__ import annotations

from typing import Any

import pytest

from renderer.diff.compare import compare_overlay
from renderer.diff.overlay_side import OverlaySide
from renderer.diff.totals import totals_of
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.difference import Amounts, Totals
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.release import LATEST

GI = 1 << 30


def machine(domain: dict[str, Json], kind: str = "VirtualMachine", **spec: Json) -> VirtualMachineView:
    template: dict[str, Any] = {"template": {"spec": {"domain": domain}}, **spec}
    if kind == "VirtualMachinePool":
        template = {"virtualMachineTemplate": {"spec": template}, "replicas": spec.get("replicas")}
    api_version = "pool.kubevirt.io/v1beta1" if kind == "VirtualMachinePool" else "kubevirt.io/v1"
    content: dict[str, Json] = {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": template,
    }
    found = VirtualMachineView.of(Resource(content, Site("a.yaml")))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("domain", "vcpus", "memory"),
    [
        ({}, 1, 0),
        ({"cpu": {"sockets": 2, "cores": 3, "threads": 2}, "memory": {"guest": "1Gi"}}, 12, GI),
        ({"cpu": {"cores": 3}}, 3, 0),
        ({"resources": {"requests": {"cpu": "1500m", "memory": "2Gi"}}}, 2, 2 * GI),
        ({"resources": {"requests": {"cpu": 1}, "limits": {"cpu": 4, "memory": "2Gi"}}}, 4, 2 * GI),
        ({"cpu": {"sockets": "two"}, "memory": {"guest": "much"}}, 1, 0),
    ],
)
def test_sizes_are_totalled(domain: dict[str, Json], vcpus: int, memory: int) -> None:
    assert totals_of([machine(domain)]).running == Amounts(1, vcpus, memory)


def test_halted_machines_are_counted_separately() -> None:
    domain: dict[str, Json] = {
        "memory": {"guest": "1Gi", "hugepages": {"pageSize": "2Mi"}},
        "devices": {"gpus": [{"name": "a"}, {"name": "b"}]},
    }
    machines = [machine(domain, runStrategy="Halted"), machine(domain, running=False), machine(domain)]
    one = Amounts(1, 1, GI, GI, 2)
    assert totals_of(machines) == Totals(one, one.plus(one))


def test_pools_count_once_per_replica() -> None:
    pool = machine({"memory": {"guest": "1Gi"}}, "VirtualMachinePool", replicas=3)
    assert totals_of([pool]).running == Amounts(3, 3, 3 * GI)
    assert totals_of([]) == Totals()


def test_refused_machines_do_not_move_the_totals() -> None:
    small, large = (machine({"memory": {"guest": guest}}).resource for guest in ("1Gi", "2Gi"))
    new = machine({"memory": {"guest": "8Gi"}}).resource
    added = new.with_content({**new.content, "metadata": {"name": "b"}})
    refused = {large.current_id: ("too large",), added.current_id: ("too large",)}
    before = OverlaySide(LATEST, (small,))
    one, two = Amounts(1, 1, GI), Amounts(1, 1, 2 * GI)
    after = OverlaySide(LATEST, (large, added))
    assert compare_overlay("prod", "prod", before, after._replace(refused=refused)).totals == (
        Totals(one),
        Totals(one),
    )
    assert compare_overlay("prod", "prod", before, after).totals == (
        Totals(one),
        Totals(two.plus(Amounts(1, 1, 8 * GI))),
    )
