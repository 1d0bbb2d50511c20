"""Start a project: write its file, a first overlay, a pre-commit hook and a pipeline."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from renderer.app.engine_ignores import EngineIgnores, engine_ignores
from renderer.app.installed_from import InstalledFrom, installed_from, named_source
from renderer.app.usage_error import UsageError
from renderer.authoring.new_project.ci_files import GITHUB, GITLAB, CiSystem, ci_system_of, host_of
from renderer.authoring.new_project.install_source import InstallSource, Unknown, is_local
from renderer.authoring.new_project.project_files import Choices, PlannedFiles, plan_project_files
from renderer.discovery.project_proposal import ProjectProposal, survey_repository
from renderer.emit.edit_user_files import change_files
from renderer.files.disk import path_exists
from renderer.files.file_system import DiskFileSystem
from renderer.files.git import GitProcess
from renderer.findings.located import Located
from renderer.findings.run_findings import located_as_given
from renderer.kubevirt.facts.unreleased import about_target
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.release import LATEST, Release
from renderer.model.render_config import PROJECT_FILE

#: The entries of a bare repository and of ``.git``.
_GIT_FOLDER = ("HEAD", "objects", "refs")
_NAME_IT = "name a place that all can reach: --source URL@REVISION"
_PIPELINES = {CiSystem.GITHUB: GITHUB, CiSystem.GITLAB: GITLAB}


class Started(NamedTuple):
    """The files that were written; none if there are findings, which are errors about files in the way.

    ``found`` is what the repository already deploys; None if the usual project file covers all of it.
    ``notes`` are about the source that hooks and the pipeline install vmrender from. ``ignores`` keep the
    files out of what engines apply. ``releases`` are the releases in a new project file, and why. ``covered``
    says what the usual project file renders.
    """

    planned: PlannedFiles
    ci: CiSystem
    findings: tuple[Located, ...]
    found: ProjectProposal | None = None
    notes: tuple[str, ...] = ()
    ignores: EngineIgnores = EngineIgnores({})
    releases: tuple[str, ...] = ()
    covered: str = ""


class ProjectOptions(NamedTuple):
    """The options of a new project.

    Without ``kubevirt``, the project file names the release that the repository deploys, or the latest.
    Without ``ci``, the CI system is derived from the remote ``origin``. ``source`` is where hooks and the
    pipeline install vmrender from: ``URL@REV``, an archive or ``vmrender==VERSION``; the default is where
    this copy was installed from.
    """

    kubevirt: Release | None = None
    ci: CiSystem | None = None
    source: str | None = None


def start_project(
    root: Path,
    options: ProjectOptions,
    environment: Mapping[str, str],
    *,
    dry_run: bool = False,
) -> Started:
    """Write the files of a new project into ``root``. Nothing is overwritten; ``dry_run`` writes nothing.

    The project file lists the entries of the repository that deploy virtual machines.

    Raises ``UsageError`` if no project can start in ``root``, and ``DiagnosticError``.
    """
    _check_top(root)
    origin = _remote(root, environment)
    system = options.ci or _ci_system_of(root, origin)
    installed = _install_source(options.source, environment)
    unreachable = _unreachable_reason(installed.source)
    if unreachable and options.ci in _PIPELINES:
        raise UsageError(f"a pipeline cannot be written: {unreachable}; {_NAME_IT}")
    servers = (host_of(origin),) if system is CiSystem.GITHUB else ()
    survey = survey_repository(root)
    has_overlays = any(True for name in KUSTOMIZATION_FILES for _ in root.glob(f"overlays/*/{name}"))
    found = survey if survey.is_more_than_overlays else None
    if survey.is_without_machines and not has_overlays:
        found = survey
    renders = found is None or found.lists_overlays
    detected = survey.survey.release
    choices = Choices(options.kubevirt or detected or LATEST, system, installed.source, servers, renders)
    proposed = found.project_text(options.kubevirt) if found else None
    planned = plan_project_files(
        choices,
        lambda path: _text_at(root / path),
        has_overlays=has_overlays or bool(found or survey.config or survey.survey.entries),
        project=_text_at(root / PROJECT_FILE) if survey.config else proposed,
    )
    if planned.in_the_way:
        in_the_way = (
            Diagnostic.in_file(
                path,
                Code.FILE_EXISTS,
                f"{path} already exists, and nothing is overwritten",
                "move it away and try again; nothing was written",
            )
            for path in planned.in_the_way
        )
        return Started(planned, choices.ci, located_as_given(in_the_way))
    files = dict(planned.files)
    ignores = engine_ignores(survey.survey.readers, files, lambda path: _text_at(root / path))
    planned = planned._replace(files=files)
    if not dry_run:
        changes = {path: (None, text) for path, text in files.items()} | ignores.changes
        writes = {path: _bytes_of(new) for path, (_, new) in changes.items()}
        before = {path: None if old is None else _bytes_of(old) for path, (old, _) in changes.items()}
        change_files(root, writes, (), before)
    is_chosen = options.kubevirt is not None or survey.config is not None
    releases = () if is_chosen else survey.releases
    if options.kubevirt:
        releases = tuple(remark.message for remark in about_target(options.kubevirt))
    notes = (*installed.notes, *_notes(installed.source, system))
    if system in _PIPELINES and not renders:
        notes += (f"{_PIPELINES[system]} is not written while there is nothing to render",)
    covered = survey.total if found is None and survey.survey.entries else ""
    return Started(planned, system, (), found, notes, ignores, releases, covered)


def _install_source(named: str | None, environment: Mapping[str, str]) -> InstalledFrom:
    """Return the named source, or this copy's. Raises ``UsageError`` if the named one cannot be used."""
    if named is None:
        return installed_from(environment)
    try:
        return named_source(named)
    except ValueError as error:
        raise UsageError(f"--source: {error}") from None


def _unreachable_reason(source: InstallSource) -> str | None:
    """Return the reason why other machines cannot install vmrender from the source; None if they can."""
    if isinstance(source, Unknown):
        return source.reason
    return f"vmrender was installed from {source.url}, on this machine" if is_local(source) else None


def _notes(source: InstallSource, system: CiSystem) -> tuple[str, ...]:
    """Return notes on limitations that result from the install source."""
    unreachable = _unreachable_reason(source)
    if unreachable is None:
        return ()
    which = "run the vmrender on the PATH" if isinstance(source, Unknown) else "work on this machine alone"
    left_out = f", and {_PIPELINES[system]} is not written" if system in _PIPELINES else ""
    return (f"{unreachable}: the hooks {which}{left_out}", f"  hint: {_NAME_IT}")


def _check_top(root: Path) -> None:
    """Raise ``UsageError`` below the top of a checkout: hooks and pipelines must be at the top."""
    if any(all(path_exists(folder / name) for name in _GIT_FOLDER) for folder in (root, *root.parents)):
        raise UsageError(
            "a project is started in a work tree, and this is inside a .git folder or a bare repository"
        )
    top = next((folder for folder in (root, *root.parents) if path_exists(folder / ".git")), root)
    if top != root:
        raise UsageError(f"a project starts at the top of its repository: cd {top}")


def _remote(root: Path, environment: Mapping[str, str]) -> str:
    """Return the address of the remote ``origin``, empty without one."""
    try:
        return GitProcess(root, environment).origin()
    except DiagnosticError:  # git is missing, or the folder is not in a repository
        return ""


def _ci_system_of(root: Path, remote: str) -> CiSystem:
    """Return the CI system by the name of the remote, or else by its files in the repository."""
    system = ci_system_of(remote)
    if system is CiSystem.NONE and path_exists(root / ".gitlab-ci.yml"):
        return CiSystem.GITLAB
    if system is CiSystem.NONE and path_exists(root / ".github"):
        return CiSystem.GITHUB
    return system


def _text_at(place: Path) -> str | None:
    """Return the text of a file; None if nothing exists, empty if it is not a file or cannot be read.

    ``_bytes_of`` returns the bytes of the file, also where they are not UTF-8.
    """
    if not os.path.lexists(place):
        return None
    try:
        return DiskFileSystem(place.parent).read(place.name).decode("utf-8", "surrogateescape")
    except DiagnosticError:
        return ""


def _bytes_of(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
