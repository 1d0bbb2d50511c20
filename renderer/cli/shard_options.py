"""``--shard`` and ``--plan``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from renderer.sharding import ShardName


def _shard(text: str) -> ShardName:
    try:
        return ShardName.parse(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def shard_options(command: Callable[..., object]) -> Callable[..., object]:
    """Which of the project's overlays are meant: those that one of several workers renders."""
    shard = click.option(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="Only the overlays that worker I of N renders; all N together render each overlay once.",
    )
    plan = click.option(
        "--plan",
        type=click.Path(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="What is in which shard, as vmrender plan printed it [default: estimated from the sources]",
    )
    return shard(plan(command))
