"""``vmrender render [OVERLAY…]``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import click

from renderer.cli.console import print_diff, report
from renderer.cli.exit_code import ExitCode
from renderer.cli.options import format_option
from renderer.cli.repository import Repository
from renderer.emit.layout import layout
from renderer.emit.output_folder import check_outputs
from renderer.emit.write import Written, write_tree
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from renderer.source.overlays import find_overlays, output_sites, select_overlays


@dataclass(frozen=True, slots=True)
class Rendered:
    """An overlay and the files it comes to, text by path below its output folder."""

    overlay: Overlay
    files: Mapping[str, str]


@click.command("render")
@click.argument("overlays", metavar="[OVERLAY]...", nargs=-1)
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 when the rendered tree is stale.")
@click.option("--tracked", is_flag=True, help="Exit with 1, too, when Git does not track a rendered file.")
@format_option()
def command(
    overlays: tuple[str, ...],
    check: bool,  # noqa: FBT001 - click passes flags so
    tracked: bool,  # noqa: FBT001 - as above
) -> ExitCode:
    """Render the project's overlays, or those given by name or path, each into its own folder.

    Nothing is written as long as anything is wrong with any of them.

    \b
    Examples:
      vmrender render
      vmrender render prod
      vmrender render --check
    """
    repository = Repository.here()
    found = find_overlays(repository.fs, repository.config)
    pipeline = Pipeline(repository.fs, repository.config)
    selected = select_overlays(found, [_named(repository, name) for name in overlays])
    rendered, findings = _render(pipeline, selected)
    findings += check_outputs({overlay.output: output_sites(overlay) for overlay in found}, pipeline.folders)
    if not has_errors(findings):
        findings += _finish(rendered, partial(_check if check else _write, repository.root))
    if tracked and not has_errors(findings):
        findings += _untracked(repository, selected)
    return report(repository.fs, findings, [overlay.path for overlay in selected])


def _untracked(repository: Repository, overlays: Iterable[Overlay]) -> Iterable[Diagnostic]:
    from renderer.cli.untracked import untracked_outputs  # noqa: PLC0415 - it starts git: only when asked for

    return untracked_outputs(repository, [overlay.output for overlay in overlays])


def _named(repository: Repository, name: str) -> str:
    """A folder as the project names it; anything else is the name of an overlay."""
    folder = Path(name).resolve()
    is_inside = folder.is_dir() and folder.is_relative_to(repository.root)
    return repository.relative(folder) if is_inside and any(folder.glob("[kK]ustomization*")) else name


def _render(pipeline: Pipeline, overlays: Iterable[Overlay]) -> tuple[list[Rendered], list[Diagnostic]]:
    rendered: list[Rendered] = []
    findings: list[Diagnostic] = []
    for overlay in overlays:
        outcome = pipeline.render(overlay).in_overlay(overlay.path)
        findings += outcome.diagnostics
        if not outcome.failed:
            rendered.append(Rendered(overlay, layout(outcome.value, overlay.layout)))
    return rendered, findings


def _finish(
    rendered: Iterable[Rendered], act: Callable[[Rendered], Iterable[Diagnostic]]
) -> list[Diagnostic]:
    """What ``act`` finds in each overlay; what stops it at one does not keep it from the others."""
    findings: list[Diagnostic] = []
    for each in rendered:
        try:
            found = tuple(act(each))
        except DiagnosticError as error:
            found = tuple(_placed(finding, each.overlay) for finding in error.diagnostics)
        findings += Outcome(each, found).in_overlay(each.overlay.path).diagnostics
    return findings


def _placed(finding: Diagnostic, overlay: Overlay) -> Diagnostic:
    """What is wrong with the output itself, at the line where the project names it."""
    if finding.code is not Code.OUTPUT_INVALID or finding.sites or finding.location:
        return finding
    return replace(finding, sites=output_sites(overlay))


def _check(root: Path, rendered: Rendered) -> Iterable[Diagnostic]:
    from renderer.emit.check import check_tree  # noqa: PLC0415 - a run that writes need not pay for it

    outcome = check_tree(root, rendered.overlay.output, rendered.files)
    print_diff(outcome.value.text)
    click.echo(f"{_arrow(rendered)}: {'stale' if outcome.diagnostics else 'up to date'}", err=True)
    return outcome.diagnostics


def _write(root: Path, rendered: Rendered) -> Iterable[Diagnostic]:
    written = write_tree(root, rendered.overlay.output, rendered.files)
    click.echo(f"{_arrow(rendered)}: {_described(written)}", err=True)
    return ()


def _arrow(rendered: Rendered) -> str:
    return f"{rendered.overlay.path} -> {rendered.overlay.output}"


def _described(written: Written) -> str:
    """``14 files (3 created, 1 removed)``, or ``14 files, unchanged``."""
    changes = {"created": written.created, "updated": written.updated, "removed": written.removed}
    counted = ", ".join(f"{len(paths)} {change}" for change, paths in changes.items() if paths)
    count = len(written.created) + len(written.updated) + len(written.unchanged)
    files = f"{count} file{'' if count == 1 else 's'}"
    kept = "".join(f"; kept {path}, which changed meanwhile" for path in written.rescued)
    return f"{files} ({counted}){kept}" if counted else f"{files}, unchanged{kept}"
