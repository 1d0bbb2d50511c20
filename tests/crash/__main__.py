"""``python -m tests.crash [--times N] [--seed S] [--replace]``: kills ``vmrender render`` with SIGKILL.

Each time the sources have changed, and two runs render two overlays at once. One or both are killed at a
random moment: anywhere in the run, or soon after a certain step. Then every tree must be as rendered before
or after the change, including foreign files, and the next run must complete the change, leave nothing in
staging and report any repair. With ``--replace``, files are replaced one by one, as on systems that cannot
exchange folders: then a tree may be mixed until the next run. Prints the observed outcomes; the exit code is
1 if any was wrong.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from tests.crash.killing import Killing
from tests.crash.project import Project


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash")
    parser.add_argument("--times", type=int, default=500, help="how many kills [default: 500]")
    parser.add_argument("--seed", type=int, default=0, help="another one, other moments [default: 0]")
    parser.add_argument("--replace", action="store_true", help="as on systems that cannot exchange folders")
    arguments = parser.parse_args()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.environ["XDG_CACHE_HOME"] = f"{folder}/cache"
        project = Project.made(Path(folder, "repository"))
        killing = Killing(project, Random(arguments.seed), replaces=arguments.replace)
        seen: Counter[str] = Counter()
        faults: list[str] = []
        while seen["kills"] < arguments.times and not faults:
            faults = killing.once(seen)
    for name, count in seen.items():
        print(f"{count:6} {name}")
    for fault in faults:
        print(f"FAULT  {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
