"""``python -m tests.security.canaries [--minutes M] [--seed N] [WORD…]``: look for canaries in outputs.

Each trial is a repository with a canary in a place for confidential values, in a form and at a place to which
something takes it. Most commands run on it, in their formats; what they print, and every file that they leave
behind, is searched. With words, only trials whose description has them all are run.
"""

from __future__ import annotations

import argparse
import time

from tests.security.canaries.trials import commands, leaks, trials

#: Commands for a trial besides the ones that are always run.
_COMMANDS = 6
#: The lines that are printed of what one trial shows.
_SHOWN = 6


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.security.canaries")
    parser.add_argument("words", metavar="WORD", nargs="*", help="part of the description of a trial")
    parser.add_argument("--minutes", type=float, default=1)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--all-commands", action="store_true", help="every command, in every format")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    tried = failed = 0
    for trial in trials(arguments.seed):
        if time.monotonic() > end:
            break
        if not all(word in str(trial) for word in arguments.words):
            continue
        tried += 1
        found = leaks(trial, commands(trial, arguments.seed, 999 if arguments.all_commands else _COMMANDS))
        if found:
            failed += 1
            print(f"{trial}: {len(found)} leaks", *found[:_SHOWN], sep="\n  ", flush=True)
    print(f"{tried} trials, {failed} with a leak; seed {arguments.seed}")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
