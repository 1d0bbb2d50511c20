"""Validate files: by the overlays that are built from them, and alone where no kustomization lists them."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from renderer.app.catalog_hints import with_catalog_hints
from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity, has_errors
from renderer.model.json import object_at
from renderer.model.release import Release
from renderer.model.render_config import ExpandMode, InstancetypeNames, Overlay, RenderConfig
from renderer.model.resource import Resource, ResourceSet
from renderer.pipeline import Pipeline
from renderer.pipeline.entry_points import find_overlays
from renderer.source.file_system import FileSystem
from renderer.source.kustomization_graph import KustomizationGraph
from renderer.source.lone_file import LoneFiles, is_generator, with_generator
from renderer.source.overlays import overlay_at
from renderer.source.validation_scope import ManifestFiles, ScopeFinder
from renderer.validation.kubevirt_kinds import ALL_GROUPS


class ValidatedProject:
    """``kubevirt`` overrules all targets."""

    def __init__(self, fs: FileSystem, config: RenderConfig, kubevirt: Release | None) -> None:
        self.fs = fs
        self.config = config
        self.kubevirt = kubevirt

    @cached_property
    def overlays(self) -> tuple[Overlay, ...]:
        return find_overlays(self.fs, self.config)

    @cached_property
    def candidates(self) -> ManifestFiles:
        outputs = [overlay.output for overlay in self.overlays]
        return ManifestFiles(self.fs, outputs, OWNERSHIP_FILE)

    @cached_property
    def reach(self) -> KustomizationGraph:
        return KustomizationGraph(self.fs)

    @cached_property
    def lone_files(self) -> LoneFiles:
        return LoneFiles(self.fs, self.pipeline.judged_groups if self.config.schemas else ALL_GROUPS)

    @cached_property
    def pipeline(self) -> Pipeline:
        return Pipeline(self.fs, self.config)

    def judged(
        self, overlay: Overlay, composed: Outcome[ResourceSet], pipeline: Pipeline | None = None
    ) -> tuple[Diagnostic, ...]:
        """All that is to be said of resources that are rendered as ``overlay`` says."""
        target = overlay.with_target(self.kubevirt, None)
        try:
            return (pipeline or self.pipeline).checked(target, composed).diagnostics
        except DiagnosticError as error:  # of a catalog, say; other overlays may still be looked at
            return error.diagnostics


def concerns(found: Diagnostic, files: Collection[str]) -> bool:
    """Whether one of the files may have caused it; so may any with an error that is not of one object."""
    if found.resource is None and found.severity is Severity.ERROR:
        return True
    sites = (*found.sites, *(site for related in found.related for site in related.sites))
    return any(site.path in files for site in sites) or (
        found.location is not None and found.location.path in files
    )


#: What is said of objects that another file may hold, which gets to the cluster by the same way.
_NOT_FOUND = frozenset(
    {Code.INSTANCETYPE_NOT_FOUND, Code.PREFERENCE_NOT_FOUND, Code.INFERENCE_FAILED, Code.REVISION_INVALID}
)
_HINT_AT_PATCHES = (
    "no kustomization lists this file, so it is judged by itself; a patch or a base has to be listed"
)
_INSTANCETYPE_GROUP = "instancetype.kubevirt.io"


class LoneValidation:
    """``judged`` are the files of which anything was to be judged so far."""

    def __init__(self, project: ValidatedProject) -> None:
        self._project = project
        self._read: dict[str, ResourceSet] = {}
        self.judged: list[str] = []

    def diagnostics(self, file: str) -> tuple[Diagnostic, ...]:
        try:
            resources = self._project.lone_files.read(file)
        except DiagnosticError as error:
            self.judged += [file] if has_errors(error.diagnostics) else []
            return error.diagnostics
        if not resources:
            return ()
        self.judged.append(file)
        if any(is_generator(resource) for resource in resources):
            return self._of_generator(file)
        found = self._project.judged(self._target(file), Outcome(resources))
        if any(each.code in _NOT_FOUND for each in found):
            together = ResourceSet((*resources, *self._others(file)))
            all_found = self._project.judged(self._target(file), Outcome(together))
            found = tuple(each for each in all_found if concerns(each, {file}))
        return tuple(_with_hint_at_patches(each, resources) for each in found)

    def _of_generator(self, file: str) -> tuple[Diagnostic, ...]:
        fs, folder = with_generator(self._project.fs, file)
        pipeline = Pipeline(fs, self._project.config)
        return self._project.judged(self._target(file), pipeline.compose(folder), pipeline)

    def _target(self, file: str) -> Overlay:
        """As the overlay in the folder of the file, else as the project is rendered by default."""
        overlay = overlay_at(self._project.config, self._project.overlays, posixpath.dirname(file) or ".")
        return overlay._replace(
            expand=ExpandMode.APPLIED, write_instancetypes=False, instancetype_names=InstancetypeNames.PLAIN
        )

    def _others(self, file: str) -> Iterator[Resource]:
        """What other files have to look up: all in the folder, and instance types wherever they are."""
        folder = posixpath.dirname(file)
        for path in self._of_nobody:
            if path != file and (posixpath.dirname(path) == folder or self._has_instancetypes(path)):
                yield from self._resources(path)

    @cached_property
    def _of_nobody(self) -> tuple[str, ...]:
        """All files of the project that no kustomization lists."""
        files = self._project.candidates.below(".")
        return tuple(file for file in files if not self._project.reach.listing(file))

    def _has_instancetypes(self, path: str) -> bool:
        return _INSTANCETYPE_GROUP in self._project.lone_files.mention(path)

    def _resources(self, path: str) -> ResourceSet:
        """What is in a file that was not asked for, which need not be right."""
        if path not in self._read:
            try:
                self._read[path] = self._project.lone_files.all_in(path)
            except DiagnosticError:
                self._read[path] = ResourceSet()
        return self._read[path]


def _with_hint_at_patches(found: Diagnostic, resources: ResourceSet) -> Diagnostic:
    """What lacks something may be a patch, or a base to complete, that was to be listed somewhere."""
    if found.code is not Code.SCHEMA or found.hint is not None or found.field is None:
        return found
    way = [segment for segment in found.field.segments if isinstance(segment, str)]
    if not way or len(way) < len(found.field.segments):
        return found
    own = (each for each in resources if each.current_id == found.resource)
    lacks_it = any(way[-1] not in object_at(each.content, *way[:-1]) for each in own)
    return replace(found, hint=_HINT_AT_PATCHES) if lacks_it else found


class ValidationResult(NamedTuple):
    """What was found, and what was looked at: overlays by path, and files that are judged alone."""

    diagnostics: tuple[Diagnostic, ...]
    overlays: tuple[str, ...]
    files: tuple[str, ...]


def validate(project: ValidatedProject, paths: Iterable[str]) -> ValidationResult:
    """What is to be said of the files at ``paths``, which are relative to the project, and in folders there.

    Raises ``DiagnosticError`` for a project whose overlays cannot be found.
    """
    files = tuple(dict.fromkeys(file for path in paths for file in _files(project, path)))
    scope = ScopeFinder(project.reach, project.candidates, project.config, project.overlays).scope_of(files)
    unlisted = [overlay for overlay in scope.unlisted if _is_of_interest(project, overlay.path)]
    lone = LoneValidation(project)
    found = (
        *(each for overlay in scope.overlays for each in _of_build(project, overlay, scope.files)),
        *(each for overlay in unlisted for each in _of_unlisted(project, overlay, scope.files)),
        *(each for folder in scope.parts for each in _of_part(project, folder)),
        *(each for file in scope.alone for each in lone.diagnostics(file)),
    )
    built = tuple(overlay.path for overlay in (*scope.overlays, *unlisted))
    hinted = tuple(with_catalog_hints(project.fs, found))
    return ValidationResult(hinted, built, tuple(lone.judged))


def _files(project: ValidatedProject, path: str) -> Iterator[str]:
    candidates = project.candidates
    if project.fs.is_folder(path):
        yield from candidates.below(path)
    elif candidates.is_candidate(path) and not candidates.is_rendered(posixpath.dirname(path) or "."):
        yield path


def _of_build(project: ValidatedProject, overlay: Overlay, files: frozenset[str]) -> Iterator[Diagnostic]:
    """What the build says of the files; all that it says when nothing can be built."""
    composed = project.pipeline.compose_overlay(overlay)
    found = composed.diagnostics if composed.failed else project.judged(overlay, composed)
    for each in found:
        if composed.failed or concerns(each, files):
            yield replace(each, overlays=(overlay.path,))


def _is_of_interest(project: ValidatedProject, folder: str) -> bool:
    """Whether KubeVirt has anything to do with what is built: most kustomizations are none of ours."""
    return any(project.lone_files.mention(file) for file in project.reach.files(folder))


def _of_unlisted(project: ValidatedProject, overlay: Overlay, files: frozenset[str]) -> Iterator[Diagnostic]:
    """As of an overlay, but that vmrender never renders it: that it cannot is no mistake."""
    for found in _of_build(project, overlay, files):
        yield _excused(found, overlay.path)


def _of_part(project: ValidatedProject, folder: str) -> Iterator[Diagnostic]:
    """What can be said of a kustomization that nothing is built from, such as a component without users."""
    if _is_of_interest(project, folder):
        for found in project.pipeline.read(folder):
            yield _excused(found, folder)


def _excused(found: Diagnostic, folder: str) -> Diagnostic:
    if found.code is not Code.UNSUPPORTED_FIELD:
        return found
    message = f"{found.message}: {folder} is not checked"
    return replace(found, code=Code.NOT_CHECKED, severity=Severity.WARNING, message=message)
