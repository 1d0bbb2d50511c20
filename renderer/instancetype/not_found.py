"""What to say when a matcher leads nowhere: what may be meant, and where was looked."""

from __future__ import annotations

from collections.abc import Iterable

from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Scope
from renderer.instancetype.cause import Cause
from renderer.instancetype.matcher import Matcher, MatcherType
from renderer.instancetype.revision import RevisionError
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.field_path import FieldPath
from renderer.model.resource import Resource

_DATA = FieldPath.of("data")


def unknown_kind(matcher: Matcher, matcher_type: MatcherType) -> Cause:
    kinds = {kind.lower(): kind for kind in matcher_type.kinds}
    meant = [kinds[nearest] for nearest in _nearest(matcher.kind.lower(), kinds, most=1)]
    message = f"{matcher.kind} is no kind of {matcher_type.noun}"
    hint = f"use {' or '.join(meant or kinds.values())}"
    return _cause(matcher_type, matcher_type.path.child("kind"), Code.UNKNOWN_KIND, message, hint)


def not_found(
    matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope, behaviour: Behaviour
) -> Cause:
    """``kind`` is the kind of object that was looked for."""
    message = f"there is no {kind} {matcher.name or 'without a name'}"
    if behaviour.admits_missing_objects:
        message += f"; KubeVirt {behaviour.release} would admit the VM, but never start it"
    hint = _elsewhere(matcher, matcher_type, kind, scope) or _alike(matcher, kind, scope)
    if matcher.label is None or matcher.volume is None:
        return _cause(matcher_type, matcher_type.path.child("name"), matcher_type.not_found, message, hint)
    at = matcher_type.path.child("inferFromVolume")
    cause = _cause(matcher_type, at, matcher_type.not_found, message, hint)
    return cause._replace(beside=(matcher.volume,), related=(matcher.label,))


def revision_not_found(name: str, at: FieldPath, matcher_type: MatcherType, scope: Scope) -> Cause:
    """``at`` is where the VirtualMachine names the revision."""
    hint = f"add it, or drop {at} to take the {matcher_type.noun} as it is now"
    for nearest in _nearest(name, scope.names("ControllerRevision"), most=1):
        hint = f"did you mean {nearest}? else {hint}"
    return _cause(matcher_type, at, Code.REVISION_INVALID, f"there is no ControllerRevision {name}", hint)


def unusable_revision(
    revision: Resource, at: FieldPath, matcher_type: MatcherType, error: RevisionError
) -> Cause:
    """``at`` is where the VirtualMachine names the revision."""
    hint = f"drop {at} to take the {matcher_type.noun} as it is now, or pin it anew"
    if error.outdated:
        hint += "; in a cluster, KubeVirt 1.3 to 1.6 turn such revisions into v1beta1"
    message = f"ControllerRevision {revision.name} {error}"
    cause = _cause(matcher_type, at, Code.REVISION_INVALID, message, hint)
    return cause._replace(related=(Related("the revision", revision.sites(_DATA)),))


def _elsewhere(matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope) -> str | None:
    """The name exists, only not where the matcher looks."""
    other = next(other for other in matcher_type.kinds if other != kind)
    if scope.find(other, matcher.name):
        return f"set {matcher_type.path}.kind: {other}"
    namespaces = ", ".join(sorted(scope.catalog.named(matcher_type.kind, matcher.name)))
    if not namespaces:
        return None
    where = f"is in namespace {namespaces}, the VM is in {scope.namespace or 'none'}"
    return f"{matcher_type.kind} {matcher.name} {where}"


def _alike(matcher: Matcher, kind: str, scope: Scope) -> str:
    searched = f"searched {', '.join(scope.catalog.sources) or 'no catalog'}"
    nearest = _nearest(matcher.name, scope.names(kind), most=3)
    return f"did you mean {' or '.join(nearest)}? {searched}" if nearest else searched


def _nearest(word: str, words: Iterable[str], *, most: int) -> list[str]:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    return get_close_matches(word, list(words), n=most)


def _cause(matcher_type: MatcherType, at: FieldPath, code: Code, message: str, hint: str) -> Cause:
    """KubeVirt up to 1.5 refuses the matcher, not a field of it."""
    return Cause(code=code, field=str(matcher_type.path), at=at, message=message, hint=hint)
