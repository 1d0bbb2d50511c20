"""A cluster is in sync with its sources; a change in it is reported as that field, with its owner.

``python -m tests.clusters`` does the same for thousands of VirtualMachines.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.clusters.cluster import RELEASES, generate, without_managed_fields
from tests.clusters.comparing import changes_of, compare, expanded
from tests.clusters.field_managers import Engine
from tests.clusters.mutation import mutate
from tests.clusters.problems import mutation_problems

MACHINES = 2


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("engine", Engine, ids=lambda engine: engine.name.lower())
def test_state_that_a_cluster_makes_of_git_is_not_drift(engine: Engine, release: int, tmp_path: Path) -> None:
    cluster = generate(release, MACHINES, release, engine)
    assert changes_of(compare(cluster, cluster.live, tmp_path)) == []
    mutation = mutate(cluster, Random(release))
    assert mutation_problems(cluster, mutation, tmp_path) == []


@pytest.mark.parametrize("release", RELEASES)
def test_dump_without_managed_fields_is_not_drift(release: int, tmp_path: Path) -> None:
    cluster = generate(100 + release, MACHINES, release)
    assert changes_of(compare(cluster, without_managed_fields(cluster.live), tmp_path, "yaml")) == []


@pytest.mark.parametrize("release", RELEASES)
def test_rendered_virtual_machines_are_not_drift(release: int, tmp_path: Path) -> None:
    cluster = generate(200 + release, MACHINES, release, render=expanded)
    assert not any("instancetype" in each["spec"] for each in cluster.git if each["kind"] == "VirtualMachine")
    assert changes_of(compare(cluster, cluster.live, tmp_path)) == []
    mutation = mutate(cluster, Random(release))
    assert mutation_problems(cluster, mutation, tmp_path) == []


def test_the_same_seed_makes_the_same_cluster() -> None:
    assert generate(7) == generate(7)
    assert generate(7) != generate(8)
