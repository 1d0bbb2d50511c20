"""The stages whose results depend on the cluster: its catalogs, and everything that looks something up."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import Outcome
from renderer.model.kube.location import Site
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import RenderConfig
from renderer.pipeline.project_catalogs import ProjectCatalogs, SharedLookups
from renderer.pipeline.run_context import RunContext

if TYPE_CHECKING:
    from renderer.pipeline.checks import Checks
    from renderer.pipeline.expansion import Expander
    from renderer.pipeline.flux_build import FluxVariables


class ClusterStages:
    """The stages for the overlays of one cluster; ``config`` is the project as that cluster sees it.

    ``compose`` composes a folder that the project names at a site.
    """

    def __init__(
        self,
        fs: FileSystem,
        config: RenderConfig,
        compose: Callable[[str, Site | None], Outcome[ResourceSet]],
        context: RunContext,
        shared: SharedLookups,
    ) -> None:
        self._fs = fs
        self._config = config
        self._compose = compose
        self._context = context
        self.catalogs = ProjectCatalogs(fs, config, compose, context, shared)

    @cached_property
    def expander(self) -> Expander:
        """Expands virtual machines with the catalogs of the cluster."""
        from renderer.pipeline.expansion import Expander

        return Expander(self.catalogs, self._context)

    @cached_property
    def checks(self) -> Checks:
        """Checks resources by the schemas, webhooks and rules that are in effect in the cluster."""
        from renderer.pipeline.checks import Checks

        return Checks(self._fs, self._config, self.catalogs, self.expander, self._context.recorder)

    @cached_property
    def flux(self) -> FluxVariables:
        """Puts in variables as the Flux of the cluster does."""
        from renderer.pipeline.flux_build import FluxVariables

        return FluxVariables(self._fs, self._compose, self._config.flux)
