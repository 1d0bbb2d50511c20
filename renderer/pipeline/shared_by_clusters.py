"""What the clusters of one run share: the repository, its overlays, and searches of all its files."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import Outcome
from renderer.model.kube.location import Site
from renderer.model.kube.resource import ResourceSet
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.vmrender_api import INSTANCETYPE_SERIES
from renderer.pipeline.run_context import RunContext

if TYPE_CHECKING:
    from renderer.model.kube.json import JsonObject
    from renderer.pipeline.cluster_files import ClusterFiles
    from renderer.pipeline.cluster_objects import ClusterObjects, Compose
    from renderer.project.definitions import Definitions


class SharedByClusters:
    """What the stages of all clusters work from; ``config`` is the project without a view of one cluster.

    ``compose`` composes a folder that the project names at a site, ``compose_overlay`` an overlay.
    ``find_overlays`` returns the overlays of the project.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a pipeline has
        self,
        fs: FileSystem,
        config: RenderConfig,
        compose: Callable[[str, Site | None], Outcome[ResourceSet]],
        compose_overlay: Compose,
        context: RunContext,
        find_overlays: Callable[[], Iterable[Overlay]],
        deployed: Callable[[], ClusterObjects] | None = None,
    ) -> None:
        """``deployed`` returns the objects of the overlays if another run over the project has them."""
        self._deployed = deployed
        #: Returns what an engine deploys to the cluster of an overlay besides the project's overlays.
        self.beside: Callable[[Overlay], Iterable[Overlay]] | None = None
        self.fs = fs
        self.compose = compose
        self.context = context
        self._config = config
        self._compose_overlay = compose_overlay
        self.find_overlays = find_overlays

    @cached_property
    def deployed(self) -> ClusterObjects:
        """The objects of the project's overlays, by cluster."""
        from renderer.pipeline.cluster_objects import ClusterObjects

        if self._deployed is not None:
            return self._deployed()
        return ClusterObjects(self.find_overlays, self._compose_overlay, self.context.recorder)

    @cached_property
    def files(self) -> ClusterFiles:
        """Which cluster the files of the repository belong to."""
        from renderer.pipeline.cluster_files import ClusterFiles

        return ClusterFiles(self.fs, self._config, self.deployed.overlays)

    @cached_property
    def definitions(self) -> Definitions:
        """The objects in all files, for hints, and for gates if no ``KubeVirt`` object is known."""
        from renderer.project.definitions import Definitions
        from renderer.project.validation_scope import ManifestFiles

        manifests = ManifestFiles(self.fs, (), self._config.exclude)
        return Definitions(self.fs, manifests, _generated)


def _generated(content: JsonObject, site: Site) -> Iterator[tuple[JsonObject, Site]]:
    """Yield the instance types of a series; nothing for any other object. Raises ``DiagnosticError``."""
    if content.get("kind") == INSTANCETYPE_SERIES:
        from renderer.authoring.sizes.series import generate

        for generated in generate(content, site):
            yield generated.content, generated.site
