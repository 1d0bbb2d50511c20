"""Problems in the comparison of a generated cluster with its sources; there should be none."""

from __future__ import annotations

from pathlib import Path
from random import Random

from tests.clusters.cluster import GeneratedCluster, generate, without_managed_fields
from tests.clusters.comparing import changes_of, compare, expanded, own_fields
from tests.clusters.mutation import Mutation, mutate

MACHINES = 5  # of a cluster
_READ_BY_MACHINES = ("ConfigMap", "Secret")


def problems_of(seed: int, folder: Path) -> list[str]:
    """Return the problems in the comparison of one cluster."""
    cluster = generate(seed, MACHINES, render=expanded) if seed % 2 else generate(seed, MACHINES)
    hidden = seed % 3 == 0
    live = without_managed_fields(cluster.live) if hidden else cluster.live
    changes = changes_of(compare(cluster, live, folder, "yaml" if seed % 10 == 0 else "json"))
    problems = [f"{change.id}: {', '.join(str(each.field) for each in change.fields)}" for change in changes]
    mutation = mutate(cluster, Random(seed))
    return problems + mutation_problems(cluster, mutation, folder)


def mutation_problems(cluster: GeneratedCluster, mutation: Mutation, folder: Path) -> list[str]:
    changes = changes_of(compare(cluster, mutation.live, folder))
    if mutation.kind in _READ_BY_MACHINES:
        changes = [each for each in changes if each.id.gvk.kind == mutation.kind]
    place = f"{mutation.kind} {mutation.name} {mutation.field}"
    found = [(change.id.gvk.kind, change.id.name) for change in changes]
    if found != [(mutation.kind, mutation.name)]:
        return [f"{place}: changes of {found}"]
    fields = own_fields(changes[0])
    expected = (mutation.manager,) if mutation.manager else ()
    if [(str(each.field), each.owners) for each in fields] != [(mutation.field, expected)]:
        reported = [(str(each.field), each.owners) for each in fields]
        return [f"{place} of {expected}: reported {reported}"]
    return []
