"""Start a project: its file, a first overlay, a pre-commit hook and a pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from renderer import __version__
from renderer.app.found_project import FoundProject, survey_repository
from renderer.app.usage_error import UsageError
from renderer.emit.edit_user_files import change_files
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.location import Location
from renderer.model.release import LATEST, Release
from renderer.scaffold import Choices, CiSystem, Scaffold, ci_system_of, plan_scaffold
from renderer.source.file_system import DiskFileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.git import GitProcess

#: The entries of a bare repository and of ``.git``.
_GIT_FOLDER = ("HEAD", "objects", "refs")


class Started(NamedTuple):
    """The files that were written; with findings, errors about files in the way, nothing was written.

    ``found`` is what the repository deploys already; None where the usual project file leads to all of it.
    """

    scaffold: Scaffold
    ci: CiSystem
    findings: tuple[Diagnostic, ...]
    found: FoundProject | None = None


def start_project(
    root: Path,
    kubevirt: Release | None,
    ci: CiSystem | None,
    environment: Mapping[str, str],
    *,
    dry_run: bool = False,
) -> Started:
    """Write the files of a new project into ``root``; nothing is overwritten, and with ``dry_run`` written.

    The project file lists what deploys virtual machines in the repository. Without ``kubevirt`` it names the
    release that the repository deploys, or the latest. Without ``ci`` the pipeline is for the system that the
    remote ``origin`` tells.

    Raises ``UsageError`` where no project can start, and ``DiagnosticError``.
    """
    _check_top(root)
    choices = Choices(kubevirt or LATEST, ci or _ci_system_of(root, environment), __version__)
    survey = survey_repository(root)
    found = survey if survey and survey.is_more_than_overlays else None
    planned = plan_scaffold(
        choices,
        lambda path: _text_at(root / path),
        has_overlays=_has_overlays(root) or bool(survey and survey.machines),
        project=found.project_text(kubevirt) if found else None,
    )
    if planned.in_the_way:
        return Started(planned, choices.ci, tuple(map(_in_the_way, planned.in_the_way)))
    if not dry_run:
        change_files(root, {path: text.encode() for path, text in planned.files.items()}, ())
    return Started(planned, choices.ci, (), found)


def _check_top(root: Path) -> None:
    """Raises ``UsageError`` below the top of a checkout: hooks and pipelines are looked for at the top."""
    if any(all((folder / name).exists() for name in _GIT_FOLDER) for folder in (root, *root.parents)):
        raise UsageError("a project is started in a work tree, and this is in a folder of Git's own")
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    if top != root:
        raise UsageError(f"a project starts at the top of its repository: cd {top}")


def _ci_system_of(root: Path, environment: Mapping[str, str]) -> CiSystem:
    """The system that the remote's name tells, or else the one that the repository has files of."""
    try:
        answer = GitProcess(root, environment).run("remote", "get-url", "origin")
        system = ci_system_of(answer.output) if answer.code == 0 else CiSystem.NONE
    except DiagnosticError:  # there is no git, or no repository
        system = CiSystem.NONE
    if system is CiSystem.NONE and (root / ".gitlab-ci.yml").exists():
        return CiSystem.GITLAB
    if system is CiSystem.NONE and (root / ".github").exists():
        return CiSystem.GITHUB
    return system


def _has_overlays(root: Path) -> bool:
    return any(True for name in KUSTOMIZATION_FILES for _ in root.glob(f"overlays/*/{name}"))


def _text_at(place: Path) -> str | None:
    """The text of a file; None where there is nothing, empty for what is no file or cannot be read."""
    if not os.path.lexists(place):
        return None
    try:
        return DiskFileSystem(place.parent).read(place.name).decode("utf-8", "replace")
    except DiagnosticError:
        return ""


def _in_the_way(path: str) -> Diagnostic:
    return Diagnostic(
        code=Code.FILE_EXISTS,
        message=f"{path} is there already, and nothing is overwritten",
        location=Location(path),
        hint="move it away and try again; nothing was written",
    )
