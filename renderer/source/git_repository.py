"""The revisions of the Git repository that a folder is in: what their names mean, and their trees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.source.git_file_system import GitFileSystem
from renderer.source.git_objects import GitObjects
from renderer.source.git_process import Answer, GitProcess

_DUBIOUS_OWNER = "dubious ownership in repository at"
_SHALLOW_HINT = (
    "this clone is shallow: fetch its history (fetch-depth: 0 in actions/checkout, git fetch --unshallow)"
)
_UNKNOWN_HINT = (
    "git branch --all, git tag and git log list what there is; a branch of a remote is origin/NAME"
)
_NO_COMMIT_HINT = "this repository has no commit yet: git commit makes the first"


class GitRepository:
    """Use it in a ``with`` block: at its end the process that reads objects goes away.

    ``prefix`` is the path from the top of the Git work tree to ``folder``, empty or ending in ``/``: a
    project may be a folder of a bigger repository. A bare repository has revisions like any other.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        """``environment`` is that of the command line. Raises ``DiagnosticError``: git-unavailable."""
        self._git = GitProcess(folder, environment)
        answer = self._git.run(
            "rev-parse", "--is-shallow-repository", "--is-bare-repository", "--show-prefix"
        )
        if answer.code:
            raise not_usable(folder, answer)
        shallow, bare, self.prefix, *_ = answer.output.split("\n")
        self.is_bare = bare == "true"
        self._shallow = shallow == "true"
        self._objects = GitObjects(self._git)

    def commit(self, revision: str) -> str:
        """The id of the commit that a revision's name means. Raises ``DiagnosticError``: git-revision."""
        if not revision or revision.startswith("-") or not revision.isprintable():
            raise _revision_error(f"{revision!r} is no name of a revision")
        found = self._objects.find(revision)
        if found is None:
            raise self._unknown(f"no such revision: {revision}")
        commit = self._objects.find(f"{found.oid}^{{commit}}")
        if commit is None:
            raise _revision_error(f"{revision} is a {found.kind}, not a commit")
        return commit.oid

    def merge_base(self, one: str, other: str) -> str:
        """The id of the commit where two revisions parted. Raises ``DiagnosticError``: git-revision."""
        answer = self._git.run("merge-base", "--end-of-options", self.commit(one), self.commit(other))
        if answer.code:
            raise self._unknown(f"{one} and {other} have no commit in common")
        return answer.output.strip()

    def commits_between(self, one: str, other: str) -> tuple[tuple[str, str], ...]:
        """The ids and subjects of the commits after ``one`` up to ``other``, the oldest first.

        Of a merge, only the branch that was merged into counts. Raises ``DiagnosticError``: git-revision.
        """
        known, last = self.commit(one), self.commit(other)
        answer = self._git.run("log", "--first-parent", "--reverse", "--format=%H %s", f"{known}..{last}")
        if answer.code:
            raise self._unknown(f"the commits from {one} to {other} are not in this clone")
        lines = (line.partition(" ") for line in answer.output.splitlines() if line)
        return tuple((oid, subject) for oid, _, subject in lines)

    def tree(self, revision: str) -> GitFileSystem:
        """The project's folder as it was at a revision.

        Raises ``DiagnosticError``: git-revision; file-not-found when the folder was not there then.
        """
        root = self._objects.find(f"{self.commit(revision)}^{{tree}}")
        if root is None:
            raise self._unknown(f"the files of {revision} are not in this clone")
        return GitFileSystem(self._objects, root.oid, revision).below(self.prefix)

    def close(self) -> None:
        self._objects.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _unknown(self, message: str) -> DiagnosticError:
        if self._shallow:
            return _revision_error(message, _SHALLOW_HINT)
        has_commits = self._objects.find("HEAD") or self._git.run("for-each-ref", "--count=1").output
        return _revision_error(message, _UNKNOWN_HINT if has_commits else _NO_COMMIT_HINT)


def not_usable(folder: Path, answer: Answer) -> DiagnosticError:
    """What git said when it failed in a folder, as git-unavailable with a way out."""
    complaint = answer.complaint.partition("\n")[0].removeprefix("fatal: ")
    if "not a git repository" in complaint:
        return _unavailable(f"{folder} is not in a Git repository", "run it in a clone, or git init")
    _, dubious, place = complaint.partition(_DUBIOUS_OWNER)
    hint = f"git config --global --add safe.directory {place.strip()}" if dubious else None
    return _unavailable(f"git cannot use the repository of {folder}: {complaint}", hint)


def _unavailable(message: str, hint: str | None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.GIT_UNAVAILABLE, message=message, hint=hint))


def _revision_error(message: str, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.GIT_REVISION, message=message, hint=hint))
