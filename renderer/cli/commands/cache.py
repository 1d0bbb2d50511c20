"""``vmrender cache …``."""

from __future__ import annotations

from collections.abc import Mapping

import click

from renderer.cli.lazy_group import LazyGroup


class CacheGroup(LazyGroup):
    """What earlier runs left for later ones."""

    module = "renderer.cli.commands.cache_{}"
    summaries: Mapping[str, str] = {
        "clear": "Remove everything from the cache.",
        "info": "Say where the cache is and how large.",
    }


@click.group("cache", cls=CacheGroup)
def command() -> None:
    """Look after what earlier runs left in the user's cache folder.

    It tells render which overlays have not changed since they were rendered. Of virtual machines it holds
    digests only. It can be removed at any time, and is not used with --no-cache.

    \b
    Examples:
      vmrender cache info
      vmrender cache clear
    """
