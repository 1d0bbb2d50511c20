"""``vmrender help [COMMAND…]``."""

from __future__ import annotations

import click

from renderer.cli.command import Command
from renderer.cli.terminal import write_text


@click.command("help", cls=Command)
@click.argument("words", metavar="[COMMAND]...", nargs=-1)
@click.pass_context
def command(context: click.Context, words: tuple[str, ...]) -> None:
    """Print the help of vmrender, or of one command, as --help does.

    \b
    Examples:
      vmrender help
      vmrender help catalog list
    """
    shown = context.find_root()
    for word in words:
        if not isinstance(shown.command, click.Group):
            shown.fail(f"{shown.command_path} has no commands")
        name, found, _ = shown.command.resolve_command(shown, [word])
        if found is None:
            shown.fail(f"there is no command {word!r}")
        shown = click.Context(found, info_name=name, parent=shown)
    write_text(shown.get_help())
