"""A group of commands, each in a module of its own that is imported when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

import click


class LazyGroup(click.Group):
    """Its ``--help`` needs the table alone, so that no command pays for another."""

    #: Every command and what ``--help`` says of it.
    summaries: Mapping[str, str] = {}
    #: The module of the command ``{}``.
    module = "renderer.cli.{}"

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in self.summaries:
            return None
        command: click.Command = import_module(self.module.format(cmd_name)).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.summaries.items()))
