"""The overlays of one shard: by a plan, or by the sources alone, which are the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from renderer.cli.repository import Repository
from renderer.model.diagnostic import DiagnosticError
from renderer.model.render_config import Overlay
from renderer.sharding import OverlaySize, Shard, ShardName, costs, planned_overlays, share_out
from renderer.source.kustomization_graph import KustomizationGraph

_NOT_MEASURED: Mapping[str, float] = {}


def shards_of(
    repository: Repository,
    overlays: Sequence[Overlay],
    count: int,
    measured: Mapping[str, float] = _NOT_MEASURED,
) -> tuple[Shard, ...]:
    """All overlays in ``count`` shards. ``measured`` has the seconds that some of them took, by path."""
    return share_out(costs(_sizes(repository, overlays), measured), count)


def overlays_in(
    repository: Repository, overlays: Sequence[Overlay], shard: ShardName, plan: Path | None
) -> tuple[Overlay, ...]:
    """Those of ``shard``, in their order; none in a shard beyond the overlays.

    Raises ``click.BadParameter`` for a file that is no plan, ``DiagnosticError`` for one of other overlays.
    """
    wanted = _planned(plan, shard, overlays) if plan else _estimated(repository, shard, overlays)
    return tuple(overlay for overlay in overlays if overlay.path in wanted)


def _estimated(repository: Repository, shard: ShardName, overlays: Sequence[Overlay]) -> frozenset[str]:
    return frozenset(shards_of(repository, overlays, shard.total)[shard.number - 1].overlays)


def _planned(plan: Path, shard: ShardName, overlays: Sequence[Overlay]) -> frozenset[str]:
    try:
        return planned_overlays(plan.read_text("utf-8"), shard, {overlay.path for overlay in overlays})
    except OSError as error:
        raise click.BadParameter(f"{plan}: {error.strerror}", param_hint="'--plan'") from None
    except ValueError as error:
        raise click.BadParameter(f"{plan}: {error}", param_hint="'--plan'") from None


def _sizes(repository: Repository, overlays: Sequence[Overlay]) -> Mapping[str, OverlaySize]:
    reach = KustomizationGraph(repository.fs)
    sizes: dict[str, int] = {}
    return {overlay.path: _size(repository, reach.made_of(overlay), sizes) for overlay in overlays}


def _size(repository: Repository, files: frozenset[str], sizes: dict[str, int]) -> OverlaySize:
    """``sizes`` are those of files that were looked at before."""
    for file in files - sizes.keys():
        try:
            sizes[file] = len(repository.fs.read(file))
        except DiagnosticError:  # it is told when the overlay is rendered
            sizes[file] = 0
    return OverlaySize(len(files), sum(sizes[file] for file in files))
