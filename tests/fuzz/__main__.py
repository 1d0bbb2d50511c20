"""``python -m tests.fuzz [--minutes M] [--by-chance] [TARGET…]``: fuzzes each target on one core.

If atheris is installed (``pip install --group fuzz``), coverage guides the inputs, and inputs that reach new
code are kept in ``.hypothesis/fuzz`` for the next run; otherwise they are random. A failing input is reduced
and printed, and is the first that the next run tries.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
import traceback
from importlib.util import find_spec

from tests.fuzz.fuzzing import KEPT, Fuzzing, kept_failures
from tests.fuzz.target import NAMES, target

#: Inputs between two looks at the clock.
_ROUND = 200
#: Characters of what a process said that are shown when it ended otherwise than by an input.
_LAST = 3000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("targets", metavar="TARGET", nargs="*", help=", ".join(NAMES))
    parser.add_argument("--minutes", type=float, default=1, help="for each target [default: 1]")
    parser.add_argument("--by-chance", action="store_true", help="also where atheris is installed")
    arguments = parser.parse_args()
    unknown = {*arguments.targets} - {*NAMES}
    if unknown:
        parser.error(f"there is no target {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    is_steered = not arguments.by_chance and find_spec("atheris") is not None
    seconds = 60 * arguments.minutes
    done = [_fuzzed(name, seconds, is_steered=is_steered) for name in arguments.targets or NAMES]
    return 0 if all(done) else 1


def _fuzzed(name: str, seconds: float, *, is_steered: bool) -> bool:
    start = time.monotonic()
    fuzzing = Fuzzing(target(name), kept_failures(name))
    steered = 0
    try:
        if is_steered:
            steered = _steered(name, seconds, fuzzing)
        while time.monotonic() - start < seconds:
            fuzzing.try_some(_ROUND)
    except BaseException:  # noqa: BLE001 - whatever it is, the next target has its turn
        print(f"{name}: failed after {steered + fuzzing.tried} inputs and more", flush=True)
        traceback.print_exc(file=sys.stdout)
        return False
    took = f"{time.monotonic() - start:.0f} s"
    print(f"{name}: {steered + fuzzing.tried} inputs in {took}, {steered} of them steered", flush=True)
    return True


def _steered(name: str, seconds: float, fuzzing: Fuzzing) -> int:
    """Return the number of tried inputs. Runs in a separate process, as libFuzzer ends its process."""
    count = KEPT / name / "tried"
    count.unlink(missing_ok=True)
    command = [sys.executable, "-m", "tests.fuzz.guided", name, str(max(1, int(seconds)))]
    run = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if run.returncode != 0:
        fuzzing.try_some(1)  # raises what has failed, which was kept
        raise AssertionError(f"exit status {run.returncode}:\n{run.stderr[-_LAST:]}")
    return int(count.read_text(encoding="ascii")) if count.exists() else 0


if __name__ == "__main__":
    sys.exit(main())
