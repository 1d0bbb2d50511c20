"""Look up instance types and preferences by the names that people type: ``u1.medium``, ``kind/name``.

A name without a kind refers to a cluster-wide object, as in a matcher without a kind.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from renderer.kubevirt.facts.kinds import INSTANCETYPE, MATCHER_TYPES, PREFERENCE, MatcherType
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
    """Return the object that ``reference`` names: ``NAME``, ``KIND/NAME`` or ``KIND/NAMESPACE/NAME``.

    ``KIND`` is a kind that a matcher accepts, a short name of kubectl's, ``instancetype`` or ``preference``.
    Raises ``DiagnosticError``: unknown-kind, instancetype-not-found, preference-not-found; and name-ambiguous
    if there are several objects, with the forms to write instead.
    """
    *kinds, name = reference.split("/", 2)
    namespace = kinds.pop() if len(kinds) > 1 else None
    if kinds:
        (written,) = kinds
        matcher_type = _matcher_type(written)
        short = (kind for kind, names in _SHORT_NAMES.items() if written.lower() in names)
        kind = next(short, None) or matcher_type.matched_kind(written) or matcher_type.cluster_kind
        matcher_types = {kind: matcher_type}
    else:
        matcher_types = {matcher_type.cluster_kind: matcher_type for matcher_type in MATCHER_TYPES}
    found = [
        resource
        for kind in matcher_types
        for its_namespace, resource in catalog.named(kind, name).items()
        if namespace is None or its_namespace == namespace
    ]
    if len(found) == 1:
        return found[0]
    if not found:
        raise _not_found(catalog, reference, name, matcher_types)
    forms = [_form(resource, found) for resource in found]
    raise Diagnostic(
        Code.NAME_AMBIGUOUS,
        f"{name} is the name of {len(found)} objects",
        hint=f"write {' or '.join(forms)}",
        related=tuple(
            Related(f"{form} is one", resource.sites()) for form, resource in zip(forms, found, strict=True)
        ),
    ).error()


def _matcher_type(written: str) -> MatcherType:
    """Return the type of matcher for a kind. Raises ``DiagnosticError``: unknown-kind."""
    lower = written.lower()
    for matcher_type in MATCHER_TYPES:
        short = (name for kind in matcher_type.kinds for name in _SHORT_NAMES[kind])
        nouns = (matcher_type.key, f"{matcher_type.key}s")
        if lower and (matcher_type.matched_kind(written) or lower in (*nouns, *short)):
            return matcher_type
    kinds = {kind.lower(): kind for matcher_type in MATCHER_TYPES for kind in matcher_type.kinds}
    suggested = [kinds[near] for near in suggest(lower, kinds, most=1)] or list(kinds.values())
    message = f"{written or 'nothing'} is not a kind of instance type or preference"
    raise Diagnostic(Code.UNKNOWN_KIND, message, hint=f"use {' or '.join(suggested)}").error()


def _form(resource: Resource, among: Sequence[Resource]) -> str:
    """Return the form that names only this object."""
    kind = resource.kind.lower()
    shared = [other for other in among if other.kind == resource.kind]
    if len(shared) > 1 and resource.namespace:
        return f"{kind}/{resource.namespace}/{resource.name}"
    return f"{kind}/{resource.name}"


def _not_found(
    catalog: Catalog, reference: str, name: str, matcher_types: Mapping[str, MatcherType]
) -> DiagnosticError:
    code = next(iter(matcher_types.values())).not_found
    searched = f"searched {', '.join(catalog.sources) or 'no catalog'}"
    message = f"there is no cluster-wide instance type or preference {reference or 'without a name'}"
    if "/" in reference:
        message = f"there is no {reference} in the catalogs"
    elsewhere = [
        resource
        for matcher_type in MATCHER_TYPES
        for kind in matcher_type.kinds
        for resource in catalog.named(kind, name).values()
    ]
    if elsewhere:
        forms = (_form(resource, elsewhere) for resource in elsewhere)
        return Diagnostic(code, message, hint=f"write {' or '.join(forms)}").error()
    known = {resource.name for kind in matcher_types for resource in catalog.of_kind(kind)}
    near = suggest(name, sorted(known), most=3)
    hint = f"did you mean {' or '.join(near)}? {searched}" if near else searched
    return Diagnostic(code, message, hint=hint).error()
