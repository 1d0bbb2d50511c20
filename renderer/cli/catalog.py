"""``vmrender catalog``: its commands, each in a module of its own that is imported when it is used."""

from __future__ import annotations

from importlib import import_module

import click

#: Every command and what ``--help`` says of it.
COMMANDS = {
    "diff": "Compare two catalogs, field by field.",
    "export": "Print a catalog as manifests.",
    "import": "Make a folder of the repository from a release of common-instancetypes.",
    "list": "List the instance types and preferences of the project's catalogs.",
    "show": "Say all about one instance type or preference.",
}


class CatalogCommands(click.Group):
    """Loads a command when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"renderer.cli.catalog_{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group("catalog", cls=CatalogCommands)
def command() -> None:
    """Look at instance types and preferences: those of the project's catalogs, or of any other."""
