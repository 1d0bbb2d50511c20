"""A size set by the VM gives the same result as an instance type of that size."""

from __future__ import annotations

from math import prod

from hypothesis import given
from hypothesis import strategies as st

from renderer.kubevirt.instancetype.expand import expand
from renderer.model.kube.json import Json, JsonObject, object_at, with_value
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from tests.kubevirt_objects import catalog, instancetype, preference, resources, vm

Target = tuple[Release, ExpandMode]
Size = tuple[int, str]

TARGETS: st.SearchStrategy[Target] = st.tuples(
    st.builds(Release, st.just(1), st.integers(0, 9)),
    st.sampled_from([ExpandMode.APPLIED, ExpandMode.DEFAULTS]),
)
SIZES: st.SearchStrategy[Size] = st.tuples(st.integers(1, 16), st.integers(1, 64).map("{}Gi".format))
TOPOLOGIES = ["sockets", "cores", "threads", "spread", "preferSockets", "preferCores", "preferSpread"]
PREFERENCES: st.SearchStrategy[JsonObject] = st.builds(
    lambda topology, across, ratio, requirements: preference(
        cpu={"preferredCPUTopology": topology, "spreadOptions": {"across": across, "ratio": ratio}},
        requirements=requirements,
    ),
    st.sampled_from([None, *TOPOLOGIES]),
    st.sampled_from([None, "SocketsCores", "CoresThreads", "SocketsCoresThreads"]),
    st.sampled_from([None, 1, 2, 3, 4]),
    st.fixed_dictionaries(
        {}, optional={"cpu": st.builds(dict, guest=st.integers(1, 8)), "memory": st.just({"guest": "4Gi"})}
    ),
)
CLASSES: st.SearchStrategy[JsonObject] = st.sampled_from(
    [
        {},
        {"memory": {"overcommitPercent": 50}},
        {"memory": {"hugepages": {"pageSize": "1Gi"}}, "cpu": {"dedicatedCPUPlacement": True}},
        {"cpu": {"maxSockets": 16, "model": "host-model"}, "memory": {"maxGuest": "64Gi"}},
        {"cpu": {"realtime": {}}, "ioThreadsPolicy": "auto", "annotations": {"a": "b"}},
    ]
)


@given(CLASSES, SIZES, PREFERENCES, TARGETS)
def test_custom_size_expands_like_an_instance_type_of_that_size(
    spec: JsonObject, size: Size, linux: JsonObject, target: Target
) -> None:
    vcpus, memory = size
    custom = {**instancetype("c"), "apiVersion": "instancetype.kubevirt.io/v1beta2", "spec": spec}
    fixed = {**instancetype("c"), "spec": sized(spec, size)}
    gives: JsonObject = {"devices": {}, "cpu": {"guest": vcpus}, "memory": {"guest": memory}}

    of_vm = expanded(custom, linux, vm(domain=gives, instancetype="c", preference="linux"), target=target)
    of_type = expanded(fixed, linux, vm(instancetype="c", preference="linux"), target=target)

    if of_vm is not None:
        assert of_vm == of_type
    else:
        assert of_type is None or vcpus_of(of_type) != vcpus, "refused for no reason"


def sized(spec: JsonObject, size: Size) -> JsonObject:
    return with_value(with_value(spec, ("cpu", "guest"), size[0]), ("memory", "guest"), size[1])


def expanded(*contents: JsonObject, target: Target) -> JsonObject | None:
    """Return the spec of the VM, the last resource; None if it is refused."""
    outcome = expand(resources(*contents), catalog(), *target)
    return None if outcome.failed else object_at(outcome.value.resources[-1].content, "spec")


def vcpus_of(vm_spec: JsonObject) -> int:
    cpu = object_at(vm_spec, "template", "spec", "domain", "cpu")
    counts: list[Json] = [cpu.get(field) for field in ("sockets", "cores", "threads")]
    return prod(count for count in counts if isinstance(count, int))
