"""Composed resources, expanded and with the names they are written under."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.provenance import StepKind
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.resource import ResourceSet
from renderer.pipeline.project_catalogs import ProjectCatalogs
from renderer.pipeline.run_context import report_stage

if TYPE_CHECKING:
    from renderer.provenance.trace import Trace


class Expander:
    """Expands with what the project's catalogs hold."""

    def __init__(self, catalogs: ProjectCatalogs, trace: Trace | None = None) -> None:
        self._catalogs = catalogs
        self._trace = trace

    def built(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        if composed.failed:
            return composed
        renamer = self._catalogs.renamer(overlay)
        told = partial(report_stage, self._trace, overlay)
        referring = told(StepKind.INSTANCETYPE_NAME, composed, self.referring(overlay, composed))
        expanded = self.expanded(referring, overlay.kubevirt, overlay.expand, trace=self._trace)
        built = told(StepKind.TARGET_FORM, referring, expanded)
        if overlay.expand is not ExpandMode.OFF and built.value is not composed.value:
            built = built.then(lambda resources: _without_unneeded_revisions(resources, composed.value))
        if overlay.tree.webhook_fields and not built.failed:
            filled = built.then(
                lambda resources: self._with_webhook_fields(resources, referring.value, overlay)
            )
            built = told(StepKind.WEBHOOK_FIELD, built, filled)
        return (
            built
            if renamer is None
            else told(StepKind.INSTANCETYPE_NAME, built, built.then(renamer.with_new_names))
        )

    def referring(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """What refers to instance types by the names that the catalogs have."""
        renamer = self._catalogs.renamer(overlay)
        return composed if renamer is None else composed.then(renamer.with_old_names)

    def expanded(
        self,
        composed: Outcome[ResourceSet],
        release: Release,
        mode: ExpandMode,
        *,
        own: str = "the overlay",
        trace: Trace | None = None,
    ) -> Outcome[ResourceSet]:
        from renderer.instancetype.virtual_machine import needs_catalog, needs_instancetype_stage

        if not needs_instancetype_stage(composed.value):
            return composed
        from renderer.instancetype.catalog import Catalog
        from renderer.instancetype.expand import expand

        try:
            catalog = self._catalogs.whole if needs_catalog(composed.value) else Catalog()
        except DiagnosticError as error:
            return Outcome(composed.value, composed.diagnostics + error.diagnostics)
        observe = trace.expanded if trace else None
        return composed.then(
            lambda resources: expand(resources, catalog, release, mode, own=own, observe=observe)
        )

    def _with_webhook_fields(
        self, resources: ResourceSet, before: ResourceSet, overlay: Overlay
    ) -> Outcome[ResourceSet]:
        from renderer.instancetype.behaviour import behaviour_of
        from renderer.instancetype.catalog import Catalog
        from renderer.instancetype.virtual_machine import needs_catalog
        from renderer.instancetype.webhook_fields import with_webhook_fields

        catalog = self._catalogs.whole if needs_catalog(before) else Catalog()
        fields, behaviour = overlay.tree.webhook_fields or (), behaviour_of(overlay.kubevirt)
        return Outcome(with_webhook_fields(resources, before, catalog, fields, behaviour))


def _without_unneeded_revisions(built: ResourceSet, composed: ResourceSet) -> Outcome[ResourceSet]:
    """Where matchers are expanded, the ControllerRevisions they named are of no use to the cluster."""
    from renderer.instancetype.target_form import without_unneeded_revisions

    return Outcome(without_unneeded_revisions(built, composed))
