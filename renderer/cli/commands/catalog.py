"""``vmrender catalog``: its table of commands."""

from __future__ import annotations

import click

from renderer.cli.lazy_group import LazyGroup

#: Every command and what ``--help`` says of it.
COMMANDS = {
    "diff": "Compare two catalogs, field by field.",
    "export": "Print a catalog as manifests.",
    "import": "Make a folder of the repository from a release of common-instancetypes.",
    "list": "List the instance types and preferences of the project's catalogs.",
    "show": "Say all about one instance type or preference.",
}


class CatalogCommands(LazyGroup):
    summaries = COMMANDS
    module = "renderer.cli.commands.catalog_{}"


@click.group("catalog", cls=CatalogCommands)
def command() -> None:
    """Look at instance types and preferences: those of the project's catalogs, or of any other.

    \b
    Examples:
      vmrender catalog list --class u1 --vcpus 2..8
      vmrender catalog show u1.medium
      vmrender catalog import ~/src/common-instancetypes --release v1.5.1
    """
