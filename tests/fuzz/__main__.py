"""``python -m tests.fuzz [--minutes M] [TARGET…]``: fuzzes each target for so long, on one core.

The input that fails is printed as small as it can be made, and kept in ``.hypothesis/``, from where the next
run tries it first.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from hypothesis.database import DirectoryBasedExampleDatabase

from tests.fuzz.target import NAMES, fuzz, target

#: Inputs between two looks at the clock.
_ROUND = 200


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--minutes", type=float, default=1, help="for each target [default: 1]")
    arguments = parser.parse_args()
    unknown = {*arguments.targets} - {*NAMES}
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    failed = [name for name in arguments.targets or NAMES if not _fuzzed(name, 60 * arguments.minutes)]
    return 1 if failed else 0


def _fuzzed(name: str, seconds: float) -> bool:
    fuzzed, database = target(name), DirectoryBasedExampleDatabase(".hypothesis/fuzz")
    start, tried = time.monotonic(), 0
    try:
        while time.monotonic() - start < seconds:
            tried += fuzz(fuzzed, _ROUND, database=database)
    except BaseException:  # noqa: BLE001 - whatever it is, the next target has its turn
        print(f"{name}: failed after {tried} inputs and more", flush=True)
        traceback.print_exc(file=sys.stdout)
        return False
    print(f"{name}: {tried} inputs in {time.monotonic() - start:.0f} s", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
