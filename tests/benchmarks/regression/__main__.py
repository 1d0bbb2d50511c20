"""``python -m tests.benchmarks.regression`` fails when a command needs 30 % more instructions than it did."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.regression import baseline, bytecode, processor
from tests.benchmarks.regression.verdict import Counts, Growth, growths
from tests.benchmarks.regression.workloads import write_workloads
from tests.benchmarks.table import table

_RENEW = "python -m tests.benchmarks.regression --renew"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.benchmarks.regression", description=__doc__)
    options.add_argument("--renew", action="store_true", help="keep the counts of now for later runs")
    renew: bool = options.parse_args().renew
    if renew and not processor.is_at_hand():
        sys.exit("A baseline has the processor's instructions, too: install Valgrind")

    counted = count()
    if renew:
        baseline.write(counted)
        print(f"{baseline.FILE} is renewed")
        return
    kept = baseline.read()
    if not baseline.FILE.exists():
        if not processor.is_at_hand():
            sys.exit(
                f"There is no {baseline.FILE}, and without Valgrind nothing else to compare with: {_RENEW}"
            )
        print(f"no {baseline.FILE.name}: only the processor's instructions are compared", file=sys.stderr)
        counted = {name: now._replace(bytecode={}) for name, now in counted.items()}
    print(summary(kept, counted))
    grown = [
        growth for name, now in counted.items() if name in kept for growth in growths(name, kept[name], now)
    ]
    for growth in grown:
        print(growth_line(growth))
    if grown:
        sys.exit(f"If that is meant to be, keep the new counts: {_RENEW}")


def count() -> dict[str, Counts]:
    """Of every command, by its name."""
    with TemporaryDirectory() as folder:
        workloads = write_workloads(Path(folder))
        if processor.is_at_hand():
            yardstick = processor.yardstick(Path(folder, "yardstick"))
        else:
            print(
                "no Valgrind on this machine: instructions of the processor are not counted", file=sys.stderr
            )
            yardstick = None
        counted = {}
        for workload in workloads:
            print(f"counting {workload.name}", file=sys.stderr, flush=True)
            instructions = processor.instructions(workload) / yardstick if yardstick else None
            counted[workload.name] = Counts(instructions, bytecode.instructions(workload))
        return counted


def summary(kept: Mapping[str, Counts], counted: Mapping[str, Counts]) -> str:
    head = "instructions", "of the processor, in yardsticks", "before", "of Python", "before"
    rows = []
    for name, now in counted.items():
        then = kept.get(name, Counts(None, {}))
        rows.append(
            (name, formatted(now.processor), formatted(then.processor), f"{now.total:,}", f"{then.total:,}")
        )
    return table(head, rows)


def formatted(yardsticks: float | None) -> str:
    return "" if yardsticks is None else f"{yardsticks:.3f}"


def growth_line(growth: Growth) -> str:
    figures = f"from {growth.then:,.10g} to {growth.now:,.10g} {growth.unit}"
    return f"{growth.command}: {growth.part} grew {figures}" + (
        f", {growth.times:.2f} times" if growth.then else ""
    )


if __name__ == "__main__":
    main()
