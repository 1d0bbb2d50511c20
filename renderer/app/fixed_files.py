"""Fixed files of one project or several: their findings, lines for people, a diff, and writing them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.app import migrated_files
from renderer.app.changed_projects import ChangedProject, change_projects
from renderer.app.fix import FixedProject, FixRequest, fix_project
from renderer.app.migrate import MigratedProject, migrate
from renderer.app.project import Project, ProjectOpener
from renderer.app.public_diff import public_diff
from renderer.app.several_projects import each_project, merge_findings, path_in_common_folder, project_folders
from renderer.app.tried_edits import edit_lines
from renderer.authoring.migration.migrate_file import Migrated, changed_contents
from renderer.files.file_system import EditedFiles, FileSystem
from renderer.findings.located import Located
from renderer.model.codes import Code
from renderer.model.diagnostic import Severity
from renderer.model.plural import plural
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.work import begin_findings

#: Findings that the migration answers; it compares all builds of a file.
_OF_MIGRATION = frozenset({Code.RUNNING_DEPRECATED})


class FixChoice(NamedTuple):
    """The overlays whose findings are fixed, the codes to fix, and another target release; empty for all."""

    overlays: tuple[str, ...] = ()
    codes: frozenset[Code] = frozenset()
    kubevirt: Release | None = None


class FixedFiles(NamedTuple):
    """The fixes of one project, then the migration of what they leave, and the new content of changed files.

    ``folder`` is the path of the project from the common folder of all projects of the run.
    """

    fixes: FixedProject
    migrated: tuple[Migrated, ...]
    contents: Mapping[str, bytes]
    folder: str = "."

    @property
    def project(self) -> Project:
        return self.fixes.project

    def path(self, path: str) -> str:
        """Return the path of a file from the common folder of all projects."""
        return path_in_common_folder(self.folder, path)


def fix_paths(
    open_project: ProjectOpener, paths: tuple[Path, ...], choice: FixChoice
) -> tuple[FixedFiles, ...]:
    """Fix files and folders of one or more projects; without paths, the project here.

    Nothing is written. Raises ``DiagnosticError``, and ``UsageError`` for an unknown overlay.
    """
    fixed: list[FixedFiles] = []
    for project, relative in each_project(open_project, paths):
        request = FixRequest(relative, choice.overlays, choice.codes, _OF_MIGRATION, choice.kubevirt)
        migrates = not choice.overlays and (not choice.codes or Code.DEPRECATED in choice.codes)
        fixes = fix_project(project, request if migrates else request._replace(others=frozenset()))
        after = EditedFiles(fixes.files, project.fs)
        to_migrate = MigratedProject(after, project.config, choice.kubevirt)
        migrated = migrate(to_migrate, relative) if migrates else ()
        contents = {**fixes.files, **changed_contents(migrated)}
        if any(file.changes for file in migrated):  # which may leave suppressions without a finding
            again = fix_project(
                project, request._replace(codes=frozenset({Code.UNUSED_SUPPRESSION})), contents
            )
            contents, fixes = dict(again.files), fixes._replace(fixed=(*fixes.fixed, *again.fixed))
        fixed.append(FixedFiles(fixes, migrated, contents))
    folders = project_folders([each.project for each in fixed])
    return tuple(each._replace(folder=folder) for each, folder in zip(fixed, folders, strict=True))


def write_files(projects: Sequence[FixedFiles]) -> None:
    """Write all changed files, or none. Raises ``DiagnosticError``."""
    change_projects(
        ChangedProject(
            each.project.root, each.contents, {path: each.project.fs.read(path) for path in each.contents}
        )
        for each in projects
    )


def findings(projects: Sequence[FixedFiles], *, check: bool) -> tuple[FileSystem, tuple[Located, ...]]:
    """Return the files, and a warning about each fix that was tried and not kept.

    With ``check``, also each finding that would be fixed, as an error.
    """
    return merge_findings([(each.project, tuple(_findings(each, check=check))) for each in projects])


def _findings(fixed: FixedFiles, *, check: bool) -> Iterator[Located]:
    for unfixed in fixed.fixes.unfixed:
        message = f"not fixed: {unfixed.finding.message}: {unfixed.reason}"
        yield unfixed.finding._replace(message=message, severity=Severity.WARNING, fix=None)
    if check:
        yield from (each._replace(severity=Severity.ERROR) for each in fixed.fixes.fixed)
    of_migration = migrated_files.MigratedFiles(fixed.project, fixed.migrated)
    yield from migrated_files.findings([of_migration], check=check)[1]


def diffs(projects: Sequence[FixedFiles]) -> Iterator[str]:
    """Yield a diff of each file; its context lines have no values of Secrets and no cloud-init data."""
    begin_findings()
    for project in projects:
        for path, content in project.contents.items():
            yield public_diff(project.path(path), project.project.fs.read(path), content)


def _fix_lines(project: FixedFiles, finding: Located) -> tuple[str, ...]:
    place = finding.location
    where = place._replace(path=project.path(place.path)) if place else project.path(PROJECT_FILE)
    return tuple(f"{where}: {finding.code}: {line}" for line in edit_lines(finding))


def notes(projects: Sequence[FixedFiles]) -> Iterator[str]:
    """Yield a line for each fix, with its place before it, and last the numbers of fixes and files."""
    from renderer.report.plain_text import printable  # noqa: PLC0415 - only when files are written

    fixes = files = left = 0
    for project in projects:
        applied = dict.fromkeys(_fix_lines(project, finding) for finding in project.fixes.fixed)
        for text in (line for lines in applied for line in lines):
            yield printable(text, len(text))
        of_migration = migrated_files.MigratedFiles(project.project, project.migrated, folder=project.folder)
        *lines, _ = migrated_files.notes([of_migration])
        yield from lines
        fixes += len(applied) + sum(len(file.changes) for file in project.migrated)
        files += len(project.contents)
        left += sum(
            each.severity is not Severity.INFO and each.code not in _OF_MIGRATION
            for each in project.fixes.left
        )
    yield f"{plural(fixes, 'fix')} in {plural(files, 'file')}"
    if left:
        yield f"{plural(left, 'finding')} left: vmrender validate shows them"
