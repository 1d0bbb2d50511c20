"""The cost of findings: virtual machines with errors, against the same ones without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.comparison import CACHE, VMRENDER, Work, measure
from tests.benchmarks.inputs import write_overlay
from tests.benchmarks.table import Row, megabytes, ratio

_LIMIT = 1.5
_ERRORS, _WARNINGS = 1_000, 10_000
#: An unknown field, which the schema refuses; and the deprecated form of a run strategy.
_ERROR = "            - name: cloud-init\n              disk: {}\n", "disk: {}", "disk: {buss: virtio}"
_WARNING = "  runStrategy: RerunOnFailure\n", "runStrategy: RerunOnFailure", "running: true"


def findings_rows(runs: int) -> Iterator[Row]:
    """Measure machines with errors, with warnings and without either in turn."""
    right, wrong = Path("without-errors"), Path("with-errors")
    clean_fleet, warned = Path("without-warnings"), Path("with-warnings")
    write_overlay(right, _ERRORS)
    write_overlay(wrong, _ERRORS)
    write_overlay(clean_fleet, _WARNINGS)
    write_overlay(warned, _WARNINGS)
    _change(wrong, *_ERROR)
    _change(warned, *_WARNING)
    ours, errors, clean, warnings = measure(
        [
            _render(right, runs),
            _render(wrong, runs)._replace(code=1),
            _render(clean_fleet, runs),
            _render(warned, runs),
        ]
    )
    yield ratio(
        f"`vmrender render`, {_ERRORS:,} VMs with an error each", errors.cpu, "without", ours.cpu, _LIMIT
    )
    every = f"`vmrender render`, {_WARNINGS:,} VMs with a warning each"
    yield ratio(every, warnings.cpu, "without", clean.cpu, _LIMIT)
    yield Row(
        f"{every}: peak memory",
        megabytes(warnings.peak),
        "without",
        megabytes(clean.peak),
        warnings.peak / clean.peak,
        _LIMIT,
    )


def _render(project: Path, runs: int) -> Work:
    return Work([(VMRENDER, "render")], runs, project, missing=(project / "rendered", CACHE))


def _change(project: Path, part: str, old: str, new: str) -> None:
    """Replace ``old`` by ``new`` in each ``part`` of the machines."""
    file = project / "base/virtual-machines.yaml"
    text = file.read_text(encoding="utf-8")
    assert part in text
    file.write_text(text.replace(part, part.replace(old, new)), encoding="utf-8")
