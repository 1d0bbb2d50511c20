"""Files migrated as far as everything that is built from them stays the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from renderer.cli.migrated_project import MigratedProject, SourceFile
from renderer.migration.change import Subject
from renderer.migration.migrate_file import Migrated, Reason, changed, migrate_file
from renderer.migration.sameness import differing
from renderer.model.diagnostic import Outcome
from renderer.model.render_config import ExpandMode, Overlay
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.file_system import FilesAbove

#: What stays as it is, by file, and why.
Kept = Mapping[str, Mapping[Subject, Reason]]

#: What does not show in how virtual machines are expanded.
_NOT_APPLIED = frozenset({Subject.RUN_STRATEGY, Subject.MEDIATED_DEVICES})


def migrate(project: MigratedProject, paths: Iterable[str]) -> tuple[Migrated, ...]:
    """What becomes of the files at ``paths``, relative to the project. Raises ``DiagnosticError``."""
    return _Run(project, tuple(project.sources(paths))).settle()


class _Run:
    """Migrates all files, builds what they are part of before and after, and keeps what would change that."""

    def __init__(self, project: MigratedProject, files: Sequence[SourceFile]) -> None:
        self._project = project
        self._files = files
        self._before = Pipeline(project.fs, project.config)
        self._composed: dict[str, Outcome[ResourceSet]] = {}

    def settle(self) -> tuple[Migrated, ...]:
        kept: Kept = {}
        migrated = self._migrated(kept)
        refused = self._refused(migrated, kept)
        while refused:
            kept = _with(kept, refused)
            migrated = self._migrated(kept)
            refused = self._refused(migrated, kept)
        return migrated

    def _migrated(self, kept: Kept) -> tuple[Migrated, ...]:
        return tuple(migrate_file(file.source, kept.get(file.source.path, {})) for file in self._files)

    def _refused(self, migrated: Sequence[Migrated], kept: Kept) -> Kept:
        """What has to stay, further to what is kept, for the first build that would not be the same."""
        for build in self._builds:
            parts = [
                file for file in migrated if file.changes and file.source.path in self._parts[build.path]
            ]
            if not parts:
                continue
            if self._composed_before(build).failed:
                return _keep(parts, _cannot_build(build))
            differences = self._differences(build, migrated)
            if differences:
                return self._narrowed(build, _suspects(parts, differences), differences[0], kept)
        return {}

    def _narrowed(self, build: Overlay, suspects: Sequence[Migrated], culprit: Resource, kept: Kept) -> Kept:
        """Only one subject, where the build is the same without that; all of them otherwise."""
        reason = _would_change(build, culprit)
        every = _keep(suspects, reason)
        for subject in sorted({subject for file in suspects for subject in file.subjects}, key=_order):
            only = {path: {subject: reason} for path in every}
            if not self._differences(build, self._migrated(_with(kept, only))):
                return only
        return every

    def _differences(self, build: Overlay, migrated: Sequence[Migrated]) -> tuple[Resource, ...]:
        """The resources of the build that are not what they were, now that files are migrated."""
        before = self._composed_before(build).value
        after = Pipeline(FilesAbove(changed(migrated), self._project.fs), self._project.config)
        composed = after.compose(build.path)
        if composed.failed:
            return tuple(before)
        subjects = {subject for file in migrated for subject in file.subjects}
        found = differing(before, composed.value)
        return found if found or subjects <= _NOT_APPLIED else self._expanded_differences(build, after)

    def _expanded_differences(self, build: Overlay, after: Pipeline) -> tuple[Resource, ...]:
        """As far as the build succeeds: what is wrong with it already is no matter of migration."""
        applied = build.with_target(None, ExpandMode.APPLIED)
        old = self._before.build(applied)
        if old.failed:
            return ()
        new = after.build(applied)
        return tuple(old.value) if new.failed else differing(old.value, new.value)

    def _composed_before(self, build: Overlay) -> Outcome[ResourceSet]:
        if build.path not in self._composed:
            self._composed[build.path] = self._before.compose(build.path)
        return self._composed[build.path]

    @cached_property
    def _builds(self) -> tuple[Overlay, ...]:
        return tuple({build.path: build for file in self._files for build in file.builds}.values())

    @cached_property
    def _parts(self) -> Mapping[str, frozenset[str]]:
        """The files that each build has, by its path."""
        return {
            build.path: frozenset(
                file.source.path
                for file in self._files
                if any(other.path == build.path for other in file.builds)
            )
            for build in self._builds
        }


def _suspects(parts: Sequence[Migrated], differences: Iterable[Resource]) -> Sequence[Migrated]:
    """The files that had a hand in what differs; all of them if it is none of these."""
    paths = {site.path for resource in differences for site in (resource.origin, *resource.layers)}
    return [file for file in parts if file.source.path in paths] or parts


def _keep(files: Iterable[Migrated], reason: Reason) -> Kept:
    return {file.source.path: dict.fromkeys(file.subjects, reason) for file in files}


def _with(kept: Kept, more: Kept) -> Kept:
    return {path: {**more.get(path, {}), **kept.get(path, {})} for path in {**kept, **more}}


def _cannot_build(build: Overlay) -> Reason:
    return Reason(
        f"{build.path} cannot be built, so that nothing shows whether it would stay the same",
        f"make vmrender build {build.path} work, and migrate again",
    )


def _would_change(build: Overlay, culprit: Resource) -> Reason:
    return Reason(
        f"{culprit.kind} {culprit.name} in {build.path} would not stay the same",
        "see what else has a part in it: other files and patches, or what they cannot be rewritten for",
    )


def _order(subject: Subject) -> int:
    return subject.value
