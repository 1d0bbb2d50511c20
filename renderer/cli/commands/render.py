"""``vmrender render [OVERLAY…]``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from renderer.app.render import RenderMode, RenderRequest, render
from renderer.app.reporter import Stopwatch
from renderer.cli.command import Command
from renderer.cli.completions import complete_overlays
from renderer.cli.console import ExitCode, ReportTarget, note, open_project, report
from renderer.cli.options import (
    cluster_option,
    format_option,
    jobs_option,
    no_progress_option,
    overlay_option,
    quiet_option,
    shard_options,
    strict_option,
    verbose_option,
)
from renderer.cli.progress import TerminalReporter, closing_line, kept_trees
from renderer.model.run.limits import limits
from renderer.report.formats import Format


@click.command("render", cls=Command)
@click.argument("overlays", metavar="[OVERLAY]...", nargs=-1, shell_complete=complete_overlays)
@overlay_option("Render")
@cluster_option
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if a rendered tree is stale.")
@click.option(
    "--force",
    "forced",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Overwrite or remove this file even if somebody changed it. Repeatable.",
)
@click.option(
    "--dry-run", is_flag=True, help="Write nothing; print what would be created, updated and removed."
)
@click.option(
    "--all-or-nothing", is_flag=True, help="Write no tree at all if any of the overlays has an error."
)
@click.option("--prune", is_flag=True, help="Remove rendered trees whose overlay no longer exists.")
@click.option("--tracked", is_flag=True, help="Also exit with 1 if Git does not track a rendered file.")
@click.option("--no-cache", is_flag=True, help="Render everything, and store no results for the next run.")
@jobs_option("Maximum number of processes")
@strict_option
@quiet_option
@shard_options
@verbose_option
@no_progress_option
@format_option()
def command(
    *,
    named: tuple[str, ...],
    verbose: bool,
    no_progress: bool,
    check: bool,
    dry_run: bool,
    **options: Any,  # noqa: ANN401 - each as its option says
) -> ExitCode:
    """Render the project's overlays, or those given by name, path, entry or pattern, each into a folder.

    An overlay with an error keeps its old tree; the others are written, and the exit code is 1. Only files
    that vmrender wrote are overwritten or removed; a file that somebody edited or added is reported, and
    stays unchanged.

    \b
    Examples:
      vmrender render
      vmrender render prod
      vmrender render clusters/prod
      vmrender render 'clusters/prod:vm-*'
      vmrender render --check
      vmrender render --prune
      vmrender render --force rendered/prod/shop/virtualmachine_db.yaml
    """
    if check and dry_run:
        raise click.UsageError("--check and --dry-run both write nothing; leave one of them out")
    mode = RenderMode.CHECK if check else RenderMode.DRY_RUN if dry_run else RenderMode.WRITE
    use_cache = not options.pop("no_cache")
    reporter, stopwatch = TerminalReporter(verbose=verbose, no_progress=no_progress), Stopwatch()
    project = open_project()
    most = limits().findings
    options["overlays"] += named
    request = RenderRequest(mode=mode, use_cache=use_cache, most_findings=most, **options)
    result = render(project, request, reporter)
    reporter.detail(f"done in {stopwatch.total()}")
    code = report(project.fs, result.findings, result.overlays, result.unshown)
    if ReportTarget.current().format is Format.TEXT:
        note(*kept_trees(result), closing_line(result))
    return code
