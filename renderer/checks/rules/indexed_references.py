"""References to which a pool appends the index of each machine: ``ci`` means ``ci-0``, ``ci-1`` and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from renderer.checks.rules.context import Context
from renderer.checks.rules.inventory import Item, may_be_in
from renderer.checks.rules.references import ObjectReference
from renderer.checks.rules.rule import Finding, related_to
from renderer.kubevirt.facts.kinds import VM_POOL
from renderer.kubevirt.facts.pool_names import index_option, split_index
from renderer.model.diagnostic import Related
from renderer.model.near_miss import is_near_miss, numbers_of
from renderer.model.plural import abridged
from renderer.model.run.work import spend

#: The most names that are looked for among the renamed and mistyped ones, and that a message lists.
_MOST_COMPARED, _MOST_NAMED = 100, 4
#: Steps for an object with an index that is compared with a reference.
_STEPS_PER_INDEX, _ACTIVITY = 2, "looking for the objects of a pool's machines"
#: Longer runs of missing names are abbreviated: ``ci-0 to ci-9``.
_LONGEST_LISTED = 2


def missing_indices(context: Context, reference: ObjectReference) -> Sequence[range]:
    """Return the indices for which the overlay has no object, as runs in ascending order."""
    key = reference.kind, reference.name, reference.namespace, reference.machine.replicas
    if key not in context.missing_indices:
        context.missing_indices[key] = _missing_indices(context, reference)
    return context.missing_indices[key]


def _missing_indices(context: Context, reference: ObjectReference) -> Sequence[range]:
    indexed = context.inventory.indexed.get((reference.kind, reference.name), {})
    spend(_STEPS_PER_INDEX * len(indexed), _ACTIVITY)
    runs: list[range] = []
    start, end = 0, max(reference.machine.replicas, 0)
    for index in sorted(indexed):
        if index < end and any(may_be_in(item, reference.namespace) for item in indexed[index]):
            runs.append(range(start, index))
            start = index + 1
    return [run for run in (*runs, range(start, end)) if run]


def missing_names(context: Context, reference: ObjectReference) -> Iterator[str]:
    """Yield the first names of objects that the overlay lacks."""
    return _names(reference, missing_indices(context, reference))


def likely_mistake(context: Context, reference: ObjectReference) -> Finding | None:
    """Return the finding about missing objects that the overlay was meant to have; None if none was."""
    runs = missing_indices(context, reference)
    if not runs:
        return None
    return (
        _renamed(context, reference, runs)
        or _mistyped(context, reference, runs)
        or _incomplete(context, reference, runs)
        or _shared(context, reference, runs)
        or _elsewhere(context, reference, runs)
    )


def missing_finding(context: Context, reference: ObjectReference) -> Finding:
    """Return the finding about missing objects, which may exist in the cluster."""
    runs = missing_indices(context, reference)
    return _finding(reference, runs, "", "add them, or say in an annotation where they come from")


def forgotten_index(context: Context, reference: ObjectReference) -> Finding | None:
    """Return the finding about a pool whose machines have objects of their own, but do not refer to them."""
    if reference.machine.kind != VM_POOL or reference.is_indexed:
        return None
    indexed = context.inventory.indexed.get((reference.kind, reference.name), {})
    items = [item for index in sorted(indexed) for item in indexed[index]]
    spend(_STEPS_PER_INDEX * len(items), _ACTIVITY)
    intended = [item for item in items if may_be_in(item, reference.namespace)]
    if not intended or any(context.is_used(reference.kind, item) for item in intended):
        return None
    first = intended[0]
    volume = str(reference.place.at[-1]) if reference.place.at else ""
    option = index_option(volume)
    if option is None:
        hint = f"KubeVirt appends no index here: all machines of a pool use one {reference.kind}"
    elif context.release >= option[1]:
        hint = f"{option[0]}: true under spec.nameGeneration appends the index of each machine"
    else:
        hint = (
            f"KubeVirt appends an index here from {option[1].as_bound} on; before, all machines of a pool use"
            f" one {reference.kind}"
        )
    return Finding(
        reference.resource,
        reference.field,
        f"there is no {reference.kind} {reference.qualified_name} in the overlay, but {first.name}",
        hint,
        (_here(first),),
    )


def _renamed(context: Context, reference: ObjectReference, runs: Sequence[range]) -> Finding | None:
    for name in _names(reference, runs):
        renamed = context.inventory.renamed.get((reference.kind, name), ())
        spend(len(renamed), _ACTIVITY)
        for item in renamed:
            if may_be_in(item, reference.namespace):
                message = (
                    f"the build renames {reference.kind} {name} to {item.name}, but not in this reference"
                )
                hint = (
                    "kustomize cannot know a name to which a pool appends an index: leave the"
                    f" {reference.kind}s without prefix, suffix and hash"
                    " (options: {disableNameSuffixHash: true} in a generator)"
                )
                return Finding(reference.resource, reference.field, message, hint, (_here(item),))
    return None


def _mistyped(context: Context, reference: ObjectReference, runs: Sequence[range]) -> Finding | None:
    for name in _names(reference, runs):
        candidates = context.candidates(reference.kind).get(numbers_of(name), ())
        spend(len(candidates) * (4 + len(name) // 16), "comparing names that may be mistyped")
        for candidate, item, is_used in candidates:
            intended = None if is_used else split_index(candidate)
            if intended and may_be_in(item, reference.namespace) and is_near_miss(name, candidate):
                return _finding(reference, runs, "", f"did you mean {intended[0]}?", item)
    return None


def _incomplete(context: Context, reference: ObjectReference, runs: Sequence[range]) -> Finding | None:
    """Return the finding about a pool for which some of its objects exist."""
    indexed = context.inventory.indexed.get((reference.kind, reference.name), {})
    spend(_STEPS_PER_INDEX * len(indexed), _ACTIVITY)
    for index in sorted(indexed):
        for item in indexed[index]:
            if may_be_in(item, reference.namespace):
                return _finding(reference, runs, f", but {item.name}", "add one for each machine", item)
    return None


def _shared(context: Context, reference: ObjectReference, runs: Sequence[range]) -> Finding | None:
    """Return the finding about an object with the written name, which no machine of the pool uses."""
    named = (
        *context.inventory.named(reference.kind, reference.name),
        *context.inventory.renamed.get((reference.kind, reference.name), ()),
    )
    spend(len(named), _ACTIVITY)
    for item in named:
        if may_be_in(item, reference.namespace) and not context.is_used(reference.kind, item):
            hint = (
                f"add one for each machine, or remove {_option(reference)}, so that all of them use"
                f" {reference.name}"
            )
            return _finding(reference, runs, f", but {item.name}", hint, item)
    return None


def _elsewhere(context: Context, reference: ObjectReference, runs: Sequence[range]) -> Finding | None:
    for name in _names(reference, runs):
        named = context.inventory.named(reference.kind, name)
        spend(_STEPS_PER_INDEX * len(named), _ACTIVITY)
        for item in named:
            if not context.is_used(reference.kind, item):
                hint = "a virtual machine can use only objects of its own namespace"
                return _finding(reference, runs, f", but {item.name} in {item.namespace}", hint, item)
    return None


def _finding(reference: ObjectReference, runs: Sequence[range], but: str, hint: str, *items: Item) -> Finding:
    replicas = reference.machine.replicas
    machines = f"each of {replicas} machines" if replicas > 1 else "the machine"
    message = (
        f"there is no {reference.kind} {_listed(reference, runs)} in the overlay{but}: {_option(reference)}"
        f" appends the index of {machines} to {reference.name}"
    )
    return Finding(reference.resource, reference.field, message, hint, tuple(map(_here, items)))


def _here(item: Item) -> Related:
    return related_to(item.resource, f"{item.resource.kind} {item.name} is here")


def _option(reference: ObjectReference) -> str:
    option = index_option(str(reference.place.at[-1]))
    return option[0] if option else ""


def _names(reference: ObjectReference, runs: Sequence[range]) -> Iterator[str]:
    return (f"{reference.name}-{index}" for index in islice(chain.from_iterable(runs), _MOST_COMPARED))


def _listed(reference: ObjectReference, runs: Sequence[range]) -> str:
    """Return the missing names: ``ci-0``, ``ci-0, ci-1`` or ``ci-0 to ci-9``."""
    name = reference.qualified_name
    parts: list[str] = []
    for run in runs:
        if len(run) > _LONGEST_LISTED:
            parts.append(f"{name}-{run[0]} to {name}-{run[-1]}")
        else:
            parts += [f"{name}-{index}" for index in run]
    return abridged(parts, _MOST_NAMED)
