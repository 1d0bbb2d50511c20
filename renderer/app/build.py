"""Build one folder, or expand files. Nothing is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import BinaryIO

from renderer.app.project import Project, chosen_overlay
from renderer.app.several_projects import group_by_project
from renderer.app.usage_error import UsageError
from renderer.files.disk import file_exists
from renderer.files.file_system import STANDARD_INPUT, FilesAbove, FileSystem, read_limited
from renderer.findings.located import Located
from renderer.findings.run_findings import FindingFilter, RunFindings
from renderer.findings.shared_targets import settled
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.model.diagnostic import Outcome
from renderer.model.kube.resource import ResourceSet
from renderer.model.record import Record
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode
from renderer.pipeline import Pipeline
from renderer.project.project_root import PROJECT_FILES, read_named_file

_STANDARD_INPUT = Path(STANDARD_INPUT)


class Built(Record):
    """The resources and the findings. ``resources`` is None if an error left nothing to print.

    ``overlays`` has the path of the overlay that was built.
    """

    resources: ResourceSet | None
    findings: tuple[Located, ...]
    overlays: tuple[str, ...] = ()


def build(  # noqa: PLR0913 - one for each option
    project: Project,
    path: Path,
    *,
    name: str = "",
    kubevirt: Release | None = None,
    expand: ExpandMode | None = None,
    restrictor: LoadRestrictor = LoadRestrictor.ROOT_ONLY,
    validate: bool = False,
    strict: bool = False,
) -> Built:
    """Build the overlay or catalog folder at ``path``; with ``name``, the overlay with that name or path.

    ``kubevirt`` and ``expand`` override the project. In the mode ``off``, nothing is checked unless
    ``validate`` is set. ``strict`` turns warnings into errors.

    Raises ``UsageError`` for a path outside the project, and for an unknown overlay.
    """
    from renderer.project.overlays import overlay_at  # noqa: PLC0415 - expand does not need it

    project = project.under(strict=strict)
    pipeline = Pipeline(project.fs, project.config, restrictor)
    found = pipeline.found
    if name:
        overlay = chosen_overlay(found, name)
    else:
        overlay = overlay_at(project.config, found.overlays, project.relative(path))
    overlay = overlay.with_target(kubevirt, expand)
    outcome = pipeline.build(overlay, validate=validate)
    own = tuple(settled(outcome.diagnostics, overlay, found.overlays, project.fs))
    outcome = Outcome(outcome.value, own)
    return _result(project.fs, outcome, (overlay.path,), strict=strict)


def expand_files(
    project: Project,
    documents: Mapping[str, bytes],
    *,
    kubevirt: Release | None = None,
    expand: ExpandMode | None = None,
    strict: bool = False,
) -> Built:
    """Expand the virtual machines in ``documents`` (content by name), and check all documents.

    Instance types and preferences are looked up in the documents, then in the project's catalogs.
    """
    fs = FilesAbove(documents, project.fs)
    config = project.under(strict=strict).config
    outcome = Pipeline(fs, config).expand(documents, kubevirt or config.kubevirt, expand or config.expand)
    return _result(fs, outcome, (), strict=strict)


def _result(
    fs: FileSystem, outcome: Outcome[ResourceSet], overlays: tuple[str, ...], *, strict: bool
) -> Built:
    findings = RunFindings(fs, FindingFilter(strict=strict))
    failed = findings.add(outcome.diagnostics, *overlays)
    return Built(None if failed else outcome.value, findings.found(), overlays)


def place_of_project(files: Iterable[Path]) -> Path:
    """Return a file of the one project that the files are in, else the first file; ``-`` is where we work.

    A folder or checkout without a project file has no settings of its own. Raises ``UsageError`` for files of
    several projects.
    """
    places = [Path.cwd() if file == _STANDARD_INPUT else file for file in files]
    groups = group_by_project(places)
    projects = [root for root in groups if any(file_exists(root / name) for name in PROJECT_FILES)]
    if len(projects) > 1:
        named = ", ".join(f"{groups[root][0]} is in {root}" for root in projects)
        raise UsageError(f"the files are in several projects, expand them one after another: {named}")
    return groups[projects[0]][0] if projects else places[0]


def read_documents(project: Project, files: Iterable[Path], standard_input: BinaryIO) -> Mapping[str, bytes]:
    """Return the content of the files, by their paths in the project, or absolute ones; ``-`` stays.

    Raises ``DiagnosticError``, also for a link out of the project of a file.
    """
    documents: dict[str, bytes] = {}
    for file in files:
        written = Path(os.path.abspath(file))  # noqa: PTH100 - Path.absolute() leaves .. in it
        if file == _STANDARD_INPUT:
            documents[STANDARD_INPUT] = read_limited(standard_input, STANDARD_INPUT)
        elif written.is_relative_to(project.root):
            name = written.relative_to(project.root).as_posix()
            documents[name] = project.fs.read(name)
        else:
            documents[str(written)] = read_named_file(written)
    return documents
