"""``vmrender version``."""

from __future__ import annotations

import click

from renderer import __version__
from renderer.cli.command import Command


@click.command("version", cls=Command)
def command() -> None:
    """Print the version of vmrender, as --version does.

    \b
    Example:
      vmrender version
    """
    click.echo(f"vmrender, version {__version__}")
