"""Overlays of which a sparse checkout leaves files out of the work tree: they are not compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from itertools import chain
from typing import NamedTuple

from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.revisions import check_project_file, side_at
from renderer.app.comparison.side import Side
from renderer.app.project import Project
from renderer.files.checkout import top_of_checkout
from renderer.files.file_system import is_inside
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.difference import WORK_TREE
from renderer.model.render_config import Overlay
from renderer.pipeline.deployer_files import deployer_files

_LEFT_OUT = "the sparse checkout of this work tree leaves out"
_ADD = "git sparse-checkout add FOLDER"
_HINT = f"add it: {_ADD}"


class LastCommit(NamedTuple):
    """The project in the last commit of a sparse checkout, and its files that are not in the work tree."""

    side: Side
    left_out: Collection[str]


@contextmanager
def last_commit_if_sparse(project: Project) -> Iterator[LastCommit | None]:
    """Yield the last commit of a work tree that lacks files on purpose; None if it lacks none.

    Raises ``DiagnosticError``: git-unavailable if it lacks the project file.
    """
    if top_of_checkout(project.root, project.environment) is None:
        yield None
        return
    try:
        repository = project.git()
    except DiagnosticError:  # without git, there is no sparse checkout of it
        yield None
        return
    with repository as git:
        left_out = git.left_out()
        check_project_file(left_out, project.fs)
        if not left_out:
            yield None
            return
        side = side_at(git, "HEAD", project.fs, cluster=project.config.cluster)
        yield LastCommit(side.propose(), left_out)


def check_checked_out(project: Project, folder: str, output: str) -> None:
    """Check that the work tree has the files that an import has to know.

    They are the files of overlays in ``folder``, and those that it may write, in ``output``. Raises
    ``DiagnosticError``: file-unreadable, or git-unavailable for the project file.
    """
    with last_commit_if_sparse(project) as commit:
        if commit is None:
            return
        side = Side(WORK_TREE, project.fs, cluster=project.config.cluster)
        missing = SparseCheckout(commit.left_out, commit.side, side).missing
        in_overlays = (file for path, file in missing.items() if is_inside(path, folder))
        in_output = (
            each for each in commit.left_out if is_inside(each, output) and not side.fs.is_file(each)
        )
        found = next(in_overlays, "") or min(in_output, default="")
        if found:
            message = f"{_LEFT_OUT} {found}: an import has to know what Git has already"
            raise Diagnostic.in_file(found, Code.FILE_UNREADABLE, message, _HINT).error()


class SparseCheckout:
    """The files of the project that are in Git and, on purpose, not in the work tree."""

    def __init__(self, left_out: Collection[str], before: Side, work_tree: Side) -> None:
        """``before`` is a revision, which has all files."""
        self._left_out = left_out
        self._before = before
        self._work_tree = work_tree

    def instead_of(self, path: str) -> RenderedSide | None:
        """Return the side of an overlay that lacks a file; None if the work tree has all of its files."""
        missing = self.missing.get(path) if self._left_out else None
        return RenderedSide(None, unknown=f"{_LEFT_OUT} {missing}; {_ADD}") if missing else None

    def reader_of(self, file: str) -> str:
        """Return the path of an overlay that reads a file, and lacks another one; empty if there is none."""
        readers = (each for each in self.lacking if file in self._before.overlay_files.of(each))
        settled = (each for each in self.lacking if any(is_inside(file, top) for top in self._settings(each)))
        found = next(chain(readers, settled), None)
        return found.path if found else ""

    @cached_property
    def lacking(self) -> tuple[Overlay, ...]:
        """The overlays that lack a file."""
        return tuple(self._before.overlays[path] for path in self.missing)

    @cached_property
    def missing(self) -> Mapping[str, str]:
        """The first file that an overlay lacks, by the path of the overlay."""
        left_out = frozenset(each for each in self._left_out if not self._work_tree.fs.is_file(each))
        looked_up: dict[tuple[str, ...], str] = {}
        found: dict[str, str] = {}
        for path, overlay in self._before.overlays.items():
            tops = self._settings(overlay)
            if tops not in looked_up:
                inside = (file for file in left_out if any(is_inside(file, top) for top in tops))
                looked_up[tops] = min(inside, default="")
            missing = min(self._before.overlay_files.of(overlay) & left_out, default="") or looked_up[tops]
            if missing:
                found[path] = missing
        return found

    @cached_property
    def deployer_files(self) -> tuple[str, ...]:
        """The files that the work tree lacks, and that may say what deploys overlays."""
        lacking = (each for each in self._before.listing.manifests if each in self._left_out)
        missing = [each for each in lacking if not self._work_tree.fs.is_file(each)]
        return tuple(deployer_files(self._before.fs, missing))

    def _settings(self, overlay: Overlay) -> tuple[str, ...]:
        """Return the files and folders in which an overlay's instance types and facts are looked up."""
        config = self._before.config.of_cluster(overlay.cluster)
        folders = config.catalog_folders().items()
        return (
            *(path for path, clusters in folders if overlay.cluster in clusters),
            *filter(None, [config.facts]),
        )
