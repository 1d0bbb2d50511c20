"""Print the progress of a use case on a terminal or in a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from renderer.app.tree_result import TreeAction, TreeResult
from renderer.cli.console import ReportTarget, note, print_diff
from renderer.cli.terminal import erase, write_transient
from renderer.model.plural import listed, plural

if TYPE_CHECKING:
    from renderer.app.render import RenderResult

#: The largest number of overlays that a line names, and of lines for trees that are as they were.
_MOST_NAMED, _MOST_UNCHANGED = 5, 10


class TerminalReporter:
    """Shows progress in a transient line, and results in lines that stay, on standard error.

    Progress is shown on a terminal only, so that logs and pipes stay clean. ``verbose`` shows details
    instead.
    """

    def __init__(self, *, verbose: bool, no_progress: bool) -> None:
        self._verbose = verbose
        self._unchanged = 0
        wanted = not (no_progress or verbose or ReportTarget.current().is_quiet)
        self._shows_progress = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    @contextmanager
    def doing(self, what: str) -> Iterator[None]:
        """Show ``what`` until it is done; print nothing else meanwhile."""
        if not self._shows_progress:
            yield
            return
        from shutil import get_terminal_size  # noqa: PLC0415 - brings three libraries for archives

        shown = what[: get_terminal_size().columns - 1]
        write_transient(shown)
        try:
            yield
        finally:
            erase(shown)

    def detail(self, text: str) -> None:
        """Print a line if the run is verbose."""
        if self._verbose:
            note(text)

    def note(self, text: str) -> None:
        """Print a line."""
        note(text)

    def tree(self, result: TreeResult) -> None:
        """Print the diff of a tree, if there is one, and a line with its result."""
        if result.diff:
            print_diff(result.diff)
        if _is_unchanged(result) and not self._verbose:
            self._unchanged += 1
            if self._unchanged == _MOST_UNCHANGED + 1:
                note("more overlays are unchanged: --verbose lists all of them")
            if self._unchanged > _MOST_UNCHANGED:
                return
        note(
            f"{result.source} -> {result.output}: {_tree_text(result)}"
            if result.source
            else _removal_text(result)
        )
        if result.by_hand and (result.created or result.updated):
            from shlex import quote  # noqa: PLC0415 - compiles an expression, for few trees

            option = "--kustomize" if result.is_kustomization else "--recursive --filename"
            note(f"  once it is merged, apply it yourself: kubectl apply {option} {quote(result.output)}")


def closing_line(result: RenderResult) -> str:
    """Return the totals of a run: ``2 overlays: 14 files, 3 created``, or why nothing was done."""
    overlays = plural(len(result.overlays), "overlay")
    trees = [tree for tree in result.trees if tree.source]
    if any(tree.action is TreeAction.COMPARED for tree in trees):
        stale = sum(tree.is_stale for tree in trees)
        compared = f"{len(trees)} compared, " if len(trees) < len(result.overlays) else ""
        return f"{overlays}: {compared}{f'{stale} stale' if stale else 'up to date'}"
    if len(trees) < len(result.overlays) and not any(tree.action is TreeAction.PLANNED for tree in trees):
        return f"{overlays}: {f'{len(trees)} written' if trees else 'nothing was written'}"
    is_planned = any(tree.action is TreeAction.PLANNED for tree in result.trees)
    changes = {
        "created": sum(len(tree.created) for tree in result.trees),
        "updated": sum(len(tree.updated) for tree in result.trees),
        "removed": sum(len(tree.removed) for tree in result.trees),
    }
    counted = [
        f"{number} {'to be ' if is_planned else ''}{what}" for what, number in changes.items() if number
    ]
    files = sum(len(tree.created) + len(tree.updated) + len(tree.unchanged) for tree in trees)
    return f"{overlays}: {', '.join([plural(files, 'file'), *(counted or ['unchanged'])])}"


def kept_trees(result: RenderResult) -> Iterator[str]:
    """Yield a line with the overlays that have errors, if there are others, and how those are written."""
    broken = [path for path in result.overlays if path in result.broken]
    if not broken or len(broken) == len(result.overlays):
        return
    yield f"not rendered, because of errors: {listed(broken, _MOST_NAMED)}"
    if not any(tree.source for tree in result.trees):
        yield "  hint: without --all-or-nothing, the overlays without errors are written"


def _is_unchanged(result: TreeResult) -> bool:
    """Return True if a tree is as its sources are, and was."""
    is_same = not (result.created or result.updated or result.removed or result.changed_meanwhile)
    return bool(result.source) and is_same and not (result.is_stale or result.diff)


def _tree_text(result: TreeResult) -> str:
    """Return ``14 files (3 created, 1 removed)``, ``14 files, unchanged``, ``stale`` or ``up to date``."""
    if result.action is TreeAction.COMPARED:
        return "stale" if result.is_stale else "up to date"
    changes = {"created": result.created, "updated": result.updated, "removed": result.removed}
    planned = "to be " if result.action is TreeAction.PLANNED else ""
    counted = ", ".join(f"{len(paths)} {planned}{change}" for change, paths in changes.items() if paths)
    files = plural(len(result.created) + len(result.updated) + len(result.unchanged), "file")
    kept = "".join(f"; kept {path}, which changed meanwhile" for path in result.changed_meanwhile)
    return f"{files} ({counted}){kept}" if counted else f"{files}, unchanged{kept}"


def _removal_text(result: TreeResult) -> str:
    removed = "to be removed" if result.action is TreeAction.PLANNED else "removed"
    stays = "; other files in it stay" if result.stays else ""
    return f"{result.output}: {removed}, {plural(len(result.removed), 'file')}{stays}"
