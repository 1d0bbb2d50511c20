"""Distribute overlays among shards: by a plan, or by estimates from the sources, equal on all machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from renderer.app.project import Project, chosen_overlays
from renderer.app.reporter import Silent
from renderer.app.run_cache import RunCache
from renderer.app.usage_error import UsageError
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.diagnostic import DiagnosticError
from renderer.model.render_config import Overlay
from renderer.project.sharding import OverlaySize, Shard, ShardName, costs, distribute, planned_overlays


def plan_shards(project: Project, count: int) -> tuple[Shard, ...]:
    """Distribute all overlays of the project among ``count`` shards; leave out empty shards.

    The cost of an overlay is the duration of its last rendering here, or else an estimate.
    """
    project = project.proposed()
    # An entry of which overlays cannot be found is reported by each shard.
    overlays = chosen_overlays(project.look_up_overlays(), ())
    with RunCache.of(project, Silent(), wanted=True) as cache:
        measured = {
            overlay.path: seconds for overlay in overlays if (seconds := cache.seconds(overlay)) is not None
        }
    shards = distribute(costs(_sizes(project, overlays), measured), count)
    return tuple(shard for shard in shards if shard.overlays)


def overlays_in(
    project: Project, overlays: Sequence[Overlay], shard: ShardName, plan: Path | None
) -> tuple[Overlay, ...]:
    """Return the overlays of ``shard``, in their order; none if there are fewer overlays than shards.

    Raises ``UsageError`` if the file is not a plan, ``DiagnosticError`` if it is a plan of other overlays.
    """
    if plan:
        wanted = _planned_paths(plan, shard, overlays)
    else:
        shards = distribute(costs(_sizes(project, overlays), {}), shard.total)
        wanted = frozenset(shards[shard.number - 1].overlays)
    return tuple(overlay for overlay in overlays if overlay.path in wanted)


def _planned_paths(plan: Path, shard: ShardName, overlays: Sequence[Overlay]) -> frozenset[str]:
    try:
        return planned_overlays(plan.read_text("utf-8"), shard, {overlay.path for overlay in overlays})
    except OSError as error:
        raise UsageError(f"{plan}: {error.strerror}", "--plan") from None
    except ValueError as error:
        raise UsageError(f"{plan}: {error}", "--plan") from None


def _sizes(project: Project, overlays: Sequence[Overlay]) -> Mapping[str, OverlaySize]:
    graph = KustomizationGraph(project.fs)
    sizes: dict[str, int] = {}
    return {overlay.path: _size(project, graph.files_of_overlay(overlay), sizes) for overlay in overlays}


def _size(project: Project, files: frozenset[str], sizes: dict[str, int]) -> OverlaySize:
    """Return the number and size of an overlay's files; ``sizes`` remembers the size of each file."""
    for file in files - sizes.keys():
        try:
            sizes[file] = len(project.fs.read(file))
        except DiagnosticError:  # reported when the overlay is rendered
            sizes[file] = 0
    return OverlaySize(len(files), sum(sizes[file] for file in files))
