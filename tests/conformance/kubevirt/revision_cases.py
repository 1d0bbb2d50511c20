"""Cases of the mode ``revision``."""

from __future__ import annotations

from collections.abc import Callable

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.behaviour import behaviour_of
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.matcher import read_matcher
from renderer.model.kube.json import Json, JsonObject, object_at
from tests.conformance.kubevirt.case import Case, Outputs
from tests.conformance.kubevirt.cluster import scope_of
from tests.conformance.kubevirt.revision_store import StoredRevision, store_revision


def revision_outputs(case: Case) -> Outputs:
    """``created``, and the matchers and references afterwards, or ``error``."""
    outcome = _outcome(case)
    return {name: _constant(value) for name, value in outcome.items() if name in case.output}


def _outcome(case: Case) -> JsonObject:
    created: list[Json] = []
    outcome: dict[str, Json] = {"created": created}
    for matcher_type in (INSTANCETYPE, PREFERENCE):
        try:
            stored = _stored(case, matcher_type)
        except CauseError as error:
            return {"created": created, "error": str(error)}
        if stored is not None and stored.created is not None:
            created.append(stored.created)
        outcome[matcher_type.key] = None if stored is None else stored.matcher.content()
        outcome[matcher_type.status_ref] = None if stored is None else stored.reference
    return outcome


def _stored(case: Case, matcher_type: MatcherType) -> StoredRevision | None:
    vm, behaviour = object_at(case.input, "vm"), behaviour_of(case.target)
    matcher = read_matcher(object_at(vm, "spec"), matcher_type)
    if matcher is None:
        return None
    if behaviour.fills_in_matcher_kind and not matcher.kind:
        matcher = matcher.with_kind(matcher_type.default_kind)
    return store_revision(vm, matcher, matcher_type, scope_of(case), behaviour)


def _constant(value: Json) -> Callable[[], Json]:
    return lambda: value
