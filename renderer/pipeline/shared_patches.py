"""Patches that several entry points have from one place: from a parent's patch, or from a set's template.

Such a patch is meant for those that have its target. It is a mistake only if it has a target in none of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from renderer.model.diagnostic import Diagnostic, Outcome
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet


class BuiltPatches(NamedTuple):
    """The targets of the patches in an engine object, and the targets that select nothing in its build."""

    targets: tuple[Site, ...] = ()
    missing: frozenset[Site] = frozenset()

    @classmethod
    def of(
        cls,
        entry: Resource,
        outcome: Outcome[ResourceSet] | None,
        lists: Iterable[tuple[FieldPath, Sequence[Json]]],
    ) -> BuiltPatches:
        """Return those in ``lists``, each with its place in the object; none if it was not built."""
        if outcome is None:
            return cls()
        places = (field.child(index) for field, patches in lists for index in range(len(patches)))
        return cls(
            tuple(entry.sites(place)[0].below("target") for place in places),
            frozenset(each.unmatched_target for each in outcome.diagnostics if each.unmatched_target),
        )


def matched_targets(built: Iterable[BuiltPatches]) -> frozenset[Site]:
    """Return the targets of patches that select something in one of the builds, and nothing in another."""
    given: Counter[Site] = Counter()
    missing: Counter[Site] = Counter()
    for each in built:
        given.update(each.targets)
        missing.update(each.missing)
    return frozenset(site for site, count in missing.items() if count < given[site])


def without_matched(found: Iterable[Diagnostic], matched: frozenset[Site]) -> tuple[Diagnostic, ...]:
    """Return the findings without those about targets that other builds have."""
    return tuple(each for each in found if each.unmatched_target not in matched)
