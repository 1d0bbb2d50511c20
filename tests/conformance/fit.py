"""The suite ``fit``: for every VM that KubeVirt expanded, the pair that reproduces it.

Each vector whose expansion succeeds gives up to two VMs: the template with everything applied, and the answer of
the expand-spec API. A VM passes when a pair is found that expands to it exactly. One that KubeVirt would have
refused with the pair it came from (``admit``) has no pair that could be written, and is counted apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path


from renderer.fit.fit import Fit, FitQuality, Fitter
from renderer.instancetype.catalog import Scope
from renderer.kubevirt.kinds import MATCHER_KEYS
from renderer.model.json import JsonObject, object_at, text_at
from tests.conformance.case_result import CaseResult
from tests.conformance.kubevirt.case import Case, read_cases
from tests.conformance.kubevirt.cluster import scope_of

_FITTERS: dict[tuple[str, str], Fitter] = {}


def run(paths: Iterable[Path]) -> Iterator[CaseResult]:
    """Yield the results of every expansion in the files ``paths``, in order."""
    for path in paths:
        for case in read_cases(path):
            yield from _results(case)


def _results(case: Case) -> Iterator[CaseResult]:
    written = object_at(case.input, "vm", "spec")
    if case.mode != "vm" or not any(written.get(key) for key in MATCHER_KEYS):
        return
    admit = object_at(case.output, "admit")
    admitted = not admit.get("causes") and "error" not in admit and "panic" not in admit and bool(admit)
    fitter = _fitter(case)
    for name in ("applied", "expand"):
        output = case.output.get(name)
        expanded = object_at(case.output if output != "= applied" else {}, name, "vm")
        if expanded:
            yield _result(case, name, expanded, fitter.fit(expanded), admitted=admitted)


def _fitter(case: Case) -> Fitter:
    if case.input.get("objects"):
        return Fitter(scope_of(case).catalog, case.target)
    key = (str(case.catalog), f"{case.target} {case.input.get('catalog')}")
    if key not in _FITTERS:
        _FITTERS[key] = Fitter(scope_of(case).catalog, case.target)
    return _FITTERS[key]


def _result(case: Case, name: str, expanded: JsonObject, found: Fit, *, admitted: bool) -> CaseResult:
    kind = f"{name} {'admitted' if admitted else 'refused'}"
    exact = found.quality is FitQuality.EXACT
    named = {
        key: text_at(object_at(found.vm, "spec", key), "name") for key in MATCHER_KEYS
    }
    wanted = {key: text_at(case.input, "vm", "spec", key, "name") for key in MATCHER_KEYS}
    return CaseResult(
        id=f"{case.id} {name}",
        group=case.group,
        passed=exact or not admitted,
        detail=f"{kind}: {found.quality} {named}, made with {wanted}",
        actual={"quality": found.quality.value, **named},
        release=case.release,
        fields={kind: exact},
    )
