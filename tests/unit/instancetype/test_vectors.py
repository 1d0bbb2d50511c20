"""Recorded results of KubeVirt itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.kubevirt.runner import run_case

_FILES = sorted((Path(__file__).parents[2] / "data" / "kubevirt").glob("*.jsonl"))
_CASES = [case for path in _FILES for case in read_cases(path)]


def _name(case: Case) -> str:
    return f"{case.id}@{case.target}"


@pytest.mark.parametrize("case", _CASES, ids=_name)
def test_same_as_kubevirt(case: Case) -> None:
    result = run_case(case)
    computed = result.actual if isinstance(result.actual, dict) else {}
    assert not [name for name in computed if not result.fields[name]], result.detail


def test_there_are_cases_of_every_release() -> None:
    assert {str(case.target) for case in _CASES} == {f"1.{minor}" for minor in range(10)}
