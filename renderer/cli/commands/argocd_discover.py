"""``vmrender argocd discover``."""

from __future__ import annotations

import os

import click

from renderer.app.argocd import ApplicationSource
from renderer.cli.exit_code import ExitCode
from renderer.cli.plain_output import echo_lines
from renderer.model.diagnostic import DiagnosticError
from renderer.source.project import PROJECT_FILE


@click.command("discover")
def command() -> ExitCode:
    """Print the overlays of the project that are in the working directory or below it.

    Nothing is printed where no vmrender.yaml lists any: to Argo CD that means that the application is none
    of ours. A vmrender.yaml that cannot be used is printed itself, so that generate can say what is wrong.

    \b
    Example:
      vmrender argocd discover
    """
    try:
        source = ApplicationSource.here(os.environ)
        if not source.repository.fs.is_file(PROJECT_FILE):
            return ExitCode.CLEAN
        overlays = source.overlays
    except DiagnosticError:
        echo_lines(f"{PROJECT_FILE}\n")
        return ExitCode.CLEAN
    prefix = "" if source.folder == "." else f"{source.folder}/"
    echo_lines("".join(f"{each.path}\n" for each in overlays if f"{each.path}/".startswith(prefix)))
    return ExitCode.CLEAN
