"""Migrated files of one project or several: their findings, lines for people, a diff, and writing them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from renderer.app.changed_projects import ChangedProject, change_projects
from renderer.app.migrate import MigratedProject, migrate
from renderer.app.migrate_templates import migrate_templates
from renderer.app.project import Project, ProjectOpener, chosen_overlays
from renderer.app.public_diff import public_diff
from renderer.app.several_projects import each_project, merge_findings, path_in_common_folder, project_folders
from renderer.app.target_remarks import remarks_on_project
from renderer.authoring.migration.change import Subject
from renderer.authoring.migration.migrate_file import Migrated, changed_contents
from renderer.files.file_system import FileSystem
from renderer.findings.levels import with_levels
from renderer.findings.located import Located
from renderer.findings.locator import Locator
from renderer.findings.run_findings import locate
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Location
from renderer.model.plural import plural
from renderer.model.release import Release
from renderer.model.text_enum import TextEnum


class MigrationTarget(TextEnum):
    """Another form that files are migrated to than the one that their release recommends."""

    VM_TEMPLATE = "vm-template"


class MigratedFiles(NamedTuple):
    """Files of one project; ``folder`` is its path from the common folder of all projects of the run.

    ``kubevirt`` overrides the target releases.
    """

    project: Project
    files: tuple[Migrated, ...]
    kubevirt: Release | None = None
    folder: str = "."

    def path(self, path: str) -> str:
        """Return the path of a file from the common folder of all projects."""
        return path_in_common_folder(self.folder, path)


def migrate_paths(
    open_project: ProjectOpener,
    paths: tuple[Path, ...],
    kubevirt: Release | None,
    target: MigrationTarget | None = None,
    overlays: tuple[str, ...] = (),
) -> tuple[MigratedFiles, ...]:
    """Migrate files and folders of one or more projects; without paths, the project here.

    With ``overlays``, migrate what they are built from. Nothing is written. ``kubevirt`` overrides the target
    releases. Raises ``DiagnosticError``, and ``UsageError`` for an unknown overlay.
    """
    migrate_all = migrate if target is None else migrate_templates
    migrated: list[MigratedFiles] = []
    for project, relative in each_project(open_project, paths):
        migrated_project = MigratedProject(project.fs, project.config, kubevirt)
        chosen = chosen_overlays(project.look_up_overlays(), overlays) if overlays else ()
        files = migrate_all(migrated_project, migrated_project.files_of(chosen) if overlays else relative)
        migrated.append(MigratedFiles(project, files, kubevirt))
    return tuple(
        each._replace(folder=folder)
        for each, folder in zip(migrated, project_folders([each.project for each in migrated]), strict=True)
    )


def write_files(projects: Sequence[MigratedFiles]) -> None:
    """Write all changed files, or none. Raises ``DiagnosticError``."""
    change_projects(
        ChangedProject(
            each.project.root,
            changed_contents(each.files),
            {file.source.path: file.source.content for file in each.files if file.changes},
        )
        for each in projects
    )


def findings(projects: Sequence[MigratedFiles], *, check: bool) -> tuple[FileSystem, tuple[Located, ...]]:
    """Return the files, and warnings about what stays; with ``check``, also an error for each change."""

    def located(each: MigratedFiles) -> tuple[Located, ...]:
        config = each.project.config
        about_files = with_levels(tuple(_findings(each.files, check=check)), config.rules)
        return locate(each.project.fs, (*about_files, *remarks_on_project(config, each.kubevirt)))

    return merge_findings([(each.project, located(each)) for each in projects])


def notes(projects: Iterable[MigratedFiles]) -> Iterator[str]:
    """Yield a line for each change, with its place before the migration, and last the number of changes."""
    from renderer.report.plain_text import printable  # noqa: PLC0415 - only when files are written

    changes = files = 0
    for project in projects:
        for line in _change_lines(project):
            yield printable(line, len(line))
        changes += sum(len(file.changes) for file in project.files)
        files += sum(bool(file.changes) for file in project.files)
    yield f"{plural(changes, 'change')} in {plural(files, 'file')}"


def diff(project: MigratedFiles) -> Iterator[str]:
    """Yield a diff of each file; its context lines have no values of Secrets and no cloud-init data."""
    for file in project.files:
        if file.changes:
            yield public_diff(project.path(file.source.path), file.source.content, file.content)


def _findings(files: Iterable[Migrated], *, check: bool) -> Iterator[Diagnostic]:
    for file in files:
        yield from file.warnings
        for site, change in file.changes if check else ():
            message, command = f"{change.before} is deprecated", "vmrender migrate"
            if change.subject is Subject.TEMPLATE:
                message = f"{change.before} is one of OpenShift, and can be one of KubeVirt"
                command = f"vmrender migrate --to {MigrationTarget.VM_TEMPLATE}"
            hint = f"{command} makes it {change.after}"
            yield Diagnostic.at(site, Code.DEPRECATED, message, hint, field=change.field)


def _change_lines(project: MigratedFiles) -> Iterator[str]:
    locator = Locator(project.project.fs)
    changes = [each for file in project.files for each in file.changes]
    located = [(locator.location_of((site,)) or Location(site.path), change) for site, change in changes]
    for location, change in sorted(located, key=lambda each: each[0]):
        place = location._replace(path=project.path(location.path))
        yield f"{place}: {change.before} -> {change.after}"
