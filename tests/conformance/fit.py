"""The suite ``fit``: for every VM that KubeVirt expanded, the pair that reproduces it.

Each vector whose expansion succeeds gives up to two VMs: the template with everything applied, and the answer
of the expand-spec API. A VM passes if a pair is found, and the VM with that pair expands to the same fields.
Two kinds of VMs are counted separately, as their pair may be impossible to write: VMs that KubeVirt refuses
with their original pair, and VMs of a copy in a ControllerRevision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from renderer.adopt.fit.fit import Fitter
from renderer.adopt.fit.values import FitQuality, VmFit
from renderer.kubevirt.facts.kinds import MATCHER_KEYS, MATCHER_TYPES
from renderer.kubevirt.facts.stored_values import as_stored, differences
from renderer.model.kube.json import JsonObject, object_at, text_at
from tests.conformance.case_result import CaseResult
from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.kubevirt.cluster import scope_of
from tests.conformance.kubevirt.vm_cases import vm_outputs

_FITTERS: dict[tuple[str, str], Fitter] = {}


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of every expansion in the files ``paths``, in order."""
    for path in paths:
        for case in read_cases(path):
            yield from fit_results(case)


def fit_results(case: Case) -> Iterator[CaseResult]:
    """Yield the results of the expansions of one case."""
    inferred = object_at(case.output, "inferred")
    if case.mode != "vm" or not any(inferred.get(key) for key in MATCHER_KEYS):
        return
    fitter = _fitter(case)
    for name in ("applied", "expand"):
        output = case.output.get(name)
        expanded = object_at(case.output if output != "= applied" else {}, name, "vm")
        if expanded:
            yield _result(case, name, expanded, fitter.fit(expanded))


def _fitter(case: Case) -> Fitter:
    if case.input.get("objects"):
        return Fitter(scope_of(case).catalog, case.target)
    key = (str(case.catalog), f"{case.target} {case.input.get('catalog')}")
    if key not in _FITTERS:
        _FITTERS[key] = Fitter(scope_of(case).catalog, case.target)
    return _FITTERS[key]


def _result(case: Case, name: str, expanded: JsonObject, found: VmFit) -> CaseResult:
    origin = _origin(case)
    differing = (
        _differing(case, name, expanded, found.vm) if found.quality is FitQuality.EXACT else ["no pair"]
    )
    is_exact = not differing
    named = {key: text_at(found.vm, "spec", key, "name") for key in MATCHER_KEYS}
    wanted = {key: text_at(case.output, "inferred", key, "name") for key in MATCHER_KEYS}
    return CaseResult(
        id=f"{case.id} {name}",
        group=case.group,
        passed=is_exact or origin != "admitted",
        detail=f"{found.quality} {named}, made with {wanted}: {'; '.join(differing)}",
        actual={"quality": found.quality.value, **named},
        release=case.release,
        fields={origin: is_exact},
    )


def _differing(case: Case, name: str, expected: JsonObject, vm: JsonObject) -> list[str]:
    """Return the differences after KubeVirt's code applies the pair to the VM, or expands it."""
    outputs = vm_outputs(replace(case, input={**case.input, "vm": vm}))
    result = object_at(outputs[name]())
    return list(map(str, differences(as_stored(expected), as_stored(object_at(result, "vm")))))


def _origin(case: Case) -> str:
    """Return ``admitted`` for a pair of the catalog, else why there may be none to find."""
    if _names_revision(object_at(case.input, "vm")):
        return "revision"
    admit = object_at(case.output, "admit")
    refused = not admit or admit.get("causes") or "error" in admit or "panic" in admit
    return "refused" if refused else "admitted"


def _names_revision(vm: JsonObject) -> bool:
    """Return whether a ControllerRevision's copy of an object was applied, not the one of the catalog."""
    return any(
        text_at(vm, "spec", matcher.key, "revisionName")
        or object_at(vm, "status", matcher.status_ref).get("controllerRevisionRef") is not None
        for matcher in MATCHER_TYPES
    )
