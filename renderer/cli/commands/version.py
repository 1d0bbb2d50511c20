"""``vmrender version``."""

from __future__ import annotations

import click

from renderer import __version__
from renderer.cli.command import Command
from renderer.cli.terminal import write_text


@click.command("version", cls=Command)
def command() -> None:
    """Print the version of vmrender, as --version does.

    \b
    Example:
      vmrender version
    """
    write_text(f"vmrender, version {__version__}")
