"""Machines with the same identity are found whatever order and overlays they are in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.checks.rules.context import Context
from renderer.checks.rules.identities import RULES, shared_identities
from renderer.kubevirt.facts.virtual_machine import VirtualMachineView
from renderer.model.codes import Code
from renderer.model.kube.json import JsonObject
from renderer.model.release import LATEST
from tests.kubevirt_objects import resources, vm

UUIDS = st.lists(st.sampled_from(["", "a-1", "A1", "b-2", "c-3"]), max_size=8)
(BY_FIRMWARE,) = (rule for rule in RULES if rule.code is Code.DUPLICATE_FIRMWARE_ID)


def machine(index: int, uuid: str) -> JsonObject:
    return vm(f"web{index}", {"devices": {}, "firmware": {"uuid": uuid}})


def repeated(uuids: list[str]) -> int:
    written = [uuid.lower().replace("-", "") for uuid in uuids if uuid]
    return len(written) - len(set(written))


@given(UUIDS)
def test_each_machine_but_the_first_with_a_uuid_is_reported(uuids: list[str]) -> None:
    everything = resources(*(machine(index, uuid) for index, uuid in enumerate(uuids)))

    found = list(BY_FIRMWARE.check(Context(everything, everything, LATEST)))

    assert len(found) == repeated(uuids)


@given(UUIDS)
def test_overlays_of_one_machine_each_are_compared_as_one_overlay_is(uuids: list[str]) -> None:
    everything = resources(*(machine(index, uuid) for index, uuid in enumerate(uuids)))
    overlays = [[view] for view in map(VirtualMachineView.of, everything) if view is not None]

    found = list(shared_identities(overlays))

    assert len(found) == repeated(uuids)
    assert all(diagnostic.resource == everything.resources[at].current_id for at, diagnostic in found)


@given(UUIDS)
def test_one_machine_in_several_overlays_is_no_duplicate(uuids: list[str]) -> None:
    everything = resources(*(machine(0, uuid) for uuid in uuids))
    overlays = [[view] for view in map(VirtualMachineView.of, everything) if view is not None]

    assert list(shared_identities(overlays)) == []
