"""The generators by their names in an ApplicationSet; here are all except ``git``.

Argo CD ``applicationset/generators``: ``list.go``, ``cluster.go``, ``matrix.go``, ``merge.go``. Clusters are
Secrets and are not in a repository, so ``vmrender.yaml`` lists them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TypeAlias

from renderer.gitops.argocd.generators.context import (
    ArgoCluster,
    Generate,
    SetContext,
    check_count,
)
from renderer.gitops.argocd.generators.git import directory_sets, file_sets
from renderer.gitops.argocd.parameters import (
    Parameters,
    Rendering,
    SetError,
    combine,
    decoded,
    flattened,
    requirements_of,
)
from renderer.golang.template.collection_functions import merged
from renderer.golang.template.text_functions import sanitized_name
from renderer.golang.template.values import TextMap
from renderer.model.cluster_settings import LOCAL_NAME, LOCAL_SERVER
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.kube.label_selector import selects
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_yaml11

_SECRET_TYPE = {"argocd.argoproj.io/secret-type": "cluster"}
_PAIR = 2
_MOST_NESTED = 4
_SELECTING = "selecting parameters of ApplicationSets"
_NEED_A_SERVICE = ("scmProvider", "clusterDecisionResource", "pullRequest", "plugin")

#: The sets of a nested generator, rendered with the parameters of another one. Raises ``SetError``.
Nested: TypeAlias = Callable[[Json, Parameters], list[Parameters]]


def list_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return a set for each element, then for each of ``elementsYaml``. Raises ``SetError``."""
    elements = array_at(block, "elements")
    sets = [_structured(element) if context.rendering.go_template else _flat(element) for element in elements]
    return sets + [_structured(element) for element in _yaml_elements(text_at(block, "elementsYaml"))]


def _structured(element: Json) -> Parameters:
    found = decoded(element)
    if not isinstance(found, dict):
        raise SetError("an element of the list generator is not a mapping")
    return found


def _flat(element: Json) -> Parameters:
    flat: Parameters = {}
    for key, value in object_at(element).items():
        if key == "values":
            if not isinstance(value, dict):
                raise SetError("values of a list element is not a mapping")
            for name, each in value.items():
                flat[f"values.{name}"] = _text(f"values.{name}", each)
        else:
            flat[key] = _text(key, value)
    return flat


def _text(key: str, value: Json) -> str:
    if isinstance(value, str):
        return value
    raise SetError(
        f"the value {key} of a list element is not text",
        "write it in quotes, or set goTemplate: true, which accepts any value",
    )


def _yaml_elements(text: str) -> list[Json]:
    if not text:
        return []
    try:
        found = decode_yaml11(text.encode(), "elementsYaml")
    except DiagnosticError:
        found = ""
    if found is not None and not isinstance(found, list):
        raise SetError("elementsYaml of the list generator is not a YAML list")
    return list(found or ())


def cluster_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return the sets in the order of the listed clusters, the local one last. Raises ``SetError``."""
    requirements = requirements_of(block.get("selector"))
    go_template = context.rendering.go_template
    spend(len(context.clusters) * (1 + len(requirements)), _SELECTING)
    matching = [each for each in context.clusters if selects(requirements, cluster_labels(each))]
    sets = [_parameters(each, go_template=go_template) for each in matching]
    if not requirements and all(each.server != LOCAL_SERVER for each in matching):
        sets.append({"name": LOCAL_NAME, "nameNormalized": LOCAL_NAME, "server": LOCAL_SERVER, "project": ""})
    values = object_at(block, "values")
    complete = [context.rendering.with_values(values, each) for each in sets]
    return [{"clusters": complete}] if block.get("flatList") is True else complete


def cluster_labels(cluster: ArgoCluster) -> dict[str, str]:
    """Return the labels of the cluster's Secret."""
    return {**_SECRET_TYPE, **cluster.labels}


def _parameters(cluster: ArgoCluster, *, go_template: bool) -> Parameters:
    named: Parameters = {
        "name": cluster.name,
        "nameNormalized": sanitized_name(cluster.name),
        "server": cluster.server,
        "project": cluster.project,
    }
    metadata = {"annotations": dict(cluster.annotations), "labels": cluster_labels(cluster)}
    if go_template:
        return {**named, "metadata": {key: TextMap(texts) for key, texts in metadata.items() if texts}}
    flat = {
        f"metadata.{field}.{key}": text for field, texts in metadata.items() for key, text in texts.items()
    }
    return {**named, **flat}


def matrix(block: JsonObject, context: SetContext, nested: Nested) -> list[Parameters]:
    """Combine every set of the first with every set of the second, which may use the first's parameters."""
    generators = array_at(block, "generators")
    if len(generators) != _PAIR:
        raise SetError(f"a matrix has exactly two generators, not {len(generators)}")
    sets: list[Parameters] = []
    for one in nested(generators[0], {}):
        others = nested(generators[1], one)
        check_count(len(sets) + len(others))
        if context.rendering.go_template:
            sets += [merged(merged({}, other, overwrite=True), one, overwrite=True) for other in others]
        else:
            sets += [combine(one, other) for other in others]
    return sets


def merge(block: JsonObject, context: SetContext, nested: Nested) -> list[Parameters]:
    """Return the sets of the first, each merged with the other sets that have the same merge keys."""
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
                base[key] = merged(known, other[key], overwrite=True)
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
                "choose merge keys that differ",
            )
        found[key] = each
    return found


def git_sets(block: JsonObject, context: SetContext) -> list[Parameters]:
    """Return a set for each matching folder or file. Raises ``SetError``."""
    if array_at(block, "directories"):
        return directory_sets(block, context)
    if array_at(block, "files"):
        return file_sets(block, context)
    raise SetError("its git generator has neither directories nor files")


#: In Argo CD's order of evaluation.
GENERATORS: Mapping[str, Generate] = {
    "list": list_sets,
    "clusters": cluster_sets,
    "git": git_sets,
}
COMBINING = {"matrix": matrix, "merge": merge}


def parameter_sets(
    generator: Json, kind: str, context: SetContext, parameters: Parameters, depth: int = 0
) -> list[Parameters]:
    """Return the sets that the block ``kind`` of a generator produces, filtered by its selector.

    ``parameters`` are the parameters of a matrix's first generator (``generator_spec_processor.go``
    Transform). Raises ``SetError``.
    """
    written = object_at(generator)
    requirements = requirements_of(written.get("selector"))
    block = _interpolated(object_at(written, kind), context.rendering, parameters)
    if kind in COMBINING:
        if depth >= _MOST_NESTED:
            raise SetError(f"generators are nested more than {_MOST_NESTED} deep")
        sets = COMBINING[kind](block, context, lambda inner, known: _nested(inner, context, known, depth + 1))
    else:
        sets = GENERATORS[kind](block, context)
    check_count(len(sets))
    spend(len(sets) * len(requirements), _SELECTING)
    return [each for each in sets if selects(requirements, flattened(each))] if requirements else sets


def kinds_of(generator: Json) -> tuple[str, ...]:
    """Return the generators in one entry of ``generators``. Raises ``SetError``."""
    written = object_at(generator)
    for kind in _NEED_A_SERVICE:
        if written.get(kind) is not None:
            raise SetError(f"its generator {kind} asks a service, which vmrender never does")
    return tuple(kind for kind in (*GENERATORS, *COMBINING) if written.get(kind) is not None)


def _nested(generator: Json, context: SetContext, parameters: Parameters, depth: int) -> list[Parameters]:
    kinds = kinds_of(generator)
    if len(kinds) != 1:
        raise SetError(f"a nested generator has exactly one kind, not {len(kinds)}")
    return parameter_sets(generator, kinds[0], context, parameters, depth)


def _interpolated(block: JsonObject, rendering: Rendering, parameters: Parameters) -> JsonObject:
    """Return the generator with the parameters of another one filled in (``RenderGeneratorParams``)."""
    if not parameters:
        return block
    values = object_at(block, "values")
    rest = {key: value for key, value in block.items() if key != "values"}
    rendered = object_at(rendering.deeply(rest, parameters))
    return {**rendered, "values": rendering.keeping_unknown(values, parameters)} if values else rendered
