"""The stages whose results depend on the cluster: its catalogs, and everything that looks something up."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from renderer.model.render_config import RenderConfig
from renderer.pipeline.project_catalogs import ProjectCatalogs
from renderer.pipeline.shared_by_clusters import SharedByClusters

if TYPE_CHECKING:
    from renderer.pipeline.checks import Checks
    from renderer.pipeline.expansion import Expander
    from renderer.pipeline.flux_build import FluxVariables


class ClusterStages:
    """The stages for the overlays of one cluster; ``config`` is the project as that cluster sees it."""

    def __init__(self, config: RenderConfig, shared: SharedByClusters) -> None:
        self._config = config
        self._shared = shared
        self.catalogs = ProjectCatalogs(config, shared)

    @cached_property
    def expander(self) -> Expander:
        """Expands virtual machines with the catalogs of the cluster."""
        from renderer.pipeline.expansion import Expander

        return Expander(self.catalogs, self._shared.context)

    @cached_property
    def checks(self) -> Checks:
        """Checks resources by the schemas, webhooks and rules that are in effect in the cluster."""
        from renderer.pipeline.checks import Checks

        shared = self._shared
        return Checks(shared.fs, self._config, self.catalogs, self.expander, shared.context.recorder)

    @cached_property
    def flux(self) -> FluxVariables:
        """Puts in variables as the Flux of the cluster does."""
        from renderer.pipeline.flux_build import FluxVariables

        return FluxVariables(self._shared.fs, self._shared.compose, self._config.flux)
