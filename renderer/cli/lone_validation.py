"""Files that no kustomization reaches, each judged by itself."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from renderer.cli.validated_project import ValidatedProject, concerns
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, has_errors
from renderer.model.json import object_at
from renderer.model.render_config import ExpandMode, InstancetypeNames, Overlay
from renderer.model.resource import Resource
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.lone_file import is_generator, with_generator
from renderer.source.overlays import overlay_at

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
