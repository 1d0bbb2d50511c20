"""``python -m tests.clusters [--count 2000] [--first SEED]``: clusters compared with what they were made of.

Nothing may differ; and after one change in the cluster, exactly its field, with its owner.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.clusters.cluster import GeneratedCluster, generate, without_managed_fields
from tests.clusters.comparing import changes_of, compare, own_fields
from tests.clusters.mutation import Mutation, mutate

MACHINES = 5  # of a cluster


def problems_of(seed: int, folder: Path) -> list[str]:
    """Return what is wrong with the comparison of one cluster."""
    cluster = generate(seed, MACHINES)
    hidden = seed % 3 == 0
    live = without_managed_fields(cluster.live) if hidden else cluster.live
    changes = changes_of(compare(cluster, live, folder, "yaml" if seed % 10 == 0 else "json"))
    problems = [f"{change.id}: {', '.join(str(each.field) for each in change.fields)}" for change in changes]
    mutation = mutate(cluster, Random(seed))
    return problems + mutation_problems(cluster, mutation, folder)


def mutation_problems(cluster: GeneratedCluster, mutation: Mutation, folder: Path) -> list[str]:
    changes = changes_of(compare(cluster, mutation.live, folder))
    place = f"{mutation.kind} {mutation.name} {mutation.field}"
    found = [(change.id.gvk.kind, change.id.name) for change in changes]
    if found != [(mutation.kind, mutation.name)]:
        return [f"{place}: changes of {found}"]
    fields = own_fields(changes[0])
    expected = (mutation.manager,) if mutation.manager else ()
    if [(str(each.field), each.owners) for each in fields] != [(mutation.field, expected)]:
        told = [(str(each.field), each.owners) for each in fields]
        return [f"{place} of {expected}: told {told}"]
    return []


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.clusters", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="how many VirtualMachines")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    failed = 0
    with TemporaryDirectory() as folder:
        for seed in range(given.first, given.first + -(-given.count // MACHINES)):
            cluster = generate(seed, MACHINES)
            kinds.update([f"KubeVirt 1.{cluster.release}", cluster.engine.name.lower()])
            kinds.update(f"{each['kind']} in Git" for each in cluster.git)
            for problem in problems_of(seed, Path(folder)):
                failed += 1
                print(f"seed {seed} ({cluster.engine.name}, 1.{cluster.release}): {problem}")
    print(*(f"{count:>6} {name}" for name, count in sorted(kinds.items())), sep="\n")
    print(f"{failed} problems")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
