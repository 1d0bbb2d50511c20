"""Rewrite deprecated fields in the files of a project, if every build result stays the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import PurePosixPath
from shlex import quote
from typing import TypeAlias

from renderer.app.project_views import ProjectViews
from renderer.app.public_diff import note_secrets
from renderer.authoring.migration.change import Subject
from renderer.authoring.migration.migrate_file import (
    Migrated,
    MigrationSource,
    Reason,
    changed_contents,
    migrate_file,
)
from renderer.authoring.migration.rules import MENTIONS, resources_with_changed_meaning
from renderer.authoring.migration.sources import (
    LocatedFinding,
    kustomization_findings,
    resource_file_findings,
)
from renderer.files.file_system import FilesAbove, folder_of
from renderer.kustomize.reader.kustomization_graph import patched_kinds
from renderer.model.diagnostic import DiagnosticError, Outcome
from renderer.model.engines import CHART
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.kustomization import is_kustomization_file
from renderer.model.render_config import PROJECT_FILE, ExpandMode, Overlay
from renderer.pipeline import Pipeline
from renderer.project.lone_file import as_ascii

#: A text in every KubeVirt object. JSON 6902 patches lack it, but a kustomization lists them.
_GROUP = b"kubevirt.io"
#: The tags that Helm, Jinja and others fill in. Until then, a file is often not valid YAML.
_TEMPLATE_TAG = re.compile(rb"\{\{|\{%")
#: The subjects that are not migrated, by file, with the reason for each.
Kept: TypeAlias = Mapping[str, Mapping[Subject, Reason]]
_ALL = frozenset(Subject)
#: The subjects whose effect is visible only in expanded virtual machines.
_APPLIED = frozenset({Subject.API_VERSION, Subject.TOPOLOGY, Subject.SPREAD_RATIO, Subject.FIRMWARE})
#: The subjects that may change a virtual machine that sets its own boot loader.
_FIRMWARE = frozenset({Subject.FIRMWARE})
_Comparison: TypeAlias = Callable[[Overlay, Sequence[Migrated]], tuple[Resource, ...]]


@dataclass(frozen=True, slots=True)
class DeprecatedFile:
    """A file with deprecated fields; ``builds`` are the overlays that use it."""

    source: MigrationSource
    builds: tuple[Overlay, ...]


class MigratedProject(ProjectViews):
    """A project whose files are migrated."""

    def sources(self, paths: Iterable[str]) -> Iterator[DeprecatedFile]:
        """Yield the files at ``paths``, and in folders among them, that hold deprecated fields.

        Raises ``DiagnosticError`` if a file cannot be read, unless it is a template of another tool.
        """
        for file in dict.fromkeys(file for path in paths for file in self.files(path)):
            content = self.fs.read(file)
            text = as_ascii(content)
            if not MENTIONS.search(text) or not (
                self.graph.folders_listing(file) or self.may_have_objects(file, text)
            ):
                continue
            found = tuple(self._findings_in(file, content))
            if found:
                yield self.deprecated_file(file, content, found)

    def may_have_objects(self, file: str, content: bytes) -> bool:
        """Return True if a file that no kustomization lists may hold objects and is not in a Helm chart."""
        return _GROUP in content and not any(
            parent.name == "templates" and self.fs.is_file((parent.parent / CHART).as_posix())
            for parent in PurePosixPath(file).parents
        )

    def files(self, path: str) -> Iterator[str]:
        """Yield the files at a path. Links are followed, as nothing is written through them."""
        if self.fs.is_folder(path):
            yield from map(self.fs.resolve, self.manifests.below(path))
        elif not (self.manifests.is_excluded(path) or self.manifests.is_rendered(folder_of(path))):
            yield self.fs.resolve(path)

    def _findings_in(self, file: str, content: bytes) -> Iterator[LocatedFinding]:
        try:
            if is_kustomization_file(file):
                yield from kustomization_findings(content, file)
            elif file != PROJECT_FILE:
                links = [(folder, self.graph.links(folder)) for folder in self.graph.folders_listing(file)]
                kinds = patched_kinds(self.fs, file, [(folder, link.file) for folder, link in links if link])
                yield from resource_file_findings(content, file, kinds)
        except DiagnosticError:
            if not _TEMPLATE_TAG.search(content):
                raise

    def deprecated_file(self, file: str, content: bytes, found: tuple[LocatedFinding, ...]) -> DeprecatedFile:
        """Return a file with the builds that use it, and their releases."""
        scope = self.scopes.scope_of([file])
        overlays = (each for each in scope.overlays if self.config.cluster in ("", each.cluster))
        builds = tuple(build.with_target(self.kubevirt, None) for build in (*overlays, *scope.unlisted))
        releases = {build.kubevirt: build.path for build in reversed(builds)}
        if not releases:
            releases = {self.kubevirt or self.config.kubevirt: "the project"}
        oldest = releases[min(releases)]
        return DeprecatedFile(MigrationSource(file, content, found, frozenset(releases), oldest), builds)

    def files_of(self, overlays: Iterable[Overlay]) -> tuple[str, ...]:
        """Return the files that the overlays are built from."""
        return tuple(sorted({file for overlay in overlays for file in self.overlay_files.of(overlay)}))

    @cached_property
    def overlays(self) -> tuple[Overlay, ...]:
        """All overlays. Raises ``DiagnosticError`` if not all can be found."""
        return self.found.all_overlays()


def migrate(project: MigratedProject, paths: Iterable[str]) -> tuple[Migrated, ...]:
    """Migrate the files at ``paths``, relative to the project, in memory. Raises ``DiagnosticError``."""
    return _Migration(project, tuple(project.sources(paths))).run()


def _once_for_each_path(
    function: Callable[[Overlay], Outcome[ResourceSet]],
) -> Callable[[Overlay], Outcome[ResourceSet]]:
    """Return the function with its results cached by the path of the overlay."""
    known: dict[str, Outcome[ResourceSet]] = {}

    def known_or_new(overlay: Overlay) -> Outcome[ResourceSet]:
        if overlay.path not in known:
            known[overlay.path] = function(overlay)
        return known[overlay.path]

    return known_or_new


class _Migration:
    """Migrates all files, compares the builds before and after, and reverts changes that alter a build."""

    def __init__(self, project: MigratedProject, files: Sequence[DeprecatedFile]) -> None:
        before = project.pipeline

        def composed(build: Overlay) -> Outcome[ResourceSet]:
            found = before.compose_overlay(build)
            note_secrets(found.value)
            return found

        self._project = project
        self._after: tuple[Mapping[str, bytes], Pipeline] = {}, before
        self._files = files
        #: What stays of each file, and the file so migrated, as it was last; by path.
        self._last: dict[str, tuple[Mapping[Subject, Reason], Migrated]] = {}
        #: The migrated files with which a build stayed the same, by the path of the build.
        self._proved: dict[str, tuple[Migrated, ...]] = {}
        self._composed = _once_for_each_path(composed)
        self._applied = _once_for_each_path(
            lambda build: before.build(build.with_target(None, ExpandMode.APPLIED))
        )

    def run(self) -> tuple[Migrated, ...]:
        kept: Kept = {}
        migrated = self._migrate_all(kept)
        refused = self._changes_to_revert(migrated, kept)
        while refused:
            kept = _merge_kept(kept, refused)
            migrated = self._migrate_all(kept)
            refused = self._changes_to_revert(migrated, kept)
        for build in self._builds:  # also those whose files stay: warnings quote their lines
            self._composed(build)
        return migrated

    def _migrate_all(self, kept: Kept) -> tuple[Migrated, ...]:
        return tuple(self._migrated(file, kept.get(file.source.path, {})) for file in self._files)

    def _migrated(self, file: DeprecatedFile, blocked: Mapping[Subject, Reason]) -> Migrated:
        """Return a file migrated, once for the same ``blocked`` subjects: most rounds change few files."""
        known = self._last.get(file.source.path)
        if known is None or known[0] != blocked:
            known = self._last[file.source.path] = blocked, migrate_file(file.source, blocked)
        return known[1]

    def _changes_to_revert(self, migrated: Sequence[Migrated], kept: Kept) -> Kept:
        """Return further changes to revert, so that the first differing build stays the same."""
        for build in self._builds:
            of_build = tuple(migrated[number] for number in self._files_by_build[build.path])
            if self._proved.get(build.path) == of_build:
                continue
            parts = [file for file in of_build if file.changes]
            if parts and self._composed(build).failed:
                return _keep_all(parts, _ALL, cannot_build(build))
            unseen = [file for file in parts if Subject.FIRMWARE in file.subjects]
            if unseen and self._applied(build).failed:
                return _keep_all(unseen, _FIRMWARE, cannot_build(build))
            for differences_of, subjects in (
                (self._changed_resources, _ALL),
                (self._changed_machines, _APPLIED),
            ):
                concerned = [file for file in parts if file.subjects & subjects]
                found = differences_of(build, migrated) if concerned else ()
                if found:
                    reason = _would_change(build, found[0], subjects)
                    helps = partial(self._is_unchanged_if_kept, build, differences_of, found[0], kept)
                    sources = {site.path for site in (found[0].origin, *found[0].layers)}
                    files: Sequence[Migrated] = [each for each in concerned if each.source.path in sources]
                    files = files or _bisect(concerned, subjects, reason, helps)
                    return _narrow(_keep_all(files, subjects, reason), helps)
            self._proved[build.path] = of_build
        return {}

    def _is_unchanged_if_kept(
        self, build: Overlay, differences_of: _Comparison, culprit: Resource, kept: Kept, more: Kept
    ) -> bool:
        """Return True if keeping ``more`` unmigrated as well leaves the culprit unchanged."""
        found = differences_of(build, self._migrate_all(_merge_kept(kept, more)))
        return not any(each is culprit for each in found)

    def _changed_resources(self, build: Overlay, migrated: Sequence[Migrated]) -> tuple[Resource, ...]:
        """Return the resources of the build that differ after the migration."""
        return _differing_resources(self._composed(build), self._pipeline(migrated).compose_overlay(build))

    def _changed_machines(self, build: Overlay, migrated: Sequence[Migrated]) -> tuple[Resource, ...]:
        """Return the virtual machines that would be expanded differently; none if the build fails."""
        before = self._applied(build)
        if before.failed:
            return ()
        after = self._pipeline(migrated).build(build.with_target(None, ExpandMode.APPLIED))
        return tuple(each for each in _differing_resources(before, after) if each.kind == "VirtualMachine")

    def _pipeline(self, migrated: Sequence[Migrated]) -> Pipeline:
        """Return a pipeline that reads the migrated files; the previous one if they are unchanged."""
        files = changed_contents(migrated)
        if self._after[0] != files:
            project = self._project
            self._after = files, Pipeline(FilesAbove(files, project.fs), project.config)
        return self._after[1]

    @cached_property
    def _builds(self) -> tuple[Overlay, ...]:
        return tuple({build.path: build for file in self._files for build in file.builds}.values())

    @cached_property
    def _files_by_build(self) -> Mapping[str, Sequence[int]]:
        """The numbers of the files of each build, by the path of the build."""
        found: dict[str, list[int]] = {build.path: [] for build in self._builds}
        for number, file in enumerate(self._files):
            for path in {build.path for build in file.builds}:
                found[path].append(number)
        return found


def _differing_resources(before: Outcome[ResourceSet], after: Outcome[ResourceSet]) -> tuple[Resource, ...]:
    if not after.failed:
        return resources_with_changed_meaning(before.value, after.value)
    failing = {found.resource for found in after.diagnostics}
    return tuple(each for each in before.value if each.current_id in failing) or tuple(before.value)


def _bisect(
    files: Sequence[Migrated], subjects: frozenset[Subject], reason: Reason, helps: Callable[[Kept], bool]
) -> Sequence[Migrated]:
    """Return as few files as possible that help if they are kept unmigrated, found by bisection."""
    while len(files) > 1:
        middle = len(files) // 2
        halves = (files[:middle], files[middle:])
        half = next((each for each in halves if helps(_keep_all(each, subjects, reason))), None)
        if half is None:
            break
        files = half
    return files


def _narrow(suspects: Kept, helps: Callable[[Kept], bool]) -> Kept:
    """Return a single subject of the suspects if keeping it alone helps, else all of them."""
    subjects_of_all = {each for subjects in suspects.values() for each in subjects}
    for subject in sorted(subjects_of_all, key=lambda subject: subject.value):
        only = {
            path: {subject: subjects[subject]} for path, subjects in suspects.items() if subject in subjects
        }
        if helps(only):
            return only
    return suspects


def _keep_all(files: Iterable[Migrated], subjects: frozenset[Subject], reason: Reason) -> Kept:
    return {file.source.path: dict.fromkeys(file.subjects & subjects, reason) for file in files}


def _merge_kept(kept: Kept, more: Kept) -> Kept:
    return {path: {**more.get(path, {}), **kept.get(path, {})} for path in {**kept, **more}}


def cannot_build(build: Overlay) -> Reason:
    """Return why a file stays that a broken build uses."""
    return Reason(
        f"{build.path} cannot be built, so that nothing shows whether it would stay the same",
        f"make vmrender build {quote(build.path)} work, and migrate again",
    )


def _would_change(build: Overlay, culprit: Resource, subjects: frozenset[Subject]) -> Reason:
    hint = "also migrate the other files that it is built from, or rewrite them by hand"
    if subjects == _APPLIED:
        hint = "let it set by itself what the preference gives it now, and migrate again"
    return Reason(f"{culprit.kind} {culprit.name} in {build.path} would not stay the same", hint)
