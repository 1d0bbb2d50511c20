"""Recorded results of KubeVirt itself: expansions, and verdicts of its webhooks."""

from __future__ import annotations

import pytest

from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.kubevirt.runner import run_case
from tests.conformance.lines import VECTORS

_CASES = [case for name in ("expansion", "admission") for case in read_cases(VECTORS / f"{name}.jsonl.xz")]
_RELEASES = sorted({str(case.target) for case in _CASES})


@pytest.mark.parametrize("release", _RELEASES)
def test_result_matches_kubevirt(release: str) -> None:
    cases = [case for case in _CASES if str(case.target) == release]
    assert {case.id: wrong for case in cases if (wrong := _wrong_fields(case))} == {}


def test_there_are_cases_of_every_release() -> None:
    assert {f"1.{minor}" for minor in range(10)} <= {*_RELEASES}


def _wrong_fields(case: Case) -> str:
    """The fields of the outcome that differ from KubeVirt's, and how."""
    result = run_case(case)
    computed = result.actual if isinstance(result.actual, dict) else {}
    wrong = [name for name in computed if not result.fields[name]]
    return f"{', '.join(wrong)}: {result.detail}" if wrong else ""
