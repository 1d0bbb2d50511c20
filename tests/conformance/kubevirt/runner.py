"""Runs the cases of files, and compares every field of their outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from renderer.model.kube.json import Json, JsonObject
from tests.conformance.case_result import CaseResult
from tests.conformance.kubevirt.case import Case, Outputs, read_cases
from tests.conformance.kubevirt.comparison import (
    cause_differences,
    differences,
    refusal_differences,
    vm_differences,
)
from tests.conformance.kubevirt.decode_cases import decode_outputs
from tests.conformance.kubevirt.object_cases import object_outputs
from tests.conformance.kubevirt.quantity_cases import comparison_outputs, quantity_outputs
from tests.conformance.kubevirt.revision_cases import revision_outputs
from tests.conformance.kubevirt.vm_cases import vm_outputs

_MODES: Mapping[str, Callable[[Case], Outputs]] = {
    "vm": vm_outputs,
    "revision": revision_outputs,
    "object": object_outputs,
    "decode": decode_outputs,
    "quantity": quantity_outputs,
    "quantitycmp": comparison_outputs,
}

#: Texts in KubeVirt's own words.
_NOT_COMPARED = frozenset({"message"})

#: How the answers of webhooks are compared. An ``error`` is in our own words.
_REFUSALS: Mapping[str, Callable[[Json, Json], Iterator[str]]] = {
    "error": lambda _actual, _expected: iter(()),
    "causes": lambda actual, expected: cause_differences({"causes": actual}, {"causes": expected}),
    "admit": cause_differences,
    "validate": refusal_differences,
}

_NOT_IMPLEMENTED = "not implemented"


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """The results of every case in the files ``paths``, in order."""
    for path in paths:
        for case in read_cases(path):
            yield run_case(case)


def run_case(case: Case) -> CaseResult:
    """The result of one case, with every field of the output computed and compared."""
    outputs = _MODES[case.mode](case)
    names = [name for name in {**case.output, **outputs} if name not in _NOT_COMPARED]
    actual: dict[str, Json] = {}
    details: dict[str, str] = {}
    for name in names:
        if name in outputs:
            actual[name] = outputs[name]()
            details[name] = "; ".join(_differences(name, actual[name], case))
        else:
            details[name] = _NOT_IMPLEMENTED
    failed = {name: detail for name, detail in details.items() if detail}
    return CaseResult(
        id=case.id,
        group=case.group,
        passed=not failed,
        detail=" | ".join(f"{name}: {detail}" for name, detail in failed.items()),
        actual=actual,
        release=case.release,
        fields={name: name not in failed for name in names},
    )


def _differences(name: str, actual: Json, case: Case) -> Iterator[str]:
    expected = _expected(name, case.output)
    if expected is None or actual is None:
        return iter([f"{actual!r} is not {expected!r}"] if actual is not expected else [])
    if name in ("applied", "expand"):
        return vm_differences(actual, expected, case.input.get("vm"))
    if name in _REFUSALS:
        return _REFUSALS[name](actual, expected)
    if isinstance(expected, dict) and "error" in expected:
        return cause_differences(actual, expected)
    return differences(actual, expected, case.input.get("vm"))


def _expected(name: str, output: JsonObject) -> Json:
    expected = output.get(name)
    return output.get("applied") if expected == "= applied" else expected
