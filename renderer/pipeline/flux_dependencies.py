"""The order of Flux Kustomizations by what they wait for, and cycles among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from renderer.model.kube.res_id import Reference
from renderer.pipeline.reached_objects import (
    cycle_error,
)

if TYPE_CHECKING:
    from renderer.gitops.flux.discovery import ReachedKustomization


def dependencies_first(reached: Iterable[ReachedKustomization]) -> list[ReachedKustomization]:
    """Return the Kustomizations, each after its dependencies, otherwise in the given order."""
    listed = list(reached)
    numbers = {each.key: number for number, each in enumerate(listed)}
    waits_for = [({*each.depends_on} & numbers.keys()) - {each.key} for each in listed]
    missing = [len(each) for each in waits_for]
    dependents: list[list[int]] = [[] for _ in listed]
    for number, keys in enumerate(waits_for):
        for key in keys:
            dependents[numbers[key]].append(number)
    ready = [number for number, count in enumerate(missing) if not count]
    done: list[ReachedKustomization] = []
    while ready:
        number = heappop(ready)
        done.append(listed[number])
        for dependent in dependents[number]:
            missing[dependent] -= 1
            if not missing[dependent]:
                heappush(ready, dependent)
    return done


def check_cycles(reached: Iterable[ReachedKustomization]) -> None:
    """Raise ``DiagnosticError``: entry-point-cycle if Kustomizations deploy or wait for each other."""
    by_key = {each.key: each for each in reached}
    for each in by_key.values():
        above = {other.key: number for number, other in enumerate(each.lineage())} if each.repeated else {}
        for resource in each.repeated:
            key = resource.reference
            if key in above and key != each.key:
                names = [name for _, _, name in list(above)[: above[key] + 1]]
                raise cycle_error("deploy each other", [*reversed(names), names[-1]], each.entry)
    state: dict[Reference, int] = {}
    for key in by_key:
        _check_dependencies(key, by_key, state, [])


def _check_dependencies(
    key: Reference,
    by_key: Mapping[Reference, ReachedKustomization],
    state: dict[Reference, int],
    way: list[Reference],
) -> None:
    """Follow ``dependsOn`` from one Kustomization. Raises ``DiagnosticError``: entry-point-cycle.

    ``state`` is 1 for Kustomizations on the current ``way``, and 2 for those without a cycle.
    """
    pending = [(key, iter(by_key[key].depends_on))]
    way.append(key)
    if state.get(key):
        return
    state[key] = 1
    while pending:
        current, dependencies = pending[-1]
        following = next((each for each in dependencies if each in by_key), None)
        if following is None:
            state[current] = 2
            pending.pop()
            way.pop()
        elif state.get(following) == 1:
            names = [name for _, _, name in (*way[way.index(following) :], following)]
            raise cycle_error("wait for each other", names, by_key[current].entry)
        elif not state.get(following):
            state[following] = 1
            way.append(following)
            pending.append((following, iter(by_key[following].depends_on)))
