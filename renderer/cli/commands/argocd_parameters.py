"""``vmrender argocd parameters``."""

from __future__ import annotations

import json
import os

import click

from renderer.app.argocd import ApplicationSource
from renderer.cli.application_parameters import ApplicationParameters
from renderer.cli.console import print_document
from renderer.cli.exit_code import ExitCode
from renderer.model.json import JsonObject
from renderer.model.render_config import ExpandMode, Overlay


@click.command("parameters")
def command() -> ExitCode:
    """Announce the parameters of an application, with what vmrender.yaml says, as Argo CD's JSON.

    \b
    Example:
      vmrender argocd parameters
    """
    source = ApplicationSource.here(os.environ)
    listed = {overlay.path for overlay in source.overlays}
    announced = _announced(source.overlay(ApplicationParameters()), is_listed=source.folder in listed)
    print_document(json.dumps(announced, indent=2) + "\n")
    return ExitCode.CLEAN


def _announced(overlay: Overlay, *, is_listed: bool) -> list[JsonObject]:
    """Each with the value that counts as long as the application says nothing."""
    modes = ", ".join(ExpandMode)
    return [
        {
            "name": "overlay",
            "title": "Overlay",
            "tooltip": "Name or path of the overlay to render, for another than the one in the path",
            "string": overlay.name if is_listed else "",
        },
        {
            "name": "kubevirt",
            "title": "KubeVirt release",
            "tooltip": "The release that runs in the cluster, as in 1.9",
            "string": str(overlay.kubevirt),
        },
        {
            "name": "expand",
            "title": "Expansion",
            "tooltip": f"How far virtual machines are expanded: {modes}",
            "string": str(overlay.expand),
        },
        {
            "name": "write-instancetypes",
            "title": "Write instance types",
            "tooltip": "Whether instance types and preferences are among the manifests",
            "itemType": "boolean",
            "string": "true" if overlay.write_instancetypes else "false",
        },
    ]
