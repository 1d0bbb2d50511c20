"""Cases of the mode ``object``."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.cause import CauseError, ExpansionCause
from renderer.kubevirt.instancetype.object_checks import LAUNCH_SECURITY, ObjectVerdict, check_object
from renderer.model.kube.json import Json, object_at, text_at
from tests.conformance.kubevirt.case import Case, Outputs

_ADMITTED_OPERATIONS = ("", "CREATE", "UPDATE")


def object_outputs(case: Case) -> Outputs:
    """``allowed``, ``causes`` and ``warnings``. KubeVirt names no causes when an object cannot be decoded."""
    allowed, admission = _admission(case)
    causes: list[Json] = [{"field": cause.field, "message": cause.message} for cause in admission.causes]
    warnings: list[Json] = [_kubevirt_text(warning) for warning in admission.warnings]
    return {"allowed": lambda: allowed, "causes": lambda: causes, "warnings": lambda: warnings}


def _admission(case: Case) -> tuple[bool, ObjectVerdict]:
    content = object_at(case.input, "object")
    matcher_type = INSTANCETYPE if text_at(content, "kind") in INSTANCETYPE.kinds else PREFERENCE
    if text_at(case.input, "operation") not in _ADMITTED_OPERATIONS:
        return True, ObjectVerdict()
    try:
        admission = check_object(content, matcher_type, behaviour_of(case.target))
    except CauseError:
        return False, ObjectVerdict()
    return not admission.causes, admission


def _kubevirt_text(warning: ExpansionCause) -> str:
    """The warning in KubeVirt's words, by which the cases compare; the product has its own."""
    if warning.at == LAUNCH_SECURITY:
        return "launchSecurity is deprecated and will be removed in a future release. Use preference instead."
    deprecated, replacement = str(warning.message).split()[1], str(warning.hint).split()[-1]
    return (
        f"PreferredCPUTopology {deprecated} is deprecated for removal in a future release,"
        f" please use {replacement} instead"
    )
