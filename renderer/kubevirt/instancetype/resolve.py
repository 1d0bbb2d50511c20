"""Find a VirtualMachine's instance type and preference: the mutating webhook's part of admission.

KubeVirt ``pkg/instancetype/webhooks/vm/mutator.go``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from renderer.kubevirt.facts.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.custom_size import NO_CUSTOM_SIZE, CustomSize
from renderer.kubevirt.instancetype.find import Finder, MatchedObject
from renderer.kubevirt.instancetype.matcher import Matcher, check_matcher, read_matcher
from renderer.model.kube.json import JsonObject, without
from renderer.model.record import Record

T = TypeVar("T")


class Matchers(Record):
    """The two matchers of a VirtualMachine; with ``clears_memory`` inference removes ``domain.memory``."""

    instancetype: Matcher | None = None
    preference: Matcher | None = None
    clears_memory: bool = False

    def __bool__(self) -> bool:
        return self.instancetype is not None or self.preference is not None

    def template(self, template: JsonObject) -> JsonObject:
        """Return the VirtualMachine's ``spec.template`` after inference."""
        return without(template, "spec", "domain", "memory") if self.clears_memory else template


class ResolvedMatchers(Record):
    """The objects that the matchers of a VirtualMachine name.

    The spec of ``instancetype`` includes the ``custom_size`` that the VirtualMachine sets.
    """

    instancetype: MatchedObject | None = None
    preference: MatchedObject | None = None
    custom_size: CustomSize = NO_CUSTOM_SIZE


def resolve_matchers(vm_spec: JsonObject, scope: Scope, behaviour: Behaviour) -> Matchers:
    """Return the matchers as they would be stored: checked, inferred and with their kinds filled in.

    Raises ``CauseError`` with the mistakes of both matchers, although KubeVirt stops at the first.
    """
    instancetype = read_matcher(vm_spec, INSTANCETYPE)
    preference = read_matcher(vm_spec, PREFERENCE)
    if instancetype is None and preference is None:
        return Matchers()
    causes = (*check_matcher(instancetype, INSTANCETYPE), *check_matcher(preference, PREFERENCE))
    if causes:
        raise CauseError(*causes)
    inferred = _both_results(
        lambda: _infer(instancetype, INSTANCETYPE, vm_spec, scope, behaviour),
        lambda: _infer(preference, PREFERENCE, vm_spec, scope, behaviour),
    )
    clears_memory = instancetype is not None and instancetype.may_fail_to_infer and inferred[0] is not None
    return Matchers(*inferred, clears_memory=clears_memory)


def select(matchers: Matchers, status: JsonObject, scope: Scope, finder: Finder) -> ResolvedMatchers:
    """Return the objects that the matchers of a VirtualMachine with that ``status`` name.

    Raises ``CauseError`` with the mistakes of both.
    """
    if not matchers:
        return ResolvedMatchers()
    return ResolvedMatchers(
        *_both_results(
            lambda: finder.find(matchers.instancetype, INSTANCETYPE, status, scope),
            lambda: finder.find(matchers.preference, PREFERENCE, status, scope),
        )
    )


def _infer(
    matcher: Matcher | None,
    matcher_type: MatcherType,
    vm_spec: JsonObject,
    scope: Scope,
    behaviour: Behaviour,
) -> Matcher | None:
    if matcher is not None and matcher.infer_from_volume:
        from renderer.kubevirt.instancetype.infer import infer_matcher  # noqa: PLC0415 - few machines ask for it

        matcher = infer_matcher(matcher, matcher_type, vm_spec, scope, behaviour)
    if matcher is None or matcher.kind or not behaviour.fills_in_matcher_kind:
        return matcher
    return matcher.with_kind(matcher_type.default_kind)


def _both_results(instancetype: Callable[[], T], preference: Callable[[], T]) -> tuple[T, T]:
    """Run both steps; if either fails, raise the causes of both."""
    try:
        first = instancetype()
    except CauseError as error:
        causes = error.causes
        try:
            preference()
        except CauseError as other:
            causes += other.causes
        raise CauseError(*causes) from None
    return first, preference()
