"""Fixes and migrations of files of one project or several: findings, lines, a diff, and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.app.fix import FixedProject, FixRequest, fix_project
from renderer.app.migrate import MigratedProject, migrate
from renderer.app.migrate_templates import migrate_templates
from renderer.app.project import Project, ProjectOpener, chosen_overlays
from renderer.app.public_diff import public_diff
from renderer.app.several_projects import each_project, merge_findings, path_in_common_folder, project_folders
from renderer.app.target_remarks import remarks_on_project
from renderer.app.tried_edits import edit_lines
from renderer.authoring.migration.change import Subject
from renderer.authoring.migration.migrate_file import Migrated, changed_contents
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.files.file_system import EditedFiles, FileSystem
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.locator import Locator
from renderer.findings.run_findings import locate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Severity
from renderer.model.kube.location import Location
from renderer.model.plural import plural
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.model.run.work import WorkLimitError, begin_findings
from renderer.model.text_enum import TextEnum

#: Findings that the migration answers; it compares all builds of a file.
_OF_MIGRATION = frozenset({Code.RUNNING_DEPRECATED})


class MigrationTarget(TextEnum):
    """Another form that files are migrated to than the one that their release recommends."""

    VM_TEMPLATE = "vm-template"


class FixChoice(NamedTuple):
    """The overlays whose findings are fixed, the codes to fix, and another target release; empty for all."""

    overlays: tuple[str, ...] = ()
    codes: frozenset[Code] = frozenset()
    kubevirt: Release | None = None


class SourceEdits(NamedTuple):
    """The new content of files of a project, by the ``fixes`` in it if there are any, and by a migration.

    ``before`` is the content that they are based on. ``kubevirt`` overrides the target releases of the
    migration. ``folder`` is the path of the project from the common folder of all projects of the run.
    """

    project: Project
    contents: Mapping[str, bytes]
    before: Mapping[str, bytes]
    migrated: tuple[Migrated, ...] = ()
    fixes: FixedProject | None = None
    kubevirt: Release | None = None
    folder: str = "."

    def path(self, path: str) -> str:
        """Return the path of a file from the common folder of all projects."""
        return path_in_common_folder(self.folder, path)


def fix_paths(
    open_project: ProjectOpener, paths: tuple[Path, ...], choice: FixChoice
) -> tuple[SourceEdits, ...]:
    """Fix files and folders of projects, then migrate what that leaves; without paths, the project here.

    Nothing is written. Raises ``DiagnosticError``, and ``UsageError`` for an unknown overlay.
    """
    return _in_folders(_fixed(*each, choice) for each in each_project(open_project, paths))


def _fixed(project: Project, relative: tuple[str, ...], choice: FixChoice) -> SourceEdits:
    request = FixRequest(relative, choice.overlays, choice.codes, _OF_MIGRATION, choice.kubevirt)
    migrates = not choice.overlays and (not choice.codes or Code.DEPRECATED in choice.codes)
    fixes = fix_project(project, request if migrates else request._replace(others=frozenset()))
    after = EditedFiles(fixes.files, project.fs)
    to_migrate = MigratedProject(after, project.config, choice.kubevirt)
    migrated = migrate(to_migrate, relative) if migrates else ()
    contents = {**fixes.files, **changed_contents(migrated)}
    if any(file.changes for file in migrated):  # which may leave suppressions without a finding
        again = fix_project(project, request._replace(codes=frozenset({Code.UNUSED_SUPPRESSION})), contents)
        contents, fixes = dict(again.files), fixes._replace(fixed=(*fixes.fixed, *again.fixed))
    before = {path: fixes.project.fs.read(path) for path in contents}
    return SourceEdits(fixes.project, contents, before, migrated, fixes)


def migrate_paths(
    open_project: ProjectOpener,
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    target: MigrationTarget | None = None,
    overlays: tuple[str, ...] = (),
) -> tuple[SourceEdits, ...]:
    """Migrate files and folders of one or more projects; without paths, the project here.

    With ``overlays``, migrate what they are built from. Nothing is written. ``kubevirt`` overrides the target
    releases. Raises ``DiagnosticError``, and ``UsageError`` for an unknown overlay.
    """
    migrate_all = migrate if target is None else migrate_templates

    def migrated(project: Project, relative: tuple[str, ...]) -> SourceEdits:
        migrated_project = MigratedProject(project.fs, project.config, kubevirt)
        chosen = chosen_overlays(migrated_project.found, overlays) if overlays else ()
        files = migrate_all(migrated_project, migrated_project.files_of(chosen) if overlays else relative)
        before = {file.source.path: file.source.content for file in files if file.changes}
        return SourceEdits(project, changed_contents(files), before, files, kubevirt=kubevirt)

    return _in_folders(migrated(*each) for each in each_project(open_project, paths))


def _in_folders(edits: Iterable[SourceEdits]) -> tuple[SourceEdits, ...]:
    edits = tuple(edits)
    folders = project_folders([each.project for each in edits])
    return tuple(each._replace(folder=folder) for each, folder in zip(edits, folders, strict=True))


def write_files(projects: Sequence[SourceEdits]) -> None:
    """Write the files of all projects, or none. Raises ``DiagnosticError``.

    If a later project cannot be written, the files of the earlier ones get their old content back; what
    keeps that from happening is reported as well. A signal leaves each project as it was, or changed.
    """
    for each in projects:
        check_writable(each.project.root, each.contents)
    done: list[SourceEdits] = []
    try:
        for each in projects:
            change_files(each.project.root, each.contents, (), each.before)
            done.append(each)
    except (DiagnosticError, WorkLimitError) as error:
        found = error.diagnostics if isinstance(error, DiagnosticError) else (error.diagnostic,)
        raise DiagnosticError(*found, *_undo(done)) from error


def _undo(done: Sequence[SourceEdits]) -> tuple[Diagnostic, ...]:
    """Give the files their old content; return the errors about files that keep the new one."""
    failed: list[Diagnostic] = []
    for each in done:
        try:
            change_files(each.project.root, each.before, (), each.contents)
        except DiagnosticError as error:
            hint = f"the changes of {each.project.root.name} stay: bring its files back from Git"
            failed += (found._replace(hint=hint) for found in error.diagnostics)
    return tuple(failed)


def findings(projects: Sequence[SourceEdits], *, check: bool) -> tuple[FileSystem, tuple[Located, ...]]:
    """Return the files, and a warning about each fix that was not kept, and about what is not migrated.

    With ``check``, also each finding that would be fixed, and each change of the migration, as an error.
    """
    return merge_findings([(each.project, tuple(_findings(each, check=check))) for each in projects])


def _findings(edits: SourceEdits, *, check: bool) -> Iterator[Located]:
    project, fixes = edits.project, edits.fixes
    for unfixed in fixes.unfixed if fixes else ():
        message = f"not fixed: {unfixed.finding.message}: {unfixed.reason}"
        yield unfixed.finding._replace(message=message, severity=Severity.WARNING, fix=None)
    if fixes and check:
        yield from (each._replace(severity=Severity.ERROR) for each in fixes.fixed)
    about_files = with_levels(tuple(_about_migration(edits.migrated, check=check)), project.config.rules)
    yield from locate(project.fs, (*about_files, *remarks_on_project(project.config, edits.kubevirt)))


def _about_migration(files: Iterable[Migrated], *, check: bool) -> Iterator[Diagnostic]:
    for file in files:
        yield from file.warnings
        for site, change in file.changes if check else ():
            message, command = f"{change.before} is deprecated", "vmrender migrate"
            if change.subject is Subject.TEMPLATE:
                message = f"{change.before} is one of OpenShift, and can be one of KubeVirt"
                command = f"vmrender migrate --to {MigrationTarget.VM_TEMPLATE}"
            hint = f"{command} makes it {change.after}"
            yield Diagnostic.at(site, Code.DEPRECATED, message, hint, field=change.field)


def diffs(projects: Sequence[SourceEdits]) -> Iterator[str]:
    """Yield a diff of each file; its context lines have no values of Secrets and no cloud-init data."""
    begin_findings()
    for project in projects:
        for path, content in project.contents.items():
            yield public_diff(project.path(path), project.before[path], content)


def notes(projects: Iterable[SourceEdits]) -> Iterator[str]:
    """Yield a line for each edit, with its place before it, and last the numbers of edits and files."""
    from renderer.report.plain_text import printable  # noqa: PLC0415 - only when files are written

    edits, files, left, noun = 0, 0, 0, "change"
    for project in projects:
        fixed = dict.fromkeys(_fix_lines(project))
        lines = (*(line for each in fixed for line in each), *_change_lines(project))
        yield from (printable(line, len(line)) for line in lines)
        edits += len(fixed) + sum(len(file.changes) for file in project.migrated)
        files += len(project.contents)
        if project.fixes:
            noun, others = "fix", (each for each in project.fixes.left if each.code not in _OF_MIGRATION)
            left += sum(each.severity is not Severity.INFO for each in others)
    yield f"{plural(edits, noun)} in {plural(files, 'file')}"
    if left:
        yield f"{plural(left, 'finding')} left: vmrender validate shows them"


def _fix_lines(project: SourceEdits) -> Iterator[tuple[str, ...]]:
    """Yield the lines of each fix."""
    for finding in project.fixes.fixed if project.fixes else ():
        place = finding.location
        where = place._replace(path=project.path(place.path)) if place else project.path(PROJECT_FILE)
        yield tuple(f"{where}: {finding.code}: {line}" for line in edit_lines(finding))


def _change_lines(project: SourceEdits) -> Iterator[str]:
    """Yield a line for each change of the migration."""
    locator = Locator(project.project.fs)
    changes = [each for file in project.migrated for each in file.changes]
    located = [(locator.location_of((site,)) or Location(site.path), change) for site, change in changes]
    for location, change in sorted(located, key=lambda each: each[0]):
        place = location._replace(path=project.path(location.path))
        yield f"{place}: {change.before} -> {change.after}"
