"""``vmrender cache``: the stored results of earlier runs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from renderer.cache.store import LARGEST_CACHE, CacheSize, cache_folder, clear, size_of
from renderer.cli.command import CommandGroup
from renderer.cli.console import note, print_lines
from renderer.files.signing_key import key_is_in_repository, signing_key

_MEBIBYTE = 1 << 20


@click.group("cache", cls=CommandGroup)
def command() -> None:
    """Show or remove the results of earlier runs in the user's cache folder.

    From the cache, render knows which overlays have not changed since they were rendered. It stores only
    digests of virtual machines. It can be removed at any time, and is not used with --no-cache.

    \b
    Examples:
      vmrender cache info
      vmrender cache clear
    """


@command.command("clear", short_help="Remove everything from the cache.")
def clear_cache() -> None:
    """Remove everything from the cache, of all repositories. The next run renders everything again.

    \b
    Examples:
      vmrender cache clear
    """
    note(f"removed {_size_text(clear(cache_folder(os.environ)))}")


@command.command("info", short_help="Show the location and size of the cache.")
def info() -> None:
    """Show the location of the cache, its size and largest size, and whether it can be used.

    \b
    Examples:
      vmrender cache info
    """
    folder = cache_folder(os.environ)
    print_lines(f"folder: {folder}")
    print_lines(f"size: {_size_text(size_of(folder))}, of {LARGEST_CACHE / _MEBIBYTE:.1f} MiB at most")
    no_key = "no: there is no place for the key that entries are signed with"
    if key_is_in_repository(os.environ, Path()):
        no_key = "no: the key that entries are signed with would be in this repository"
    print_lines(f"usable: {'yes' if signing_key(os.environ, Path()) else no_key}")


def _size_text(size: CacheSize) -> str:
    """Return the size as text: ``12 entries, 1.4 MiB``."""
    return f"{size.entries} entr{'y' if size.entries == 1 else 'ies'}, {size.bytes / _MEBIBYTE:.1f} MiB"
