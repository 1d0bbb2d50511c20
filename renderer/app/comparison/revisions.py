"""The sides of a comparison by their revisions: commits of a repository, and the work tree."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

from renderer.app.comparison.side import Side
from renderer.app.project import Project
from renderer.app.revision_range import SHORT, revision_range
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import EditedFiles, FileSystem, MemoryFileSystem
from renderer.files.git_repository import GitFileSystem, GitRepository
from renderer.findings.located import LocatedError
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.difference import WORK_TREE
from renderer.model.render_config import PROJECT_FILE
from renderer.project.overlays import is_named

#: By these, a project knows its own repository among those that Flux and Argo CD name.
_CLONE_FILES = (".git/config", ".git/HEAD")


def with_overlay_hint(error: DiagnosticError, project: Project, revisions: Iterable[str]) -> DiagnosticError:
    """Return the error about a revision; one that has the name of an overlay may be meant so."""
    if all(found.code is not Code.GIT_REVISION for found in error.diagnostics):
        return error
    overlays = project.proposed().look_up_overlays().overlays
    for revision in revisions:
        if any(is_named(overlay, revision) for overlay in overlays):
            hint = f"there is an overlay of that name: vmrender diff --overlay {revision}"
            return DiagnosticError(*(found._replace(hint=hint) for found in error.diagnostics))
    return error


def sides_of(project: Project, git: GitRepository, revisions: Sequence[str]) -> tuple[Side, Side]:
    """Return the two sides, of which one may have no overlays.

    Raises as ``revision_range``, ``DiagnosticError`` for an unknown revision, and ``LocatedError`` if an
    error leaves both sides without overlays.
    """
    cluster, found = project.config.cluster, revision_range(git, revisions)
    before = side_at(git, found.before, project.fs, found.base, cluster, may_be_empty=True)
    if found.after is None:
        after = _work_tree(project, git)
    else:
        after = side_at(git, found.after, project.fs, cluster=cluster, may_be_empty=True)
    if not before.overlays and not after.overlays:
        after.check_overlays()
    return before, after


def _work_tree(project: Project, git: GitRepository) -> Side:
    """Raise ``DiagnosticError`` for a bare repository, or for a sparse checkout without the project file."""
    if git.is_bare:
        message = f"{project.root} is a bare repository, which has no work tree to compare"
        hint = "name two revisions: vmrender diff A B"
        raise Diagnostic(Code.GIT_UNAVAILABLE, message, hint=hint).error()
    check_project_file(git.left_out(), project.fs)
    listed = git.work_tree_files()
    side = Side(WORK_TREE, project.fs, cluster=project.config.cluster, listed=listed, may_be_empty=True)
    side.submodules = git.staged_submodules() if project.fs.is_file(".gitmodules") else {}
    return side


def check_project_file(left_out: Collection[str], fs: FileSystem) -> None:
    """Raise ``DiagnosticError`` if the sparse checkout of a work tree leaves out the project file."""
    if PROJECT_FILE in left_out and not fs.is_file(PROJECT_FILE):
        message = f"the sparse checkout of this work tree leaves out {PROJECT_FILE}"
        raise Diagnostic(Code.GIT_UNAVAILABLE, message, hint="add it: git sparse-checkout add FOLDER").error()


def side_at(  # noqa: PLR0913 - the options of a side
    git: GitRepository,
    revision: str,
    clone: FileSystem,
    name: str = "",
    cluster: str = "",
    *,
    may_be_empty: bool = False,
) -> Side:
    """Return the project at a revision. Raises ``DiagnosticError`` for an unknown one, and as ``Side`` does.

    What ``.git`` in ``clone`` says of the repository, its remotes and its branch, is true of each revision.
    """
    git.commit(revision)
    label = revision[:SHORT] if name else revision
    tree = _tree_at(git, revision)
    files = BuiltinFileSystem(EditedFiles(clone_files(clone), tree or MemoryFileSystem({})))
    return Side(name or revision, files, label, cluster, tree, may_be_empty=may_be_empty)


def clone_files(clone: FileSystem) -> dict[str, bytes]:
    """Return the files that say of a clone which repository it is of."""
    return {path: clone.read(path) for path in _CLONE_FILES if clone.is_file(path)}


def _tree_at(git: GitRepository, revision: str) -> GitFileSystem | None:
    """Return the files of the project at a revision; None if its folder did not exist then."""
    try:
        return git.tree(revision)
    except DiagnosticError as error:
        if any(found.code is not Code.FILE_NOT_FOUND for found in error.diagnostics):
            raise
        return None


class Commit(NamedTuple):
    """A commit between the two sides; its ``side`` is None if its project cannot be used."""

    name: str
    subject: str
    side: Side | None


def commits_between(git: GitRepository, before: Side, after: Side) -> tuple[Commit, ...]:
    """Return the commits after the first side, oldest first.

    Unless the second side is the work tree, the last commit is the second side itself and is left out.
    """
    found = git.commits_between(before.revision, after.revision or "HEAD")
    if after.revision:
        found = found[:-1]
    commits: list[Commit] = []
    for oid, subject in found:
        side = None
        with suppress(DiagnosticError, LocatedError):
            side = side_at(git, oid, before.fs, oid[:SHORT], may_be_empty=True)
        commits.append(Commit(oid[:SHORT], subject, side))
    return tuple(commits)
