"""``vmrender schema``: its table of commands."""

from __future__ import annotations

import click

from renderer.cli.lazy_group import LazyGroup

#: Every command and what ``--help`` says of it.
COMMANDS = {
    "export": "Print a schema, or write those of a release into a folder.",
    "import": "Make the schemas of a KubeVirt release from its definitions.",
    "list": "List the releases and kinds that there are schemas of.",
}


class SchemaCommands(LazyGroup):
    summaries = COMMANDS
    module = "renderer.cli.commands.schema_{}"


@click.group("schema", cls=SchemaCommands)
def command() -> None:
    """Look at the JSON Schemas that manifests are held to, and add those of other releases.

    \b
    Examples:
      vmrender schema list --release 1.9
      vmrender schema import crds.yaml --release 1.10
    """
