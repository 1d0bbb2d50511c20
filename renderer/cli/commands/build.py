"""``vmrender build PATH``."""

from __future__ import annotations

from pathlib import Path

import click

from renderer.cli.console import print_manifests, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import expand_option, format_option, kubevirt_option
from renderer.cli.repository import Repository
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.source.find_kustomization import LoadRestrictor
from renderer.source.overlays import overlay_at


@click.command("build")
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@expand_option
@kubevirt_option
@format_option(beside_manifests=True)
@click.option(
    "--load-restrictor",
    type=click.Choice([restrictor.value for restrictor in LoadRestrictor]),
    default=LoadRestrictor.ROOT_ONLY.value,
    help="Whether files outside of a kustomization's folder may be read; never outside the repository.",
)
def command(
    path: Path, expand: ExpandMode | None, kubevirt: Release | None, load_restrictor: str
) -> ExitCode:
    """Compose the overlay or catalog folder PATH, expand its virtual machines and print the manifests.

    With --expand off this prints what kustomize build prints, byte for byte.

    \b
    Examples:
      vmrender build overlays/prod
      vmrender build --expand off catalog/common-instancetypes/v1.7.0
    """
    repository = Repository.containing(path)
    config = repository.config
    found = find_overlays(repository.fs, config)
    overlay = overlay_at(config, found, repository.relative(path)).with_target(kubevirt, expand)
    outcome = Pipeline(repository.fs, config, LoadRestrictor(load_restrictor)).build(overlay)
    if not outcome.failed:
        print_manifests(outcome.value)
    return report(repository.fs, outcome.in_overlay(overlay.path).diagnostics, [overlay.path])
