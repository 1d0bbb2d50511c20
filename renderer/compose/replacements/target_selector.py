"""The resources that a replacement writes to (``api/types/replacement.go`` TargetSelectorRegex)."""

from __future__ import annotations

from renderer.compose.res_map import ResMap
from renderer.compose.selection.selectors import ResourceSelector
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.resource import Resource
from renderer.model.transformers import ReplacementTarget


class TargetSelector:
    """Select and reject of one target, made ready. Raises: kustomization-field."""

    def __init__(self, target: ReplacementTarget) -> None:
        if target.select is None:
            raise DiagnosticError(
                Diagnostic(
                    code=Code.KUSTOMIZATION_FIELD,
                    message="a target does not say which resources it is for",
                    sites=(target.site,),
                    hint="give it select, with a kind or name",
                )
            )
        self._select = ResourceSelector(target.select, target.site.below("select"))
        self._reject = [
            ResourceSelector(selector, target.site.below("reject", index))
            for index, selector in enumerate(target.reject)
        ]

    def selected(self, resources: ResMap) -> tuple[tuple[int, Resource], ...]:
        """The resources that it selects, each with its key."""
        named = resources.named(self._select.only_name)
        return tuple((key, resource) for key, resource in named if self._selects(resource))

    def _selects(self, resource: Resource) -> bool:
        """Whether labels, annotations and any id that the resource has or had match, and no rejection does.

        A rejection's labels and annotations reject by themselves, and so does its id.
        """
        return (
            self._select.matches_metadata(resource)
            and self._select.matches_any_id(resource)
            and not any(
                reject.names_metadata and reject.matches_metadata(resource) for reject in self._reject
            )
            and not any(reject.names_id and reject.matches_any_id(resource) for reject in self._reject)
        )
