"""``vars``: what they are called and whose fields they stand for (``resaccumulator.go`` MergeVars)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.compose.res_map import ResMap
from renderer.compose.scope import effective_namespace, is_cluster_scoped
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.gvk import Gvk
from renderer.model.res_id import ResId
from renderer.model.resource import Resource
from renderer.model.transformers import Variable


def merge_variables(present: Iterable[Variable], added: Iterable[Variable]) -> tuple[Variable, ...]:
    """All of them. Raises: kustomization-field when two have one name."""
    merged = {variable.name: variable for variable in present}
    for variable in added:
        other = merged.get(variable.name)
        merged[variable.name] = variable
        if other:
            raise DiagnosticError(
                Diagnostic(
                    code=Code.KUSTOMIZATION_FIELD,
                    message=f"there are two variables named {variable.name}",
                    sites=(variable.site,),
                    hint="rename one of them",
                    related=(Related("the other one", (other.site,)),),
                )
            )
    return tuple(merged.values())


def mark_sources(resources: ResMap, variables: Iterable[Variable]) -> None:
    """Has the resources that the variables identify remember them.

    Raises: kustomization-field when several do.
    """
    for variable in variables:
        named = resources.named(variable.object_name)
        matches = [(key, resource) for key, resource in named if _is_source(resource, variable)]
        if len(matches) > 1:
            raise _ambiguous(variable, [resource for _, resource in matches])
        for key, resource in matches:
            resources.replace(key, resource._replace(variables=(*resource.variables, variable.name)))


def _gvk(variable: Variable) -> Gvk:
    return Gvk(variable.group, variable.version, variable.kind)


def _ids(resource: Resource) -> Iterator[ResId]:
    """The ids it has and had; kustomize takes its group and version for those that it always had."""
    gvk = resource.gvk
    yield resource.current_id
    for previous in resource.previous_ids:
        yield ResId(Gvk(gvk.group, gvk.version, previous.gvk.kind), previous.name, previous.namespace)


def _is_source(resource: Resource, variable: Variable) -> bool:
    wanted = _gvk(variable)
    version, kind = wanted.api_version, wanted.kind
    any_namespace = not variable.object_namespace and not is_cluster_scoped(version, kind)
    namespace = effective_namespace(version, kind, variable.object_namespace)
    return any(
        id_.gvk == wanted
        and id_.name == variable.object_name
        and (any_namespace or effective_namespace(version, kind, id_.namespace) == namespace)
        for id_ in _ids(resource)
    )


def _ambiguous(variable: Variable, matches: Iterable[Resource]) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_FIELD,
            message=f"several resources could give the variable {variable.name} its value",
            sites=(variable.site,),
            hint="say which one with objref.namespace",
            related=tuple(Related(f"this is {match.current_id}", match.sites()) for match in matches),
        )
    )
