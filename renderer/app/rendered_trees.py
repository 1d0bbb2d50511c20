"""Rendered trees: write, compare or plan the tree of each overlay, and remove stale trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import PurePosixPath
from posixpath import normpath
from typing import TYPE_CHECKING, Self, TypeAlias

from renderer.app.reporter import Reporter, Stopwatch
from renderer.app.run_cache import UnchangedOverlay
from renderer.app.tree_result import TreeAction, TreeResult
from renderer.emit.leftovers import foreign_files
from renderer.files.disk import path_exists
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.plural import plural
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE, Extra, Overlay
from renderer.project.overlays import output_sites

if TYPE_CHECKING:
    from renderer.app.overlay_renderer import RenderedOverlay
    from renderer.app.project import Project
    from renderer.emit.check import TreeDiff
    from renderer.emit.ownership import EncodedFiles
    from renderer.emit.swap import Repair
    from renderer.emit.write import TreeBatch, TreeChange, Written

#: An overlay without errors, with the files that its tree should have.
Rendered: TypeAlias = "RenderedOverlay | UnchangedOverlay"


#: Outputs that one command line of git names, and the seconds that it may take to list each.
_LISTED_AT_ONCE, _SECONDS_TO_LIST = 200, 0.001

#: The result of writing a tree, and the duration in words.
_TimedResult: TypeAlias = "tuple[Written | DiagnosticError, str]"


class _Change(Record):
    """A change of a tree, and the repairs that it needed; they are reported at the end."""

    tree: TreeChange
    repairs: list[Repair]


def _with_more(trees: int) -> str:
    return f", with {trees - 1} more" if trees > 1 else ""


class RenderedTrees:
    """The trees of a project; ``forced`` has the files of each output to overwrite or remove in any case.

    ``results`` has one entry for each finished tree, in order.
    """

    def __init__(self, project: Project, forced: Mapping[str, tuple[str, ...]], reporter: Reporter) -> None:
        self.root = project.root
        self._fs = project.fs
        self.forced = forced
        self.reporter = reporter
        self.results: list[TreeResult] = []
        self._started: dict[str, _Change] = {}
        self._batch: TreeBatch | None = None
        self._open_batch = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open_batch.close()

    def start(self, rendered: RenderedOverlay) -> None:
        """Build the tree of an overlay while others are being rendered; ``write`` puts it in place.

        Do nothing once ``most_trees_at_once()`` trees are built, or if another run is active or was killed.
        Without ``write``, the built trees are removed with the context.
        """
        # A run that writes nothing does not need these imports.
        from renderer.emit.write import TreeBatch, is_at_work, most_trees_at_once  # noqa: PLC0415 - as said

        if self._batch is None:
            if is_at_work(self.root, rendered.overlay.output):
                return
            self._batch = self._open_batch.enter_context(TreeBatch(self.root.resolve()))
        if len(self._batch) < most_trees_at_once():
            change = self._started[rendered.overlay.output] = self._change(rendered)
            self._batch.build(change.tree)

    # The methods for all trees are generators: they work while the caller consumes the findings.

    def write(self, rendered: Sequence[Rendered]) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
        """Write each tree, several at once. Yield the findings; a tree with an error stays as it was.

        Started trees are given up if one of them is not to be written after all.
        """
        if self._started.keys() - {each.overlay.output for each in rendered}:
            self._open_batch.close()
            self._batch, self._started = None, {}
        changed = [each for each in rendered if not isinstance(each, UnchangedOverlay)]
        results = self._write_results(changed) if changed else iter(())
        return self._findings(TreeAction.WRITTEN, rendered, lambda each: self._write(each, results))

    def _write_results(self, changed: Sequence[RenderedOverlay]) -> Iterator[_TimedResult]:
        """Yield the result for each tree, and the duration of its batch."""
        finished = self._finish_batch(self._batch) if self._batch else {}
        others = self._write_together([each for each in changed if each.overlay.output not in finished])
        for each in changed:
            yield finished.get(each.overlay.output) or next(others)

    def _finish_batch(self, batch: TreeBatch) -> Mapping[str, _TimedResult]:
        """Put the started trees in place; return the results by output."""
        stopwatch, more = Stopwatch(), _with_more(len(self._started))
        with self.reporter.doing(f"writing {next(iter(self._started))}{more}"):
            done = batch.finish()
        self._open_batch.close()
        elapsed = f"{stopwatch.total()}{more}"
        results = zip(self._started.items(), done, strict=True)
        finished = {output: (result, elapsed) for (output, _), result in results if result is not None}
        for output in finished:
            self._report_repairs(output, self._started[output].repairs)
        self._batch, self._started = None, {}
        return finished

    def _write_together(self, changed: Sequence[RenderedOverlay]) -> Iterator[_TimedResult]:
        from renderer.emit.write import TREES_AT_ONCE, write_trees  # noqa: PLC0415 - if any changes

        for start in range(0, len(changed), TREES_AT_ONCE):
            stopwatch = Stopwatch()
            changes = [self._change(each) for each in changed[start : start + TREES_AT_ONCE]]
            more = _with_more(len(changes))
            with self.reporter.doing(f"writing {changes[0].tree.output}{more}"):
                results = list(write_trees(self.root, [change.tree for change in changes]))
            elapsed = f"{stopwatch.total()}{more}"
            for change, result in zip(changes, results, strict=True):
                self._report_repairs(change.tree.output, change.repairs)
                yield result, elapsed

    def _change(self, rendered: RenderedOverlay) -> _Change:
        from renderer.emit.write import TreeChange  # noqa: PLC0415 - if any changes

        output, repairs = rendered.overlay.output, list["Repair"]()
        return _Change(
            TreeChange(output, rendered.files, self.forced.get(output, ()), repairs.append), repairs
        )

    def compare(self, rendered: Iterable[Rendered]) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
        """Compare each tree with its expected content. Yield errors for the files that differ."""
        return self._findings(TreeAction.COMPARED, rendered, self._compare)

    def plan(self, rendered: Iterable[Rendered]) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
        """Show what writing each tree would change. Yield the errors that would stop it."""
        return self._findings(TreeAction.PLANNED, rendered, self._plan)

    def remove(self, outputs: Iterable[str], *, dry_run: bool = False) -> tuple[Diagnostic, ...]:
        """Remove the trees in ``outputs``; with ``dry_run``, only report that they would be removed."""
        findings: list[Diagnostic] = []
        for output in outputs:
            try:
                self._record(self._plan_tree("", output, {}) if dry_run else self._remove_tree(output))
            except DiagnosticError as error:
                findings += error.diagnostics
        return tuple(findings)

    def _findings(
        self,
        action: TreeAction,
        rendered: Iterable[Rendered],
        act: Callable[[RenderedOverlay], Iterable[Diagnostic]],
    ) -> Iterator[tuple[str, tuple[Diagnostic, ...]]]:
        """Yield the path of each overlay and the findings of ``act``; go on after an error in one of them."""
        for each in rendered:
            overlay = each.overlay
            try:
                if isinstance(each, UnchangedOverlay):
                    self._record(TreeResult(action, overlay.path, overlay.output, unchanged=each.files))
                    found = tuple(self._foreign_files(each).values())
                else:
                    found = tuple(act(each))
            except DiagnosticError as error:
                found = tuple(_with_output_site(finding, overlay) for finding in error.diagnostics)
            yield overlay.path, found

    def _write(self, rendered: RenderedOverlay, results: Iterator[_TimedResult]) -> Iterable[Diagnostic]:
        done, elapsed = next(results)
        if isinstance(done, DiagnosticError):
            raise done
        overlay = rendered.overlay
        result = TreeResult(TreeAction.WRITTEN, overlay.path, overlay.output, *done)
        by_hand = overlay.entry is not None and overlay.entry.is_applied_by_hand
        has_list = Extra.KUSTOMIZATION in (overlay.tree.extras or ())
        self._record(result._replace(by_hand=by_hand, is_kustomization=has_list))
        self.reporter.detail(f"{overlay.output}: written in {elapsed}")
        return self._foreign_files(rendered).values()

    def _compare(self, rendered: RenderedOverlay) -> Iterable[Diagnostic]:
        from renderer.emit.check import check_tree  # noqa: PLC0415 - a run that writes does not need it

        stopwatch, overlay = Stopwatch(), rendered.overlay
        found = check_tree(self.root, overlay.output, rendered.files)
        result = _result_of(TreeAction.COMPARED, overlay.path, overlay.output, found.value)
        self._record(result._replace(is_stale=bool(found.diagnostics)))
        self.reporter.detail(f"{overlay.output}: compared in {stopwatch.total()}")
        reported = {finding.location.path for finding in found.diagnostics if finding.location}
        reported |= {f"{overlay.output}/{path}" for path in found.value.removed}
        foreign = self._foreign_files(rendered)
        return (*found.diagnostics, *(each for path, each in foreign.items() if path not in reported))

    def _plan(self, rendered: RenderedOverlay) -> Iterable[Diagnostic]:
        overlay = rendered.overlay
        planned = self._plan_tree(overlay.path, overlay.output, rendered.files)
        self._record(planned)
        to_remove = {f"{overlay.output}/{path}" for path in planned.removed}
        return [found for path, found in self._foreign_files(rendered).items() if path not in to_remove]

    def _plan_tree(self, source: str, output: str, files: Mapping[str, str] | EncodedFiles) -> TreeResult:
        """Raise ``DiagnosticError``: foreign-file for each file that would stop the run."""
        from renderer.emit.check import plan_changes  # noqa: PLC0415 - as above

        diff = plan_changes(self.root, output, files, self.forced.get(output, ()))
        return _result_of(TreeAction.PLANNED, source, output, diff)

    def _remove_tree(self, output: str) -> TreeResult:
        from renderer.emit.write import remove_tree  # noqa: PLC0415 - only for trees that change

        repairs: list[Repair] = []
        try:
            forced = self.forced.get(output, ())
            done = remove_tree(self.root, output, force=forced, on_repair=repairs.append)
        finally:
            self._report_repairs(output, repairs)
        stays = path_exists(self.root / output)
        return TreeResult(TreeAction.REMOVED, "", output, removed=done.removed, stays=stays)

    def _record(self, result: TreeResult) -> None:
        self.results.append(result)
        self.reporter.tree(result)

    def _report_repairs(self, output: str, repairs: Iterable[Repair]) -> None:
        """Report repairs, after the progress line is removed from the terminal."""
        for repair in repairs:
            self.reporter.note(f"{output}: {repair.value}")

    def _foreign_files(self, rendered: Rendered) -> Mapping[str, Diagnostic]:
        """Return the findings about files in the tree that vmrender did not write, by path."""
        if isinstance(rendered, UnchangedOverlay) and rendered.is_alone:
            return {}
        output, written = rendered.overlay.output, frozenset(rendered.files)
        foreign = tuple(foreign_files(self.root / output, written))
        if not foreign:
            return {}
        from renderer.app.foreign_files import foreign_file_findings  # noqa: PLC0415 - few trees have any

        found = foreign_file_findings(self._fs, output, foreign, written)
        return {each.location.path: each for each in found if each.location}


def stale_trees(outputs: Iterable[str], severity: Severity) -> tuple[Diagnostic, ...]:
    """Return a finding for each output that no longer belongs to an overlay."""
    return tuple(
        Diagnostic.in_file(
            output,
            Code.STALE_TREE,
            f"no overlay is rendered into {output} any more",
            "vmrender render --prune removes the files that vmrender wrote there",
            severity=severity,
        )
        for output in outputs
    )


def untracked_files(project: Project, outputs: Iterable[str]) -> Iterator[Diagnostic]:
    """Yield a finding for each output with files that Git neither tracks nor ignores.

    It is at the ownership file: the name of another file may have a value of a Secret.

    Raises ``DiagnosticError``: git-unavailable, also without a Git repository.
    """
    from shlex import quote  # noqa: PLC0415 - only when asked for

    from renderer.files.git import (  # noqa: PLC0415 - it starts git: as above
        PATTERN_SECONDS,
        Allowance,
        GitProcess,
        not_usable,
    )

    git, outputs = GitProcess(project.root, project.environment), tuple(outputs)
    allowance = Allowance(PATTERN_SECONDS + len(outputs) * _SECONDS_TO_LIST)
    for start in range(0, len(outputs), _LISTED_AT_ONCE):
        some = outputs[start : start + _LISTED_AT_ONCE]
        listing = ("ls-files", "--others", "--exclude-standard", "-z", "--", *some)
        answer = git.run("--literal-pathspecs", *listing, allowance=allowance)
        if answer.code:
            raise not_usable(project.root, answer)
        untracked = {normpath(output): 0 for output in some}
        for path in answer.output.split("\0")[:-1]:
            untracked[next(filter(untracked.__contains__, map(str, PurePosixPath(path).parents)))] += 1
        for output, count in untracked.items():
            if count:
                yield Diagnostic.in_file(
                    f"{output}/{OWNERSHIP_FILE}",
                    Code.STALE,
                    f"Git does not track {plural(count, 'file')} in {output}, which a commit would leave out",
                    f"git add {quote(output)}",
                )


def _result_of(action: TreeAction, source: str, output: str, diff: TreeDiff) -> TreeResult:
    return TreeResult(action, source, output, *diff[:4], diff=diff.text)


def _with_output_site(finding: Diagnostic, overlay: Overlay) -> Diagnostic:
    """Return the finding; add the line where the project names the output, if it is about that."""
    if finding.code is not Code.OUTPUT_INVALID or finding.sites or finding.location:
        return finding
    return finding._replace(sites=output_sites(overlay))
