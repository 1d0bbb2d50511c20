"""``python -m tests.load [LOAD…]``: memory and work of each load, at a tenth of its size and in full.

The growth is the factor for ten times the size; 10 is linear. Trees are written to ``TMPDIR``: a slow disk
makes the run longer, but does not change the figures.
"""

from __future__ import annotations

import argparse

from tests.load.loads import LOADS
from tests.load.measure import measured

_MI = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.load", description=__doc__)
    parser.add_argument("loads", nargs="*", default=list(LOADS), metavar="LOAD", help=", ".join(LOADS))
    print("| load | CPU | growth | peak memory | exit |\n|---|---|---|---|---|")
    for name in parser.parse_args().loads:
        load = LOADS[name]
        tenth, whole = measured(load, load.size // 10), measured(load, load.size)
        growth = whole.seconds / tenth.seconds
        print(
            f"| {load.size:,} {load.says} | {whole.seconds:.1f} s | {growth:.1f} "
            f"| {whole.memory / _MI:,.0f} MiB | {whole.code} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
