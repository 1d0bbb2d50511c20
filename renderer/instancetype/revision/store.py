"""What KubeVirt's VM controller stores for a VirtualMachine (``pkg/instancetype/revision/store.go``)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from renderer.instancetype.admission import apply
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Scope
from renderer.instancetype.cause import Cause, CauseError
from renderer.instancetype.find import Found, decoded, find_object, spec_type_of
from renderer.instancetype.matcher import INSTANCETYPE, Matcher, MatcherType
from renderer.instancetype.resolve import Selected
from renderer.instancetype.revision.controller_revision import stored_revision
from renderer.instancetype.revision.decode import RevisionError, decode_revision
from renderer.model.codes import Code
from renderer.model.json import JsonObject, object_at, text_at, without


@dataclass(frozen=True, slots=True)
class Stored:
    """What became of one matcher: itself, its reference in the status, and a new ControllerRevision."""

    matcher: Matcher
    reference: JsonObject | None = None
    created: JsonObject | None = None


def store_revision(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> Stored:
    """What the controller makes of one matcher of ``vm``. Raises ``CauseError``."""
    if behaviour.notes_revision_in_status:
        return _stored_in_status(vm, matcher, matcher_type, scope, behaviour)
    if matcher.revision_name:
        return Stored(matcher)
    revision, created = _revision(vm, matcher, matcher_type, scope, behaviour)
    name = text_at(revision, "metadata", "name")
    return Stored(replace(matcher, revision_name=name), created=created)


def _stored_in_status(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> Stored:
    """``syncStatusWithMatcher``: a reference stays as long as the matcher says the same."""
    before = object_at(vm, "status", matcher_type.status_ref)
    said = {"name": matcher.name, "kind": matcher.kind, "inferFromVolume": matcher.infer_from_volume}
    changed = {key: value for key, value in said.items() if value and value != text_at(before, key)}
    reference = {**(without(before, "controllerRevisionRef") if changed else before), **changed}
    if matcher.failure_policy is not None:
        reference["inferFromVolumeFailurePolicy"] = matcher.failure_policy
    if matcher.revision_name:
        return Stored(matcher, {**reference, "controllerRevisionRef": {"name": matcher.revision_name}})
    if reference.get("controllerRevisionRef") is not None:
        return Stored(matcher, reference)
    revision, created = _revision(vm, matcher, matcher_type, scope, behaviour)
    name = text_at(revision, "metadata", "name")
    return Stored(matcher, {**reference, "controllerRevisionRef": {"name": name}}, created)


def _revision(
    vm: JsonObject, matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> tuple[JsonObject, JsonObject | None]:
    """The revision for the matcher, and it again if it is new."""
    found = decoded(find_object(matcher, matcher_type, scope, behaviour), matcher_type, behaviour)
    if matcher_type is INSTANCETYPE:
        apply(Selected(found), object_at(vm, "spec", "template"), scope, behaviour)
    revision = stored_revision(vm, found, behaviour)
    existing = scope.find("ControllerRevision", text_at(revision, "metadata", "name"))
    if existing is None:
        return revision, revision
    _check_same(existing.content, found, behaviour)
    return revision, None


def _check_same(existing: JsonObject, found: Found, behaviour: Behaviour) -> None:
    """Raises ``CauseError`` unless the revision of that name holds the same spec."""
    matcher_type = found.matcher_type
    spec_type = spec_type_of(matcher_type)
    reason = "holds another spec"
    try:
        stored = decode_revision(existing, matcher_type, behaviour)
        if spec_type.normal(stored.spec) == spec_type.normal(found.spec):
            return
    except RevisionError as error:
        reason = str(error)
    name = text_at(existing, "metadata", "name")
    message = f"ControllerRevision {name} is there already and {reason}"
    raise CauseError(Cause.at_field(matcher_type.path, Code.REVISION_INVALID, message))
