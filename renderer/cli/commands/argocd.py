"""``vmrender argocd``: its table of commands."""

from __future__ import annotations

import click

from renderer.cli.lazy_group import LazyGroup

#: Every command and what ``--help`` says of it.
COMMANDS = {
    "discover": "Print the overlays in the working directory, if there are any.",
    "generate": "Print the manifests of an application.",
    "ignore-differences": "Print what an Application has to ignore of virtual machines.",
    "parameters": "Print the parameters that an application may have.",
}


class ArgocdCommands(LazyGroup):
    summaries = COMMANDS
    module = "renderer.cli.commands.argocd_{}"


@click.group("argocd", cls=ArgocdCommands)
def command() -> None:
    """What Argo CD runs as a config management plugin, and what its applications need.

    The plugin works in the source directory of an application. Parameters come from the environment: the
    application's spec.source.plugin.parameters as ARGOCD_APP_PARAMETERS, its env as ARGOCD_ENV_VMRENDER_....

    \b
    Examples:
      vmrender argocd generate
      vmrender argocd ignore-differences prod
    """
