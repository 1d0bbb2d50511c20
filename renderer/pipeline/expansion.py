"""Expand composed resources, and give instance types the names that they are written with."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from typing import TYPE_CHECKING

from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.provenance import StepKind
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay
from renderer.pipeline.project_catalogs import ProjectCatalogs
from renderer.pipeline.run_context import RunContext

if TYPE_CHECKING:
    from renderer.provenance.trace import Trace


class Expander:
    """Expands virtual machines with the instance types and preferences of the project's catalogs."""

    def __init__(self, catalogs: ProjectCatalogs, context: RunContext) -> None:
        self._catalogs = catalogs
        self._context = context
        #: Resources that are written unexpanded, and their form for the webhooks.
        self._unexpanded: tuple[ResourceSet, ResourceSet] | None = None

    def expand_overlay(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Expand the resources of an overlay in its mode, and name the instance types that it writes."""
        if composed.failed:
            return composed
        renamer = self._catalogs.renamer(overlay)
        named = self._context.traced(
            overlay, StepKind.INSTANCETYPE_NAME, composed, self.with_catalog_names(overlay, composed)
        )
        expanded = self.expand(named, overlay.kubevirt, overlay.expand, trace=self._context.trace)
        built = self._context.traced(overlay, StepKind.TARGET_FORM, named, expanded)
        if overlay.expand is not ExpandMode.OFF and built.value is not composed.value:
            from renderer.kubevirt.instancetype.served_version import without_unneeded_revisions

            built = built.then(lambda each: Outcome(without_unneeded_revisions(each, composed.value)))
        if overlay.tree.webhook_fields and not built.failed:
            filled = built.then(lambda resources: self._with_webhook_fields(resources, named.value, overlay))
            built = self._context.traced(overlay, StepKind.WEBHOOK_FIELD, built, filled)
        return (
            built
            if renamer is None
            else self._context.traced(
                overlay, StepKind.INSTANCETYPE_NAME, built, built.then(renamer.with_new_names)
            )
        )

    def with_catalog_names(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """Return the resources with matchers that use the names of the catalogs."""
        renamer = self._catalogs.renamer(overlay)
        return composed if renamer is None else composed.then(renamer.with_old_names)

    def expand(
        self,
        composed: Outcome[ResourceSet],
        release: Release,
        mode: ExpandMode,
        *,
        live: bool = False,
        trace: Trace | None = None,
    ) -> Outcome[ResourceSet]:
        """Return the resources expanded. ``live``: they are files that may come from a cluster."""
        from renderer.kubevirt.instancetype.virtual_machine import needs_catalog, needs_instancetype_stage

        if not needs_instancetype_stage(composed.value):
            return composed
        from renderer.kubevirt.instancetype.expand import expand

        try:
            catalog = self._catalogs.whole if needs_catalog(composed.value) else self._catalogs.empty
        except DiagnosticError as error:
            return Outcome(composed.value, composed.diagnostics + error.diagnostics)
        observe = trace.expanded if trace else None
        source_name = "the files" if live else "the overlay"
        webhook_input: list[Resource] = []
        expanded = expand(
            composed.value,
            catalog,
            release,
            mode,
            source_name=source_name,
            live=live,
            observe=observe,
            webhook_input=webhook_input,
        )
        if mode is ExpandMode.OFF:
            self._unexpanded = composed.value, ResourceSet(tuple(webhook_input))
        return composed.then(lambda _: expanded)

    def webhook_input(self, composed: Outcome[ResourceSet], release: Release) -> ResourceSet:
        """Return the resources as webhooks receive them, for an overlay that is written unexpanded."""
        if self._unexpanded is not None and self._unexpanded[0] is composed.value:
            return self._unexpanded[1]
        return self.expand(composed, release, ExpandMode.APPLIED).value

    def _with_webhook_fields(
        self, resources: ResourceSet, before: ResourceSet, overlay: Overlay
    ) -> Outcome[ResourceSet]:
        from renderer.kubevirt.instancetype.behaviour import behaviour_of
        from renderer.kubevirt.instancetype.virtual_machine import needs_catalog
        from renderer.kubevirt.instancetype.webhook_fields import with_webhook_fields

        catalog = self._catalogs.whole if needs_catalog(before) else self._catalogs.empty
        fields, behaviour = overlay.tree.webhook_fields or (), behaviour_of(overlay.kubevirt)
        return Outcome(with_webhook_fields(resources, before, catalog, fields, behaviour))
