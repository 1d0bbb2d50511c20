"""``python -m tests.clusters [--count 2000] [--first SEED]``: clusters compared with what they were made of.

Nothing may differ; and after one change in the cluster, exactly its field, with its owner.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.clusters.cluster import generate
from tests.clusters.problems import MACHINES, problems_of


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
