"""The policies of this repository: run `pytest policies` at its top, in a hook or in a pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest

import renderer

PROJECT = renderer.open_project(Path(__file__).parent)
FLEET = renderer.list_fleet(PROJECT)

GI = 1 << 30
#: What the cluster has for each overlay: vCPUs, and memory in GiB.
QUOTA = {"overlays/prod": (16, 64), "overlays/test": (4, 8)}


def name_of(machine: renderer.FleetMachine) -> str:
    return f"{machine.overlay}:{machine.name}"


@pytest.mark.parametrize("overlay", [each.path for each in renderer.list_overlays(PROJECT)])
def test_overlays_render(overlay: str) -> None:
    assert renderer.render(PROJECT, overlay).findings.errors == ()


@pytest.mark.parametrize("machine", FLEET.machines, ids=name_of)
def test_machines_take_their_size_from_the_catalog(machine: renderer.FleetMachine) -> None:
    assert machine.instancetype.startswith("u1.")


@pytest.mark.parametrize("overlay", QUOTA)
def test_overlays_fit_into_their_quota(overlay: str) -> None:
    machines = [each for each in FLEET.machines if each.overlay == overlay]
    vcpus, memory = QUOTA[overlay]
    assert sum((each.vcpus or 0) * each.replicas for each in machines) <= vcpus
    assert sum((each.memory or 0) * each.replicas for each in machines) <= memory * GI


@pytest.mark.parametrize("overlay", QUOTA)
def test_machines_name_their_team(overlay: str) -> None:
    for manifest in renderer.render(PROJECT, overlay).manifests:
        assert manifest["metadata"]["labels"].get("team"), manifest["metadata"]["name"]
