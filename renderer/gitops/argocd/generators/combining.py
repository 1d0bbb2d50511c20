"""``matrix`` and ``merge``: generators that combine the sets of others.

``generators/matrix.go``, ``merge.go``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeAlias

from renderer.gitops.argocd.generators.context import SetContext, check_count
from renderer.gitops.argocd.parameters import Parameters, SetError, combined
from renderer.gitops.gotemplate.collection_functions import merged
from renderer.model.json import Json, JsonObject, array_at

_PAIR = 2

#: The sets of a nested generator, rendered with the parameters of another one. Raises ``SetError``.
Nested: TypeAlias = Callable[[Json, Parameters], list[Parameters]]


def matrix(block: JsonObject, context: SetContext, nested: Nested) -> list[Parameters]:
    """Every set of the first with every set of the second, which may use parameters of the first."""
    generators = array_at(block, "generators")
    if len(generators) != _PAIR:
        raise SetError(f"a matrix has exactly two generators, not {len(generators)}")
    sets: list[Parameters] = []
    for one in nested(generators[0], {}):
        others = nested(generators[1], one)
        check_count(len(sets) + len(others))
        if context.rendering.go_template:
            sets += [merged(merged({}, other, over=True), one, over=True) for other in others]
        else:
            sets += [combined(one, other) for other in others]
    return sets


def merge(block: JsonObject, context: SetContext, nested: Nested) -> list[Parameters]:
    """The sets of the first, each with what the others have for the same merge keys."""
    generators = array_at(block, "generators")
    if len(generators) < _PAIR:
        raise SetError(f"a merge has at least two generators, not {len(generators)}")
    keys = sorted({key for key in array_at(block, "mergeKeys") if isinstance(key, str)})
    if not keys:
        raise SetError("the merge generator has no mergeKeys", "name the parameters that have to be equal")
    base, *others = (_by_key(keys, nested(generator, {})) for generator in generators)
    for other in others:
        for key, known in base.items():
            if key in other and context.rendering.go_template:
                base[key] = merged(known, other[key], over=True)
            elif key in other:
                base[key] = {**known, **other[key]}
    return list(base.values())


def _by_key(keys: list[str], sets: list[Parameters]) -> dict[str, Parameters]:
    found: dict[str, Parameters] = {}
    for each in sets:
        key = json.dumps([each.get(name) for name in keys], sort_keys=True, default=str)
        if key in found:
            raise SetError(
                f"two parameter sets of the merge generator are equal in {', '.join(keys)}",
                "choose merge keys that tell them apart",
            )
        found[key] = each
    return found
