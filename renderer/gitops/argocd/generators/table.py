"""The generators by their names in an ApplicationSet, and those that need more than the Git tree."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.gitops.argocd.generators.clusters import cluster_sets
from renderer.gitops.argocd.generators.combining import matrix, merge
from renderer.gitops.argocd.generators.context import Generate, SetContext, check_count
from renderer.gitops.argocd.generators.git_directories import directory_sets
from renderer.gitops.argocd.generators.git_files import file_sets
from renderer.gitops.argocd.generators.list_generator import list_sets
from renderer.gitops.argocd.parameters import Parameters, Rendering, SetError, flattened, selector_matches
from renderer.model.json import Json, JsonObject, array_at, object_at

_MOST_NESTED = 4


def _git(block: JsonObject, context: SetContext) -> list[Parameters]:
    if array_at(block, "directories"):
        return directory_sets(block, context)
    if array_at(block, "files"):
        return file_sets(block, context)
    raise SetError("its git generator has neither directories nor files")


#: In the order in which Argo CD goes through them.
GENERATORS: Mapping[str, Generate] = {
    "list": list_sets,
    "clusters": cluster_sets,
    "git": _git,
}
COMBINING = {"matrix": matrix, "merge": merge}
_NEED_A_CLUSTER = ("scmProvider", "clusterDecisionResource", "pullRequest", "plugin")


def parameter_sets(
    generator: Json, kind: str, context: SetContext, parameters: Parameters, depth: int = 0
) -> list[Parameters]:
    """The sets that the block ``kind`` of a generator makes, as far as its selector takes them.

    ``parameters`` are those of a matrix' first generator (``generator_spec_processor.go`` Transform). Raises
    ``SetError``.
    """
    written = object_at(generator)
    block = _interpolated(object_at(written, kind), context.rendering, parameters)
    if kind in COMBINING:
        if depth >= _MOST_NESTED:
            raise SetError(f"generators are nested more than {_MOST_NESTED} deep")
        sets = COMBINING[kind](block, context, lambda inner, given: _nested(inner, context, given, depth + 1))
    else:
        sets = GENERATORS[kind](block, context)
    check_count(len(sets))
    if "selector" not in written:
        return sets
    return [each for each in sets if selector_matches(written["selector"], flattened(each))]


def kinds_of(generator: Json) -> tuple[str, ...]:
    """The generators in one entry of ``generators``. Raises ``SetError``."""
    written = object_at(generator)
    for kind in _NEED_A_CLUSTER:
        if written.get(kind) is not None:
            raise SetError(f"its generator {kind} asks a service, which vmrender never does")
    return tuple(kind for kind in (*GENERATORS, *COMBINING) if written.get(kind) is not None)


def _nested(generator: Json, context: SetContext, parameters: Parameters, depth: int) -> list[Parameters]:
    kinds = kinds_of(generator)
    if len(kinds) != 1:
        raise SetError(f"a nested generator has exactly one kind, not {len(kinds)}")
    return parameter_sets(generator, kinds[0], context, parameters, depth)


def _interpolated(block: JsonObject, rendering: Rendering, parameters: Parameters) -> JsonObject:
    """The generator with the parameters of another one put in (``RenderGeneratorParams``)."""
    if not parameters:
        return block
    values = object_at(block, "values")
    rest = {key: value for key, value in block.items() if key != "values"}
    made = object_at(rendering.deeply(rest, parameters))
    return {**made, "values": rendering.keeping_unknown(values, parameters)} if values else made
