"""``vmrender argocd generate``."""

from __future__ import annotations

import os

import click

from renderer.app.argocd import ApplicationSource
from renderer.cli.application_parameters import ApplicationParameters
from renderer.cli.console import print_manifests, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.report_target import ReportTarget
from renderer.pipeline import Pipeline


@click.command("generate")
def command() -> ExitCode:
    """Render the overlay in the working directory and print its manifests, and nothing else.

    Parameters are overlay (a name or path, for another than the one in the working directory), kubevirt,
    expand and write-instancetypes. What is wrong goes to standard error, and then nothing is printed.

    \b
    Example:
      ARGOCD_APP_PARAMETERS='[{"name": "kubevirt", "string": "1.8"}]' vmrender argocd generate
    """
    ReportTarget(beside_manifests=True).choose()
    parameters = ApplicationParameters.of(os.environ)
    source = ApplicationSource.here(os.environ)
    overlay = source.overlay(parameters)
    outcome = Pipeline(source.repository.fs, source.repository.config).render(overlay)
    if not outcome.failed:
        print_manifests(outcome.value)
    return report(source.repository.fs, outcome.in_overlay(overlay.path).diagnostics, [overlay.path])
