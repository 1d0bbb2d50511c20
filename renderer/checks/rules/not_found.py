"""References to missing objects.

An object that a manifest names may exist in the cluster without being in Git. So a reference is only reported
if it was most probably meant for an object of the overlay: an object that kustomize renamed, an unreferenced
object whose name (before or after a rename) differs by a typo, a referenced one whose name differs by a slip
of the pen, or an unreferenced object in another namespace, unless the reference itself names a namespace.
``strict`` reports all references to objects that the overlay lacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from renderer.checks.rules.context import AnyReference, Context, IsInCluster
from renderer.checks.rules.indexed_references import (
    forgotten_index,
    likely_mistake,
    missing_finding,
    missing_indices,
    missing_names,
)
from renderer.checks.rules.inventory import (
    Item,
    may_be_in,
)
from renderer.checks.rules.operator_references import (
    GATEWAY,
    HOOK,
    NETWORK_MAP,
    PLAN,
    PROVIDER,
    SERVICE,
    STORAGE_MAP,
)
from renderer.checks.rules.references import ObjectReference
from renderer.checks.rules.rule import Finding, Rule, related_to
from renderer.kubevirt.facts.boot_images import is_made_by_operators
from renderer.kubevirt.facts.kinds import (
    CLAIM,
    CONFIG_MAP,
    DATA_SOURCE,
    NETWORK,
    SECRET,
    SERVICE_ACCOUNT,
    VM,
    VM_POOL,
    VM_SNAPSHOT,
    VMI,
)
from renderer.kubevirt.facts.pool_names import split_index
from renderer.model.codes import Code
from renderer.model.diagnostic import Related
from renderer.model.field_edit import SetField
from renderer.model.kube.list_elements import value_at
from renderer.model.near_miss import is_near_miss, is_slip, numbers_of
from renderer.model.placeholders import has_placeholder
from renderer.model.rule_settings import Level
from renderer.model.run.work import spend

#: The ends of fields that have a namespace beside them: the sources of clones.
_WITH_NAMESPACE = (("pvc", "name"), ("snapshot", "name"), ("sourceRef", "name"))

#: Kinds whose references may name a namespace wherever they are.
_WITH_NAMESPACE_BESIDE = frozenset({SERVICE, GATEWAY, PROVIDER, NETWORK_MAP, STORAGE_MAP, PLAN, HOOK})


def dangling(context: Context, kinds: Sequence[str]) -> Iterator[Finding]:
    """Yield the references to ``kinds`` that were meant for an object of the overlay, but do not match it."""
    for kind in kinds:
        for reference in _missing_references(context, kind) if context.inventory.knows(kind) else ():
            found = _likely_mistake(context, reference, is_strict=False)
            if found is not None and not _has(context.lookups.is_surely_in_cluster, context, reference):
                yield found


def strictly_dangling(context: Context, kinds: Sequence[str]) -> Iterator[Finding]:
    """Yield all references to ``kinds`` that the overlay lacks."""
    for kind in kinds:
        for reference in _missing_references(context, kind):
            likely = _likely_mistake(context, reference, is_strict=True)
            lookups = context.lookups
            elsewhere = lookups.is_in_cluster if likely is None else lookups.is_surely_in_cluster
            if _has(elsewhere, context, reference):
                continue
            if (
                likely is None
                and kind == DATA_SOURCE
                and is_made_by_operators(reference.name, reference.namespace)
            ):
                continue
            if likely is None and isinstance(reference, ObjectReference) and reference.is_indexed:
                likely = missing_finding(context, reference)
            yield likely or _finding(
                reference,
                f"there is no {kind} {reference.qualified_name} in the overlay",
                "add it, or say in an annotation where it comes from",
            )


def _has(is_in_cluster: IsInCluster, context: Context, reference: AnyReference) -> bool:
    """Return True if another overlay of the cluster has what the reference lacks here."""
    names: Iterable[str] = (reference.name,)
    if isinstance(reference, ObjectReference) and reference.is_indexed:
        names = missing_names(context, reference)
    return all(is_in_cluster(reference.kind, name, reference.namespace) for name in names)


def _missing_references(context: Context, kind: str) -> Iterator[AnyReference]:
    for reference in context.references_to(kind):
        if isinstance(reference, ObjectReference) and reference.is_indexed:
            is_known = not missing_indices(context, reference)
        else:
            is_known = context.inventory.has(kind, reference.name, reference.namespace) or (
                kind in (VM, VMI) and _is_of_pool(context, reference)
            )
        if not is_known and not has_placeholder(f"{reference.namespace}/{reference.name}"):
            yield reference


def _is_of_pool(context: Context, reference: AnyReference) -> bool:
    """Return True if a pool of the overlay has a machine of this name."""
    indexed = split_index(reference.name)
    return indexed is not None and context.inventory.has(VM_POOL, indexed[0], reference.namespace)


def _likely_mistake(context: Context, reference: AnyReference, *, is_strict: bool) -> Finding | None:
    of_machine = reference if isinstance(reference, ObjectReference) else None
    if of_machine is not None and of_machine.is_indexed:
        return likely_mistake(context, of_machine)
    renamed = context.inventory.renamed.get((reference.kind, reference.name), ())
    spend(len(renamed), "looking for objects that are named")
    for item in renamed:
        if may_be_in(item, reference.namespace):
            return _renamed_finding(reference, item)
    without_index = forgotten_index(context, of_machine) if of_machine is not None else None
    if without_index is not None:
        return without_index
    key = reference.kind, reference.name, reference.namespace
    if key not in context.similar:  # aliases repeat references
        context.similar[key] = _similar(context, reference)
    similar = context.similar[key]
    if similar:
        return _mistyped_finding(reference, similar)
    if not is_strict and reference.namespace != reference.resource.namespace:
        return None  # images and networks for all namespaces are often not in Git
    elsewhere = context.inventory.named(reference.kind, reference.name)
    if not elsewhere or context.is_any_used(reference.kind, reference.name):
        return None
    return _elsewhere_finding(reference, elsewhere[0])


def _similar(context: Context, reference: AnyReference) -> Mapping[str, Item]:
    """Return the items whose names a reference may have meant, by these names."""
    candidates = context.candidates(reference.kind).get(numbers_of(reference.name), ())
    spend(len(candidates) * (4 + len(reference.name) // 16), "comparing names that may be mistyped")
    similar: dict[str, Item] = {}
    for name, item, is_used in candidates:
        is_mistyped = is_slip if is_used else is_near_miss
        if may_be_in(item, reference.namespace) and is_mistyped(reference.name, name):
            similar.setdefault(name, item)
    return similar


def _mistyped_finding(reference: AnyReference, similar: Mapping[str, Item]) -> Finding:
    """Return the finding about a name that is similar to others; a renamed object has two of them."""
    first, *others = similar
    item = similar[first]
    names = (first, *(each for each in others if similar[each] is not item))
    message = f"there is no {reference.kind} {reference.qualified_name} in the overlay"
    hint = f"did you mean {' or '.join(names)}?"
    fix = _renaming(reference, first) if len(names) == 1 else None
    return _finding(reference, message, hint, _existing_item(item))._replace(fix=fix)


def _elsewhere_finding(reference: AnyReference, item: Item) -> Finding:
    """Return the finding about an object of the right name in another namespace."""
    own, fix = reference.resource.namespace, None
    if reference.kind == NETWORK:
        written = item.name if item.namespace == own else f"{item.namespace}/{item.name}"
        fix = SetField(reference.field, written)
        hint = f"write {written} to use " + (
            "the network of its own namespace" if item.namespace == own else "a network of another namespace"
        )
    elif reference.field.segments[-2:] in _WITH_NAMESPACE or reference.kind in _WITH_NAMESPACE_BESIDE:
        hint = f"write namespace: {item.namespace} beside the name to use that one"
    else:
        who = (
            "a virtual machine" if isinstance(reference, ObjectReference) else f"a {reference.resource.kind}"
        )
        hint = f"{who} can use only objects of its own namespace"
    message = (
        f"there is no {reference.kind} {reference.qualified_name} in the overlay, but one in {item.namespace}"
    )
    return _finding(reference, message, hint, _existing_item(item))._replace(fix=fix)


def _renaming(reference: AnyReference, name: str) -> SetField | None:
    """Return the edit to another name; in the form NAMESPACE/NAME, the namespace stays."""
    written = value_at(reference.resource.content, reference.field.segments)
    if not isinstance(written, str) or not written.endswith(reference.name):
        return None
    return SetField(reference.field, f"{written.removesuffix(reference.name)}{name}")


def _renamed_finding(reference: AnyReference, item: Item) -> Finding:
    message = f"the build renames {reference.kind} {reference.name} to {item.name}, but not in this reference"
    hint = (
        "kustomize does not know this reference: write mergeKeys: kubevirt in vmrender.yaml, or list it as "
        "nameReference in a file of the kustomization's configurations, or leave the "
        f"{reference.kind} without prefix, suffix and hash"
    )
    return _finding(reference, message, hint, _existing_item(item))


def _existing_item(item: Item) -> Related:
    return related_to(item.resource, f"{item.resource.kind} {item.name} is here")


def _finding(reference: AnyReference, message: str, hint: str, *related: Related) -> Finding:
    return Finding(reference.resource, reference.field, message, hint, related)


def _rule(code: Code, *kinds: str) -> Rule:
    check, strict = partial(dangling, kinds=kinds), partial(strictly_dangling, kinds=kinds)
    return Rule(code, Level.WARNING, check, strict=strict)


RULES = (
    _rule(Code.CLAIM_NOT_FOUND, CLAIM),
    _rule(Code.CONFIG_MAP_NOT_FOUND, CONFIG_MAP),
    _rule(Code.DATA_SOURCE_NOT_FOUND, DATA_SOURCE),
    _rule(Code.NETWORK_NOT_FOUND, NETWORK),
    _rule(Code.SECRET_NOT_FOUND, SECRET),
    _rule(Code.SERVICE_ACCOUNT_NOT_FOUND, SERVICE_ACCOUNT),
    _rule(Code.VIRTUAL_MACHINE_NOT_FOUND, VM, VMI, VM_POOL, VM_SNAPSHOT),
)
