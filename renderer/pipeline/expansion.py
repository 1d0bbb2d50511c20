"""Composed resources, expanded and with the names they are written under."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.resource_set import ResourceSet
from renderer.pipeline.project_catalogs import ProjectCatalogs


class Expansion:
    """Expands with what the project's catalogs hold."""

    def __init__(self, catalogs: ProjectCatalogs) -> None:
        self._catalogs = catalogs

    def built(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        if composed.failed:
            return composed
        renamer = self._catalogs.renamer(overlay)
        built = self.expanded(self.referring(overlay, composed), overlay.kubevirt, overlay.expand)
        if overlay.expand is not ExpandMode.OFF:
            built = built.then(lambda resources: _without_unneeded_revisions(resources, composed.value))
        return built if renamer is None else built.then(renamer.with_new_names)

    def referring(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> Outcome[ResourceSet]:
        """What refers to instance types by the names that the catalogs have."""
        renamer = self._catalogs.renamer(overlay)
        return composed if renamer is None else composed.then(renamer.with_old_names)

    def expanded(
        self, composed: Outcome[ResourceSet], release: Release, mode: ExpandMode, *, own: str = "the overlay"
    ) -> Outcome[ResourceSet]:
        from renderer.instancetype.concern import concerns
        from renderer.instancetype.virtual_machine import needs_catalog

        if not concerns(composed.value, mode):
            return composed
        from renderer.instancetype.catalog import Catalog
        from renderer.instancetype.expand import expand

        try:
            catalog = self._catalogs.whole if needs_catalog(composed.value) else Catalog()
        except DiagnosticError as error:
            return Outcome(composed.value, composed.diagnostics + error.diagnostics)
        return composed.then(lambda resources: expand(resources, catalog, release, mode, own=own))


def _without_unneeded_revisions(built: ResourceSet, composed: ResourceSet) -> Outcome[ResourceSet]:
    """Where matchers are expanded, the ControllerRevisions they named are of no use to the cluster."""
    from renderer.instancetype.revision.references import without_unneeded_revisions

    return Outcome(without_unneeded_revisions(built, composed))
