"""A project that is validated: what its parts are found with, each made when it is first needed."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Severity
from renderer.model.release import Release
from renderer.model.render_config import Overlay, RenderConfig
from renderer.model.resource_set import ResourceSet
from renderer.pipeline import Pipeline
from renderer.source.candidates import Candidates
from renderer.source.file_system import FileSystem
from renderer.source.lone_file import LoneFiles
from renderer.source.overlays import find_overlays
from renderer.source.reach import Reach
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
    def candidates(self) -> Candidates:
        outputs = [overlay.output for overlay in self.overlays]
        return Candidates(self.fs, outputs, OWNERSHIP_FILE)

    @cached_property
    def reach(self) -> Reach:
        return Reach(self.fs)

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
