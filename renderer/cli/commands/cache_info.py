"""``vmrender cache info``."""

from __future__ import annotations

import os

import click

from renderer.cache.store import LARGEST_CACHE, cache_folder, signing_key, size_of
from renderer.cli.cache_size import entries_text, mebibytes


@click.command("info")
def command() -> None:
    """Say where the cache is, how large it is and may become, and whether it can be used.

    \b
    Examples:
      vmrender cache info
    """
    folder = cache_folder(os.environ)
    click.echo(f"folder: {folder}")
    size = size_of(folder)
    click.echo(f"size: {entries_text(size)}, of {mebibytes(LARGEST_CACHE)} at most")
    usable = (
        "yes" if signing_key(os.environ) else "no: there is no place for the key that entries are signed with"
    )
    click.echo(f"usable: {usable}")
