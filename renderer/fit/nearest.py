"""Find the pair that comes nearest to a VirtualMachine which none reproduces.

An instance type is near when neither vCPUs nor memory are more than twice or less than half of the VM's. Of
those near, the one whose other fields differ least from the VM's comes first, then the one of the nearest
size. Each is tried with the preferences that leave the rest of the VM as it is, and the expansion that
differs in the fewest fields is the answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log2, prod
from typing import Protocol

from renderer.fit.candidates import Candidates, InstancetypeGroup
from renderer.fit.choice import in_order
from renderer.fit.instancetype_fields import COUNTS, GUEST_MEMORY
from renderer.fit.values import Choice, ReducedPreference, Target, VmFit
from renderer.kubevirt.lists import is_equal
from renderer.model.json import Json
from renderer.model.list_elements import value_at
from renderer.model.quantity import lenient_quantity
from renderer.model.record import Record

_LARGEST_STEP = 1.0  # of a power of two
_MOST_INSTANCETYPES = 3
_MOST_PREFERENCES = 2


class _Fitter(Protocol):
    """The part of a ``Fitter`` that trying a pair takes."""

    candidates: Candidates

    def tried(self, target: Target, choice: Choice) -> VmFit | None: ...

    def has_topology(
        self, target: Target, group: InstancetypeGroup, preference: ReducedPreference
    ) -> bool: ...


class Size(Record):
    """The size of a machine; memory in bytes."""

    vcpus: int
    memory: int


def nearest_fit(fitter: _Fitter, target: Target, preferences: Sequence[ReducedPreference]) -> VmFit | None:
    """Return the nearest pair with an instance type; None where no instance type is near."""
    size = size_of(target)
    if size is None:
        return None
    near = sorted(_near(fitter.candidates, target, size), key=lambda found: found[0])
    tried: list[tuple[int, tuple[int, float, str], int, VmFit]] = []
    for rank, group in near[:_MOST_INSTANCETYPES]:
        instancetype = in_order(group.members, target.mentions, target.scope)[0]
        for preference in _preferences(fitter, target, group, preferences):
            choice = Choice(instancetype, preference.members[0], group, preference.reduction)
            fit = fitter.tried(target, choice)
            if fit is not None:
                tried.append((len(fit.differing), rank, len(tried), fit))
    return min(tried)[-1] if tried else None


def size_of(target: Target) -> Size | None:
    """Return vCPUs and memory of a VM as its instance has them; None where they are not known."""
    counts = [value_at(target.defaulted, path) for path in COUNTS]
    return _size(
        prod(count for count in counts if isinstance(count, int) and count),
        value_at(target.defaulted, GUEST_MEMORY),
    )


def _size(vcpus: Json, memory: Json) -> Size | None:
    amount = lenient_quantity(memory)
    if not isinstance(vcpus, int) or vcpus < 1 or amount is None or amount.value() < 1:
        return None
    return Size(vcpus, amount.value())


def _near(
    candidates: Candidates, target: Target, size: Size
) -> Iterator[tuple[tuple[int, float, str], InstancetypeGroup]]:
    for group in candidates.instancetypes:
        other = _size(group.fields.vcpus, group.fields.memory)
        if other is None:
            continue
        steps = [abs(log2(mine / its)) for mine, its in zip(size, other, strict=True)]
        if max(steps) > _LARGEST_STEP:
            continue
        members = in_order(group.members, target.mentions, target.scope)
        if members:
            others = sum(
                not is_equal(value_at(target.held, path), value)
                for path, value in group.fields.fields.items()
                if path != GUEST_MEMORY
            )
            yield (others, sum(steps), members[0].resource.name), group


def _preferences(
    fitter: _Fitter, target: Target, group: InstancetypeGroup, preferences: Sequence[ReducedPreference]
) -> list[ReducedPreference]:
    """Return the preferences to try: those with the VM's topology, then those that supply most."""
    return sorted(
        preferences,
        key=lambda each: (
            not fitter.has_topology(target, group, each),
            -each.reduction.supplied,
            each.reduction.overridden,
        ),
    )[:_MOST_PREFERENCES]
