"""``vmrender argocd``: a config management plugin of Argo CD, and helpers for its Applications."""

from __future__ import annotations

import json
import os

import click

from renderer.app.argocd import (
    ApplicationParameters,
    ApplicationSource,
    announced_parameters,
    ignore_differences,
)
from renderer.cli.command import CommandGroup
from renderer.cli.completions import complete_overlays
from renderer.cli.console import (
    ExitCode,
    ReportTarget,
    open_project,
    print_json,
    print_lines,
    print_manifests,
    report,
)
from renderer.cli.options import (
    cluster_option,
    format_option,
    overlay_option,
    parse_release,
)
from renderer.findings.run_findings import locate
from renderer.model.diagnostic import DiagnosticError
from renderer.model.render_config import PROJECT_FILE


@click.group("argocd", cls=CommandGroup)
def command() -> None:
    """Commands that Argo CD runs as a config management plugin, and helpers for its applications.

    The plugin works in the source directory of an application. Parameters come from the environment: the
    application's spec.source.plugin.parameters as ARGOCD_APP_PARAMETERS, its env as ARGOCD_ENV_VMRENDER_....

    \b
    Examples:
      vmrender argocd generate
      vmrender argocd ignore-differences prod
    """


@command.command("discover", short_help="Print the overlays in the working directory, if there are any.")
def discover() -> ExitCode:
    """Print the overlays of the project that are in the working directory or below it.

    Nothing is printed if there is no vmrender.yaml that lists any; Argo CD then does not use vmrender for
    the application. The path of an invalid vmrender.yaml is printed, so that generate can report the error.

    \b
    Example:
      vmrender argocd discover
    """
    try:
        source = ApplicationSource.in_working_directory(open_project, os.environ)
        if not source.project.fs.is_file(PROJECT_FILE):
            return ExitCode.CLEAN
        overlays = source.found.overlays or source.found.all_overlays()
    except DiagnosticError:
        print_lines(f"{PROJECT_FILE}\n")
        return ExitCode.CLEAN
    prefix = "" if source.folder == "." else f"{source.folder}/"
    print_lines(each.path for each in overlays if f"{each.path}/".startswith(prefix))
    return ExitCode.CLEAN


@command.command("generate", short_help="Print the manifests of an application.")
def generate() -> ExitCode:
    """Render the overlay in the working directory and print only its manifests.

    Parameters are overlay (a name or path, if it is not the one in the working directory), kubevirt,
    expand and write-instancetypes. Errors go to standard error, and then no manifest is printed.

    \b
    Example:
      ARGOCD_APP_PARAMETERS='[{"name": "kubevirt", "string": "1.8"}]' vmrender argocd generate
    """
    from renderer.pipeline import Pipeline  # noqa: PLC0415 - the other commands need no stage

    ReportTarget.current()._replace(beside_manifests=True).activate()
    parameters = ApplicationParameters.of(os.environ, parse_release)
    source = ApplicationSource.in_working_directory(open_project, os.environ)
    overlay = source.overlay(parameters)
    fs = source.project.fs
    outcome = Pipeline(fs, source.project.config).render(overlay)
    if not outcome.failed:
        print_manifests(outcome.value)
    return report(fs, locate(fs, outcome.diagnostics, overlay.path), [overlay.path])


@command.command(
    "ignore-differences", short_help="Print the fields of virtual machines that an Application has to ignore."
)
@click.argument("overlays", metavar="[OVERLAY]...", nargs=-1, shell_complete=complete_overlays)
@overlay_option("List the fields of")
@cluster_option
@format_option(beside_manifests=True)
def ignore(overlays: tuple[str, ...], named: tuple[str, ...]) -> ExitCode:
    """Print the fields of virtual machines that an Argo CD Application has to ignore.

    KubeVirt fills in fields when a virtual machine is created: firmware UUID, architecture, machine type and
    more, depending on the release. The fields that the rendered overlays do not set, and that their target
    release fills in, are printed as a part of an Application's spec. The alternative is webhookFields in
    vmrender.yaml, which writes these fields to Git.

    \b
    Examples:
      vmrender argocd ignore-differences prod
      vmrender argocd ignore-differences > argocd/ignore.yaml
    """
    project = open_project()
    ignored = ignore_differences(project, (*overlays, *named))
    if ignored.text is not None:
        print_lines(ignored.text)
    return report(project.fs, ignored.findings, ignored.overlays)


@command.command("parameters", short_help="Print the parameters that an application may have.")
def parameters() -> ExitCode:
    """Announce the parameters of an application, with their values from vmrender.yaml, in Argo CD's JSON.

    \b
    Example:
      vmrender argocd parameters
    """
    source = ApplicationSource.in_working_directory(open_project, os.environ)
    listed = {overlay.path for overlay in source.found.overlays}
    announced = announced_parameters(
        source.overlay(ApplicationParameters()), is_listed=source.folder in listed
    )
    print_json(json.dumps(announced, indent=2) + "\n")
    return ExitCode.CLEAN
