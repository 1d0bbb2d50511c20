"""How time and memory grow with the virtual machines of one overlay."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from math import log
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple

from tests.benchmarks.comparison import VMRENDER, Usage, Work, measure, run
from tests.benchmarks.inputs import TIERS, write_overlay
from tests.benchmarks.kustomize import build, cold_render, kustomize
from tests.benchmarks.table import Row, megabytes, ratio, table, time

#: The smallest overlay has a machine of each tier: else a patch would select nothing, and the warning take an
#: eighth of the start-up that is to be measured.
_SMALLEST = len(TIERS)
_SIZES = _SMALLEST, 100, 300, 1_000, 3_000, 10_000
_LARGEST = _SIZES[-1]
_HUGE = 100_000
#: Total CPU time per virtual machine: 0.9 ms on a machine where ``import click`` takes 40 ms.
_IMPORTS_PER_VM = 0.9 / 40
_QUICK_FOR_KUSTOMIZE = 1_000  # more would take minutes
_PROMISED_FROM = 1_000

#: By virtual machines. The time of the smallest overlay is start-up, and is subtracted from the others.
Usages = Mapping[int, Usage]


class Growth(NamedTuple):
    """``unchanged`` is a check of the largest, rendered before; of kustomize there is what was measured.

    ``huge`` is a cold render of 100,000 virtual machines in one overlay.
    """

    build: Usages
    render: Usages
    unchanged: Usage
    kustomize: Usages
    huge: Usage


def measure_growth(build_runs: int, runs: int, *, slow: bool) -> Growth:
    """Measure each size; renders, which take seconds, ``runs`` times."""
    projects = {size: Path(f"growth-{size}") for size in _SIZES}
    for size, project in projects.items():
        write_overlay(project, size)
    builds = [Work([build(project / "prod")], build_runs) for project in projects.values()]
    renders = [cold_render(project, runs) for project in projects.values()]
    check = Work([(VMRENDER, "render", "--check")], runs, projects[_LARGEST])
    # What runs after a large one finds none of its own in the processor's caches, a fifth of a start-up: that
    # run is not counted. After the first check, files are known by their times.
    series = [[builds[0], *builds], [renders[0], *renders], [check, check]]
    usages = iter(measure([work for works in series for work in works]))
    (_, *built), (_, *rendered), (_, unchanged) = ([next(usages) for _ in works] for works in series)
    return Growth(
        dict(zip(projects, built, strict=True)),
        dict(zip(projects, rendered, strict=True)),
        unchanged,
        _kustomize(projects, slow=slow),
        _huge(),
    )


def _huge() -> Usage:
    project = Path(f"growth-{_HUGE}")
    write_overlay(project, _HUGE)
    return run(cold_render(project, 1))


def _kustomize(projects: Mapping[int, Path], *, slow: bool) -> Usages:
    if not shutil.which("kubectl"):
        return {}
    sizes = [size for size in projects if slow or size <= _QUICK_FOR_KUSTOMIZE]
    works = [Work([kustomize(projects[size] / "prod")], runs=1) for size in sizes]
    return dict(zip(sizes, measure(works), strict=True))


def growth_rows(growth: Growth) -> Iterator[Row]:
    """The promised limits of the figures."""
    largest, start = growth.render[_LARGEST], growth.render[_SMALLEST]
    for command, usages in (("build --expand off", growth.build), ("render", growth.render)):
        yield Row(
            f"`vmrender {command}`, {_LARGEST:,} VMs: exponent of growth",
            time(usages[_LARGEST].cpu),
            f"{_PROMISED_FROM:,} VMs",
            time(usages[_PROMISED_FROM].cpu),
            exponent(usages, smallest=_PROMISED_FROM),
            1.03,
        )
    yield Row(
        f"`vmrender render`, {_LARGEST:,} VMs: peak memory",
        megabytes(largest.peak),
        f"{_SMALLEST} VMs",
        megabytes(start.peak),
        largest.peak / _LARGEST / 1000,
        60,
        " KB per VM",
    )
    yield Row(
        f"`vmrender render`, {_HUGE:,} VMs in one overlay: peak memory",
        megabytes(growth.huge.peak),
        "",
        "",
        growth.huge.peak / 2**20,
        600,
        " MiB",
    )
    yield ratio(
        f"`vmrender render --check`, {_LARGEST:,} VMs in one overlay, nothing changed",
        growth.unchanged.cpu,
        "`vmrender render`, cold",
        largest.cpu,
        limit=0.03,
    )


def per_vm_row(growth: Growth, click: Usage) -> Row:
    """CPU time of everything per virtual machine, in units of ``import click`` on the same machine."""
    seconds = growth.render[_LARGEST].cpu / _LARGEST
    return Row(
        f"`vmrender render`, {_LARGEST:,} VMs, CPU of each",
        f"{seconds * 1000:.2f} ms",
        '`python -c "import click"`',
        time(click.cpu),
        seconds / click.cpu,
        _IMPORTS_PER_VM,
    )


def exponent(usages: Usages, smallest: int = _SMALLEST + 1) -> float:
    """The slope of a line through log VMs and log CPU, both above the smallest overlay, by least squares."""
    sizes = [size for size in usages if size >= smallest]
    above = [log(usages[size].cpu - usages[_SMALLEST].cpu) for size in sizes]
    return linear_regression([log(size - _SMALLEST) for size in sizes], above).slope


def growth_table(growth: Growth) -> str:
    head = (
        "VMs",
        "`vmrender build --expand off`",
        "`vmrender render`",
        "its peak memory",
        "`kubectl kustomize`",
    )
    rows = [
        (
            f"{size:,}",
            _time(size, growth.build),
            _time(size, growth.render),
            _memory(size, growth.render),
            _time(size, growth.kustomize) if size in growth.kustomize else "",
        )
        for size in growth.build
    ]
    exponents = [_exponent(usages) for usages in (growth.build, growth.render, growth.kustomize)]
    return table(head, [*rows, ("exponent", *exponents[:2], "", exponents[2])], left=())


def _time(size: int, usages: Usages) -> str:
    """The total, followed by the share of each virtual machine."""
    cpu = usages[size].cpu
    if size == _SMALLEST:
        return time(cpu)
    return f"{time(cpu)} ({(cpu - usages[_SMALLEST].cpu) / (size - _SMALLEST) * 1000:.2f} ms)"


def _memory(size: int, usages: Usages) -> str:
    peak = usages[size].peak
    if size == _SMALLEST:
        return megabytes(peak)
    return f"{megabytes(peak)} ({(peak - usages[_SMALLEST].peak) / (size - _SMALLEST) / 1000:.1f} KB)"


def _exponent(usages: Usages) -> str:
    return f"{exponent(usages):.2f}, to {max(usages):,} VMs" if usages else ""
