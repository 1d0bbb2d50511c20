"""Files of several projects, as in a monorepo: open and report them together."""

from __future__ import annotations

import gc
import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from renderer.app.project import Project, ProjectOpener, project_files
from renderer.files.file_system import FileSystem
from renderer.findings.located import Located
from renderer.findings.run_findings import RunFindings
from renderer.model.kube.sharing import forget_shared
from renderer.project.project_root import find_project_root
from renderer.report.paths import below

#: The path of a whole project.
WHOLE_PROJECT = "."


def group_by_project(paths: Iterable[Path]) -> Mapping[Path, Sequence[Path]]:
    """Group paths by the root of their project, in order of appearance."""
    groups: dict[Path, list[Path]] = {}
    for path in paths:
        groups.setdefault(find_project_root(path), []).append(path)
    return groups


def each_project(
    open_project: ProjectOpener, paths: Sequence[Path]
) -> Iterator[tuple[Project, tuple[str, ...]]]:
    """Yield the projects of ``paths``, each with its paths in it; without paths, the project here.

    What the work on a project leaves behind is dropped before the next one is opened. Raises
    ``DiagnosticError``.
    """
    for number, group in enumerate(group_by_project(paths or (Path.cwd(),)).values()):
        if number:
            forget_shared()
            gc.collect(0)  # a pipeline is in cycles with its stages; what is older is not searched again
        project = open_project(group[0])
        yield project, tuple(project.relative(path) for path in group) if paths else (WHOLE_PROJECT,)


def merge_findings(
    found: Sequence[tuple[Project, tuple[Located, ...]]],
) -> tuple[FileSystem, tuple[Located, ...]]:
    """Merge the findings of projects. Return the file system of the findings, and the findings.

    If there are several projects, paths are relative to their common folder.
    """
    if len(found) == 1:
        project, findings = found[0]
        return project.fs, findings
    fs = project_files(_common_folder([project for project, _ in found]), found[0][0].environment)
    merged = RunFindings(fs)
    for (_, findings), folder in zip(found, project_folders([each for each, _ in found]), strict=True):
        moved = [
            each._replace(overlays=tuple(path_in_common_folder(folder, overlay) for overlay in each.overlays))
            for each in findings
        ]
        merged.add_located(moved if folder == "." else [below(folder, each) for each in moved])
    return fs, merged.found()


def project_folders(projects: Sequence[Project]) -> tuple[str, ...]:
    """Return the path of each project, relative to their common folder."""
    top = _common_folder(projects)
    return tuple(project.root.relative_to(top).as_posix() for project in projects)


def path_in_common_folder(folder: str, path: str) -> str:
    """Return ``path`` in the project at ``folder`` as a path relative to the common folder."""
    return posixpath.normpath(posixpath.join(folder, path))


def _common_folder(projects: Iterable[Project]) -> Path:
    return Path(os.path.commonpath([project.root for project in projects]))
