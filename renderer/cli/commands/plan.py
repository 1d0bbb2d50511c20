"""``vmrender plan --shards N``."""

from __future__ import annotations

import click

from renderer.app.shards import plan_shards
from renderer.cli.command import Command
from renderer.cli.console import ExitCode, open_project, print_lines
from renderer.cli.options import cluster_option
from renderer.project.sharding import MOST_SHARDS, encode_plan, github_matrix, gitlab_matrix

_FORMATS = {"json": encode_plan, "github": github_matrix, "gitlab": gitlab_matrix}
_MOST_JOBS = {"json": MOST_SHARDS, "github": 256, "gitlab": 200}


@click.command("plan", cls=Command)
@cluster_option
@click.option(
    "--shards",
    type=click.IntRange(1, MOST_SHARDS),
    required=True,
    metavar="N",
    help="Number of workers that share the overlays; empty shards are left out.",
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
    """Distribute the project's overlays among N workers by their cost.

    The cost of an overlay is the duration of its last rendering on this machine, or else an estimate from its
    files. vmrender render --shard I/N --plan FILE renders one of the shards.

    \b
    Examples:
      vmrender plan --shards 4 > plan.json
      vmrender plan --shards 4 --format github
    """
    if shards > _MOST_JOBS[name]:
        raise click.UsageError(f"{name} starts {_MOST_JOBS[name]} jobs of a matrix at most")
    print_lines(_FORMATS[name](plan_shards(open_project(), shards)))
    return ExitCode.CLEAN
