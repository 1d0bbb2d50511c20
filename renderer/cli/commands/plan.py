"""``vmrender plan --shards N``."""

from __future__ import annotations

import click

from renderer.app.run_cache import RunCache
from renderer.cli.exit_code import ExitCode
from renderer.cli.plain_output import echo_lines
from renderer.cli.repository import Repository
from renderer.cli.shards import shards_of
from renderer.pipeline.entry_points import find_overlays
from renderer.sharding import MOST_SHARDS, encode_plan, github_matrix, gitlab_matrix
from renderer.source.overlays import select_overlays

_FORMATS = {"json": encode_plan, "github": github_matrix, "gitlab": gitlab_matrix}
_MOST_JOBS = {"json": MOST_SHARDS, "github": 256, "gitlab": 200}


@click.command("plan")
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_SHARDS),
    required=True,
    metavar="N",
    help="How many workers share the overlays; shards that would be empty are left out.",
)
@click.option(
    "--format",
    "name",
    type=click.Choice(list(_FORMATS)),
    default="json",
    show_default=True,
    help="The whole plan, or the jobs of a CI system.",
)
def command(shards: int, name: str) -> ExitCode:
    """Share the project's overlays out among N workers, by what each costs to render.

    Of an overlay that was rendered on this machine before it is known how long that took; of others it is
    estimated from their files. vmrender render --shard I/N --plan FILE renders one of the shards.

    \b
    Examples:
      vmrender plan --shards 4 > plan.json
      vmrender plan --shards 4 --format github
    """
    if shards > _MOST_JOBS[name]:
        raise click.UsageError(f"{name} starts {_MOST_JOBS[name]} jobs of a matrix at most")
    repository = Repository.here()
    overlays = select_overlays(find_overlays(repository.fs, repository.config), ())
    with RunCache.of(repository, wanted=True) as cache:
        measured = {
            overlay.path: took for overlay in overlays if (took := cache.seconds(overlay)) is not None
        }
    planned = shards_of(repository, overlays, shards, measured)
    echo_lines(_FORMATS[name]([shard for shard in planned if shard.overlays]))
    return ExitCode.CLEAN
