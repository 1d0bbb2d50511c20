"""A group of commands, each in a module of its own that is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class LazyGroup(click.Group):
    """Its ``--help`` needs the table alone, so that no command pays for another."""

    #: Every command and what ``--help`` says of it.
    summaries: Mapping[str, str] = {}
    #: The module of the command ``{}``.
    module = "renderer.cli.commands.{}"

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.summaries:
            return None
        command: click.Command = import_module(self.module.format(cmd_name.replace("-", "_"))).command
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Click's own would import every command to see whether it is hidden."""
        from click.shell_completion import CompletionItem  # noqa: PLC0415 - only the shell asks

        commands = [
            CompletionItem(name, help=summary)
            for name, summary in self.summaries.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
