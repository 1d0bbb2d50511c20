from __future__ import annotations

import pytest

from renderer.instancetype.cause import CauseError
from renderer.instancetype.requirements import satisfies
from renderer.model.json import Json, JsonObject
from renderer.model.location import Site
from renderer.model.release import LATEST, Release
from renderer.model.resource import Resource


def resource(kind: str, spec: JsonObject, version: str = "v1beta1") -> Resource:
    content: dict[str, Json] = {
        "apiVersion": f"instancetype.kubevirt.io/{version}",
        "kind": kind,
        "metadata": {"name": "a"},
        "spec": spec,
    }
    return Resource(content, Site("a.yaml"))


def instancetype(vcpus: int, memory: str) -> Resource:
    spec: JsonObject = {"cpu": {"guest": vcpus}, "memory": {"guest": memory}}
    return resource("VirtualMachineClusterInstancetype", spec)


def preference(requirements: JsonObject | None, **spec: Json) -> Resource:
    given: JsonObject = {} if requirements is None else {"requirements": requirements}
    return resource("VirtualMachineClusterPreference", {**spec, **given})


@pytest.mark.parametrize(
    ("requirements", "fits"),
    [
        (None, True),
        ({}, True),
        ({"cpu": {"guest": 2}}, True),
        ({"cpu": {"guest": 3}}, False),
        ({"memory": {"guest": "4096Mi"}}, True),
        ({"memory": {"guest": "4097Mi"}}, False),
        ({"cpu": {"guest": 2}, "memory": {"guest": "5Gi"}}, False),
        ({"architecture": "s390x"}, True),
        ({"architecture": "s390x", "cpu": {"guest": 3}}, False),
    ],
)
def test_cpu_and_memory_must_be_enough(requirements: JsonObject | None, fits: bool) -> None:  # noqa: FBT001 - an expectation
    assert satisfies(instancetype(2, "4Gi"), preference(requirements), LATEST) is fits


def test_the_topology_does_not_matter_to_an_instance_type() -> None:
    spread = preference({"cpu": {"guest": 2}}, cpu={"preferredCPUTopology": "threads"})

    assert satisfies(instancetype(2, "4Gi"), spread, LATEST)


def test_what_the_release_cannot_decode_is_no_offer() -> None:
    old = resource("VirtualMachineClusterInstancetype", {"cpu": {"guest": 2}}, "v1alpha1")

    assert satisfies(old, preference(None), Release(1, 5))
    with pytest.raises(CauseError):
        satisfies(old, preference(None), Release(1, 6))
