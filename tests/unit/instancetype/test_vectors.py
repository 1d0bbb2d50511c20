"""Recorded results of KubeVirt itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.kubevirt.runner import run_case

_FILES = sorted((Path(__file__).parents[2] / "data" / "kubevirt").glob("*.jsonl"))
_CASES = [case for path in _FILES for case in read_cases(path)]


@pytest.mark.parametrize("release", [f"1.{minor}" for minor in range(10)])
def test_same_as_kubevirt(release: str) -> None:
    cases = [case for case in _CASES if str(case.target) == release]
    assert cases
    assert {case.id: wrong for case in cases if (wrong := _wrong_fields(case))} == {}


def _wrong_fields(case: Case) -> str:
    """The fields of the outcome that differ from KubeVirt's, and how."""
    result = run_case(case)
    computed = result.actual if isinstance(result.actual, dict) else {}
    wrong = [name for name in computed if not result.fields[name]]
    return f"{', '.join(wrong)}: {result.detail}" if wrong else ""
