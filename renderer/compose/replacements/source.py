"""The one resource that a replacement takes its value from (``api/filters/replacement`` selectSourceNode)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.compose.res_map import ResMap
from renderer.compose.scope import effective_namespace
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.res_id import ResId
from renderer.model.resource import Resource
from renderer.model.transformers import ReplacementSource


def find_source(resources: ResMap, source: ReplacementSource) -> Resource:
    """The resource that ``source`` identifies, by an id that it has or had. Raises: kustomization-field."""
    named = resources.named(source.name or None)
    matches = [resource for _, resource in named if _is_source(resource, source)]
    if not matches:
        raise _nothing(source, resources)
    if len(matches) > 1:
        raise _ambiguous(source, matches)
    return matches[0]


def _is_source(resource: Resource, source: ReplacementSource) -> bool:
    gvk = resource.gvk
    if source.group not in ("", gvk.group) or source.version not in ("", gvk.version):
        return False
    return any(
        source.kind in ("", id_.gvk.kind) and source.name in ("", id_.name) and _in_namespace(id_, source)
        for id_ in _ids(resource)
    )


def _ids(resource: Resource) -> Iterator[ResId]:
    yield resource.current_id
    yield from resource.previous_ids


def _in_namespace(id_: ResId, source: ReplacementSource) -> bool:
    if not source.namespace:
        return True
    wanted = f"{source.group}/{source.version}" if source.group else source.version
    return effective_namespace(wanted, source.kind, source.namespace) == effective_namespace(
        id_.gvk.api_version, id_.gvk.kind, id_.namespace
    )


def _nothing(source: ReplacementSource, resources: Iterable[Resource]) -> DiagnosticError:
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    names = {resource.name for resource in resources if source.kind in ("", resource.kind)}
    nearest = get_close_matches(source.name, names, n=3)
    hint = (
        f"did you mean {' or '.join(nearest)}?"
        if nearest
        else "it has to be among the resources of this folder"
    )
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_FIELD,
            message=f"no resource is the {_described(source)} that a replacement takes its value from",
            sites=(source.site,),
            hint=hint,
        )
    )


def _ambiguous(source: ReplacementSource, matches: Iterable[Resource]) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.KUSTOMIZATION_FIELD,
            message=f"several resources are the {_described(source)} that a replacement takes its value from",
            sites=(source.site,),
            hint="say which one with group, version, kind, name and namespace",
            related=tuple(Related(f"this is {match.current_id}", match.sites()) for match in matches),
        )
    )


def _described(source: ReplacementSource) -> str:
    kind = source.kind or "resource"
    name = f"{source.namespace}/{source.name}" if source.namespace else source.name
    return f"{kind} {name}".strip()
