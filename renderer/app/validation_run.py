"""What the validation of a project looks at, and the check of what was composed."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from renderer.app.output_checks import file_errors
from renderer.app.project import Project
from renderer.app.project_views import ProjectViews
from renderer.checks.schemas.kubevirt_kinds import CHECKED_GROUPS
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Outcome, Severity
from renderer.model.kube.resource import ResourceSet
from renderer.model.release import Release
from renderer.model.render_config import Overlay
from renderer.pipeline import Pipeline
from renderer.project.lone_file import LoneFiles


class ValidationRun(ProjectViews):
    """The views of a project that a validation needs."""

    def __init__(self, project: Project, kubevirt: Release | None) -> None:
        super().__init__(project.fs, project.config, kubevirt)
        self.project = project
        self.root = project.root
        #: The overlays that could not be built.
        self.unbuilt: set[str] = set()

    @cached_property
    def lone_files(self) -> LoneFiles:
        return LoneFiles(self.fs, self.pipeline.validated_groups if self.config.schemas else CHECKED_GROUPS)

    def check(
        self, overlay: Overlay, composed: Outcome[ResourceSet], pipeline: Pipeline | None = None
    ) -> tuple[Diagnostic, ...]:
        """Return all findings about composed resources if they are rendered as ``overlay`` says."""
        return (pipeline or self.pipeline).check_composed(self._target(overlay), composed).diagnostics

    def check_tree(self, overlay: Overlay, composed: Outcome[ResourceSet]) -> tuple[Diagnostic, ...]:
        """Return all findings about an overlay, and the errors that writing its tree would have."""
        checked = self.pipeline.check_composed(self._target(overlay), composed)
        return (
            checked.diagnostics
            if checked.failed
            else (*checked.diagnostics, *file_errors(overlay, checked.value))
        )

    def _target(self, overlay: Overlay) -> Overlay:
        return overlay.with_target(self.kubevirt, None)


def may_be_caused_by(found: Diagnostic, files: Collection[str]) -> bool:
    """Return True if ``files`` may have caused the finding.

    Any file may cause an error without an object, and the target release is the target of every file.
    """
    if found.resource is None and (found.severity is Severity.ERROR or found.code is Code.UNRELEASED):
        return True
    sites = (*found.sites, *(site for related in found.related for site in related.sites))
    return any(site.path in files for site in sites) or (
        found.location is not None and found.location.path in files
    )
