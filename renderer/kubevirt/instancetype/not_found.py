"""Explain that a matcher names a missing object: suggest likely names, and say where we searched."""

from __future__ import annotations

from renderer.kubevirt.facts.kinds import CONTROLLER_REVISION, INSTANCETYPE, INSTANCETYPE_PREFIX, MatcherType
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Scope
from renderer.kubevirt.instancetype.cause import ExpansionCause
from renderer.kubevirt.instancetype.matcher import Matcher
from renderer.kubevirt.instancetype.revision import RevisionError
from renderer.kubevirt.instancetype.vmi_template import VMI_SPEC
from renderer.model.codes import Code
from renderer.model.diagnostic import Related, Severity
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.run.work import may_suggest
from renderer.model.suggest import suggest

_DATA = FieldPath.of("data")
_CUSTOM = "custom"
_CLASS_LABEL = f"{INSTANCETYPE_PREFIX}class"
_GENERAL_PURPOSE = "general.purpose"

#: Work steps to compare a name with a suggestion (``model.run.work``).
_STEPS_PER_NAME = 8


def unknown_kind(
    matcher: Matcher, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> ExpansionCause:
    """Return the cause for a matcher whose kind does not belong to its type.

    The kind that has an object of the name is suggested, or else the most similar one.
    """
    kinds = {kind.lower(): kind for kind in matcher_type.kinds}
    suggested = [kind for kind in matcher_type.kinds if scope.find(kind, matcher.name)]
    if len(suggested) != 1:
        suggested = [kinds[nearest] for nearest in suggest(matcher.kind.lower(), kinds, most=1)]
    message = f"{matcher.kind} is not a kind of {matcher_type.noun}"
    if behaviour.admits_missing_objects:
        message += f"; KubeVirt {behaviour.release} would admit the VM, and never start it"
    hint = f"use {' or '.join(suggested or kinds.values())}"
    at = matcher_type.path.child("kind")
    fix = SetField(at, suggested[0]) if suggested else None
    return _cause(matcher_type, at, Code.UNKNOWN_KIND, message, hint)._replace(fix=fix)


def not_found(
    matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope, behaviour: Behaviour
) -> ExpansionCause:
    """Return the cause for a matcher whose object of ``kind`` is in no source."""
    if matcher.boot_image:
        return _default_not_found(matcher, matcher_type, kind, scope)
    message = f"there is no {kind} {matcher.name or 'without a name'}"
    if behaviour.admits_missing_objects:
        message += _admitted_until_it_exists(behaviour)
    defined, fix = None, _kind_edit(matcher, matcher_type, kind, scope)
    hint = _elsewhere_hint(matcher, matcher_type, kind, scope)
    if hint is None and not may_suggest(_STEPS_PER_NAME * scope.catalog.count(*matcher_type.kinds)):
        hint = _searched_sources(scope)
    hint = (
        hint
        or _renamed_hint(matcher, matcher_type, scope)
        or _custom_size_hint(matcher, matcher_type, kind, scope)
    )
    if hint is None:
        kinds = (kind, *(other for other in matcher_type.kinds if other != kind))
        defined = scope.catalog.find_definition(kinds, matcher.name)
        if defined is None:
            nearest = suggest(matcher.name, scope.names(kind), most=3)
            if len(nearest) == 1:
                fix = SetField(matcher_type.path.child("name"), nearest[0])
            hint = (
                f"did you mean {' or '.join(nearest)}? {_searched_sources(scope)}"
                if nearest
                else _searched_sources(scope)
            )
        else:  # another file of the repository defines the object
            hint = f"{defined.site.path} defines it: {defined.catalog_hint}"
            if defined.kind != kind:
                hint += f", and set {matcher_type.path}.kind: {defined.kind}"
    related = () if defined is None else (Related(f"{defined.kind} {matcher.name}", (defined.site,)),)
    if matcher.label is None or matcher.volume is None:
        at = matcher_type.path.child("name")
        cause = _cause(matcher_type, at, matcher_type.not_found, message, hint)
        return cause._replace(related=related, fix=fix)
    at = matcher_type.path.child("inferFromVolume")
    cause = _cause(matcher_type, at, matcher_type.not_found, message, hint)
    return cause._replace(involved=(matcher.volume,), related=(matcher.label, *related))


def _default_not_found(
    matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope
) -> ExpansionCause:
    """Return the cause for the default of a boot image that is in no source: the cluster may name another."""
    at = matcher_type.path.child("inferFromVolume")
    message = (
        f"{kind} {matcher.name}, the default of DataSource {matcher.boot_image}, is not in the repository"
    )
    hint = (
        f"name the {matcher_type.noun} instead of inferring it, or add the catalog that has it;"
        f" {_searched_sources(scope)}"
    )
    related = () if matcher.label is None else (matcher.label,)
    return _cause(matcher_type, at, Code.NOT_INFERRED, message, hint)._replace(
        related=related, offline=Severity.WARNING
    )


def revision_not_found(
    name: str, at: FieldPath, matcher_type: MatcherType, scope: Scope, behaviour: Behaviour
) -> ExpansionCause:
    """Return the cause for a revision that is in no source; the VirtualMachine names it at ``at``."""
    hint = f"add it, or drop {at} to use the current {matcher_type.noun}; for a pin: vmrender pin --update"
    known = scope.catalog.count(CONTROLLER_REVISION)
    names = scope.names(CONTROLLER_REVISION) if may_suggest(_STEPS_PER_NAME * known) else ()
    for nearest in suggest(name, names, most=1):
        hint = f"did you mean {nearest}? else {hint}"
    message = f"there is no ControllerRevision {name}"
    if behaviour.admits_missing_objects:
        message += _admitted_until_it_exists(behaviour)
    return _cause(matcher_type, at, Code.REVISION_INVALID, message, hint)


def unusable_revision(
    revision: Resource, at: FieldPath, matcher_type: MatcherType, error: RevisionError
) -> ExpansionCause:
    """Return the cause for a revision that cannot be decoded; the VirtualMachine names it at ``at``."""
    hint = f"drop {at} to use the current {matcher_type.noun}, or pin it anew"
    if error.outdated:
        hint += "; in a cluster, KubeVirt 1.3 to 1.6 convert such revisions to v1beta1"
    message = f"ControllerRevision {revision.name} {error}"
    cause = _cause(matcher_type, at, Code.REVISION_INVALID, message, hint)
    return cause._replace(related=(Related("the revision", revision.sites(_DATA)),))


def _admitted_until_it_exists(behaviour: Behaviour) -> str:
    return f"; KubeVirt {behaviour.release} would admit the VM, and not start it until there is one"


def _kind_edit(matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope) -> Edit | None:
    """Return the edit for a name that an object of the other kind has; None if there is no such object."""
    other = next(other for other in matcher_type.kinds if other != kind)
    if not scope.find(other, matcher.name):
        return None
    if matcher.kind:
        return SetField(matcher_type.path.child("kind"), other)
    return AddField(matcher_type.path, "kind", other)


def _elsewhere_hint(matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope) -> str | None:
    """Return the hint for a name that exists, but not where the matcher looks."""
    other = next(other for other in matcher_type.kinds if other != kind)
    set_kind = f"set {matcher_type.path}.kind: {other}"
    if scope.find(other, matcher.name):
        if matcher.kind:
            return set_kind
        return f"{other} {matcher.name} exists, but without a kind the matcher names a {kind}; {set_kind}"
    namespaces = ", ".join(sorted(scope.catalog.named(matcher_type.kind, matcher.name)))
    if not namespaces:
        return None
    where = f"is in namespace {namespaces}, the VM is in {scope.namespace or 'none'}"
    return f"{matcher_type.kind} {matcher.name} {where}"


def _renamed_hint(matcher: Matcher, matcher_type: MatcherType, scope: Scope) -> str | None:
    """Return the hint for an object that an overlay's namePrefix or nameSuffix has renamed."""
    for kind in matcher_type.kinds:
        for resource in scope.catalog.of_kind(kind):
            if any(previous.name == matcher.name for previous in resource.previous_ids):
                return (
                    f"{kind} {matcher.name} of {resource.origin.path} is called {resource.name}, by a"
                    " namePrefix or nameSuffix, which kustomize does not write into matchers;"
                    f" name it {resource.name}"
                )
    return None


def _custom_size_hint(matcher: Matcher, matcher_type: MatcherType, kind: str, scope: Scope) -> str | None:
    """Return the hint for a custom size of a series that sets only the size, and so needs no custom type.

    That is the universal series of common-instancetypes, whose class is ``general.purpose``.
    """
    series, dot, size = matcher.name.rpartition(".")
    if matcher_type is not INSTANCETYPE or not dot or size != _CUSTOM:
        return None
    letters = series.rstrip("0123456789")
    for name in scope.names(kind):
        resource = scope.find(kind, name)
        is_alike = name.rpartition(".")[0].rstrip("0123456789") == letters
        if is_alike and resource is not None and resource.labels.get(_CLASS_LABEL) == _GENERAL_PURPOSE:
            domain = VMI_SPEC.child("domain")
            return (
                f"leave {matcher_type.path} out, and set {domain}.cpu.guest and {domain}.memory.guest:"
                f" {series} sets only a size"
            )
    return None


def _searched_sources(scope: Scope) -> str:
    return f"searched {', '.join(scope.catalog.sources) or 'no catalog'}"


def _cause(matcher_type: MatcherType, at: FieldPath, code: Code, message: str, hint: str) -> ExpansionCause:
    """Return the cause; KubeVirt up to 1.5 rejects the matcher, not a field of it."""
    return ExpansionCause.at_field(at, code, message, hint, reported=str(matcher_type.path))
