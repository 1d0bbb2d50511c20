"""What ``vmrender render`` does to each tree, and what it says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import click

from renderer.app.render import Result
from renderer.app.run_cache import UnchangedOverlay
from renderer.app.stopwatch import Stopwatch
from renderer.cli.console import print_diff
from renderer.cli.progress import Watch
from renderer.cli.repairs import repairs_said
from renderer.emit.leftovers import foreign_manifests
from renderer.emit.write import Written, remove_tree, write_tree
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.location import Location
from renderer.model.render_config import Overlay
from renderer.source.overlays import output_sites


@dataclass(frozen=True, slots=True)
class RenderedTrees:
    """The trees below ``root``; of each output ``forced`` has the paths of files that are given up."""

    root: Path
    forced: Mapping[str, tuple[str, ...]]
    watch: Watch

    def check(self, rendered: Iterable[Result]) -> list[Diagnostic]:
        return _of_each(rendered, self._check)

    def write(self, rendered: Iterable[Result]) -> list[Diagnostic]:
        return _of_each(rendered, self._write)

    def prune(self, outputs: Iterable[str]) -> list[Diagnostic]:
        """Removes trees that belong to no overlay any more."""
        findings: list[Diagnostic] = []
        for output in outputs:
            try:
                with repairs_said(output) as said:
                    forced = self.forced.get(output, ())
                    removed = remove_tree(self.root, output, force=forced, on_repair=said)
            except DiagnosticError as error:
                findings += error.diagnostics
            else:
                stays = "; what others put there stays" if (self.root / output).exists() else ""
                click.echo(f"{output}: removed, {_counted(len(removed.removed))}{stays}", err=True)
        return findings

    def _check(self, rendered: Result) -> Iterable[Diagnostic]:
        if isinstance(rendered, UnchangedOverlay):
            click.echo(f"{_arrow(rendered)}: up to date", err=True)
            return self._unlisted(rendered).values()
        from renderer.emit.check import check_tree  # noqa: PLC0415 - a run that writes need not pay for it

        stopwatch = Stopwatch()
        outcome = check_tree(self.root, rendered.overlay.output, rendered.files)
        print_diff(outcome.value.text)
        click.echo(f"{_arrow(rendered)}: {'stale' if outcome.diagnostics else 'up to date'}", err=True)
        self.watch.say(f"{rendered.overlay.output}: compared in {stopwatch.total()}")
        reported = {found.location.path for found in outcome.diagnostics if found.location}
        unlisted = self._unlisted(rendered)
        return (*outcome.diagnostics, *(found for path, found in unlisted.items() if path not in reported))

    def _write(self, rendered: Result) -> Iterable[Diagnostic]:
        if isinstance(rendered, UnchangedOverlay):
            click.echo(f"{_arrow(rendered)}: {_counted(len(rendered.files))}, unchanged", err=True)
            return self._unlisted(rendered).values()
        stopwatch, output = Stopwatch(), rendered.overlay.output
        forced = self.forced.get(output, ())
        with repairs_said(output) as said, self.watch.progress.doing(f"writing {output}"):
            written = write_tree(self.root, output, rendered.files, force=forced, on_repair=said)
        click.echo(f"{_arrow(rendered)}: {_described(written)}", err=True)
        self.watch.say(f"{output}: written in {stopwatch.total()}")
        return self._unlisted(rendered).values()

    def _unlisted(self, rendered: Result) -> Mapping[str, Diagnostic]:
        """Warnings of manifests of others in the tree, by their paths."""
        output = rendered.overlay.output
        paths = foreign_manifests(self.root / output, frozenset(rendered.files))
        return {f"{output}/{path}": _unlisted(output, path) for path in paths}


def stale_trees(outputs: Iterable[str], severity: Severity) -> list[Diagnostic]:
    return [
        Diagnostic(
            code=Code.STALE_TREE,
            message=f"no overlay is rendered into {output} any more",
            severity=severity,
            location=Location(output),
            hint="vmrender render --prune removes what it wrote there",
        )
        for output in outputs
    ]


def _unlisted(output: str, path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.FOREIGN_FILE,
        message=f"{path} is not vmrender's, but would be applied with the rest of {output}",
        severity=Severity.WARNING,
        location=Location(f"{output}/{path}"),
        hint="make it a resource of the overlay, or move it out of the rendered tree",
    )


def _of_each(rendered: Iterable[Result], act: Callable[[Result], Iterable[Diagnostic]]) -> list[Diagnostic]:
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


def _arrow(rendered: Result) -> str:
    return f"{rendered.overlay.path} -> {rendered.overlay.output}"


def _counted(files: int) -> str:
    return f"{files} file{'' if files == 1 else 's'}"


def _described(written: Written) -> str:
    """``14 files (3 created, 1 removed)``, or ``14 files, unchanged``."""
    changes = {"created": written.created, "updated": written.updated, "removed": written.removed}
    counted = ", ".join(f"{len(paths)} {change}" for change, paths in changes.items() if paths)
    count = len(written.created) + len(written.updated) + len(written.unchanged)
    files = _counted(count)
    kept = "".join(f"; kept {path}, which changed meanwhile" for path in written.rescued)
    return f"{files} ({counted}){kept}" if counted else f"{files}, unchanged{kept}"
