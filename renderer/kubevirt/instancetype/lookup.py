"""Look up instance types and preferences by the names that people type: ``u1.medium``, ``kind/name``.

A name without a kind refers to a cluster-wide object, as in a matcher without a kind; if there is none, to a
namespaced one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from renderer.kubevirt.facts.kinds import (
    INSTANCETYPE,
    MATCHER_TYPE_OF,
    MATCHER_TYPES,
    PREFERENCE,
    MatcherType,
)
from renderer.kubevirt.instancetype.catalog import Catalog
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest

#: KubeVirt ``pkg/virt-operator/resource/generate/components/crds.go``.
_SHORT_NAMES: Mapping[str, tuple[str, ...]] = {
    INSTANCETYPE.kind: ("vminstancetype", "vminstancetypes", "vmf", "vmfs"),
    INSTANCETYPE.cluster_kind: ("vmclusterinstancetype", "vmclusterinstancetypes", "vmcf", "vmcfs"),
    PREFERENCE.kind: ("vmpref", "vmprefs", "vmp", "vmps"),
    PREFERENCE.cluster_kind: ("vmcp", "vmcps"),
}


def look_up(catalog: Catalog, reference: str) -> Resource:
    """Return the object that ``reference`` names: ``NAME``, ``KIND/NAME`` or ``NAMESPACE/KIND/NAME``.

    ``KIND`` is a kind that a matcher accepts, a short name of kubectl's, ``instancetype`` or ``preference``.
    Without a kind of one scope, a cluster-wide object comes first, as for a matcher. Raises
    ``DiagnosticError``: unknown-kind, instancetype-not-found, preference-not-found; and name-ambiguous if
    there are several objects, with the forms to write instead.
    """
    wanted = _parse(reference)
    found: list[Resource] = []
    for kinds in wanted.kinds:
        found = [
            resource
            for kind in kinds
            for namespace, resource in catalog.named(kind, wanted.name).items()
            if wanted.namespace in (None, namespace)
        ]
        if found:
            break
    if len(found) == 1:
        return found[0]
    if not found:
        raise _not_found(catalog, reference, wanted)
    forms = [_form(resource, found) for resource in found]
    raise Diagnostic(
        Code.NAME_AMBIGUOUS,
        f"{wanted.name} is the name of {len(found)} objects",
        hint=f"write {' or '.join(forms)}",
        related=tuple(
            Related(f"{form} is one", resource.sites()) for form, resource in zip(forms, found, strict=True)
        ),
    ).error()


class _Reference(NamedTuple):
    """A reference as typed; ``kinds`` are looked up in turn, until one of them has an object."""

    name: str
    kinds: tuple[tuple[str, ...], ...]
    namespace: str | None = None


def _parse(reference: str) -> _Reference:
    """Return the parts of a reference; ``KIND/NAMESPACE/NAME`` also counts. Raises: unknown-kind."""
    *front, name = reference.split("/", 2)
    if not front:
        return _Reference(name, tuple(zip(*(_by_scope(each) for each in MATCHER_TYPES), strict=True)))
    *namespaces, kind = front
    if namespaces and _matcher_type(kind) is None:
        namespaces, kind = [kind], namespaces[0]
    matcher_type = _matcher_type(kind)
    if matcher_type is None:
        raise _unknown_kind(kind)
    short = (each for each, names in _SHORT_NAMES.items() if kind.lower() in names)
    one = next(short, None) or matcher_type.matched_kind(kind)
    kinds = ((one,),) if one else tuple((each,) for each in _by_scope(matcher_type))
    return _Reference(name, kinds, namespaces[0] if namespaces else None)


def _by_scope(matcher_type: MatcherType) -> tuple[str, str]:
    return (matcher_type.cluster_kind, matcher_type.kind)


def _matcher_type(written: str) -> MatcherType | None:
    """Return the type of matcher for a kind, a short name or a noun; None if it is neither."""
    lower = written.lower()
    for matcher_type in MATCHER_TYPES:
        short = (name for kind in matcher_type.kinds for name in _SHORT_NAMES[kind])
        nouns = (matcher_type.key, f"{matcher_type.key}s")
        if lower and (matcher_type.matched_kind(written) or lower in (*nouns, *short)):
            return matcher_type
    return None


def _unknown_kind(written: str) -> DiagnosticError:
    kinds = {kind.lower(): kind for matcher_type in MATCHER_TYPES for kind in matcher_type.kinds}
    suggested = [kinds[near] for near in suggest(written.lower(), kinds, most=1)] or list(kinds.values())
    message = f"{written or 'nothing'} is not a kind of instance type or preference"
    return Diagnostic(Code.UNKNOWN_KIND, message, hint=f"use {' or '.join(suggested)}").error()


def _form(resource: Resource, among: Sequence[Resource]) -> str:
    """Return the form that names only this object."""
    kind = resource.kind.lower()
    shared = [other for other in among if other.kind == resource.kind]
    if len(shared) > 1 and resource.namespace:
        return f"{resource.namespace}/{kind}/{resource.name}"
    return f"{kind}/{resource.name}"


def _not_found(catalog: Catalog, reference: str, wanted: _Reference) -> DiagnosticError:
    kinds = [kind for each in wanted.kinds for kind in each]
    code = MATCHER_TYPE_OF[kinds[0]].not_found
    searched = f"searched {', '.join(catalog.sources) or 'no catalog'}"
    message = f"there is no instance type or preference {reference or 'without a name'}"
    if "/" in reference:
        message = f"there is no {reference} in the catalogs"
    elsewhere = [
        resource for kind in MATCHER_TYPE_OF for resource in catalog.named(kind, wanted.name).values()
    ]
    if elsewhere:
        forms = (_form(resource, elsewhere) for resource in elsewhere)
        return Diagnostic(code, message, hint=f"write {' or '.join(forms)}").error()
    known = {resource.name for kind in kinds for resource in catalog.of_kind(kind)}
    near = suggest(wanted.name, sorted(known), most=3)
    hint = f"did you mean {' or '.join(near)}? {searched}" if near else searched
    return Diagnostic(code, message, hint=hint).error()
