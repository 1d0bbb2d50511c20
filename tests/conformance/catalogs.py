"""Release trees of catalogs: ``<name>/`` must compose to ``<name>.expected.yaml``, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from renderer.files.file_system import DiskFileSystem
from tests.conformance.build import Built, build
from tests.conformance.case_result import CaseResult

_EXPECTED = ".expected.yaml"


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield a result for every tree in the folders ``paths`` that has an expected file next to it."""
    for path in paths:
        for expected in sorted(path.glob(f"*{_EXPECTED}")):
            name = expected.name.removesuffix(_EXPECTED)
            yield _result(name, build(DiskFileSystem(path / name), "."), expected.read_text())


def _result(name: str, built: Built, expected: str) -> CaseResult:
    passed = built.stdout == expected
    detail = "" if passed else built.error or "the bytes differ"
    return CaseResult(
        id=name, group="catalogs", passed=passed, detail=detail, actual=built.actual, release=None
    )
