"""``vmrender cache clear``."""

from __future__ import annotations

import os

import click

from renderer.cache.store import cache_folder, clear
from renderer.cli.cache_size import entries_text


@click.command("clear")
def command() -> None:
    """Remove everything from the cache, of all repositories. The next run renders everything anew.

    \b
    Examples:
      vmrender cache clear
    """
    click.echo(f"removed {entries_text(clear(cache_folder(os.environ)))}", err=True)
