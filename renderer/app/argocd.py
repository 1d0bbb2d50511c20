"""The source of an Argo CD application: the working directory, in a copy of its repository."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from renderer.cli.application_parameters import ApplicationParameters
from renderer.cli.repository import Repository
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.render_config import Overlay, OverlayEntry
from renderer.pipeline.entry_points import find_overlays
from renderer.source.file_system import is_inside
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.overlays import select_overlays

_SOURCE_PATH = "ARGOCD_APP_SOURCE_PATH"


@dataclass(frozen=True)
class ApplicationSource:
    """``folder`` is the application's ``spec.source.path``, below the root of ``repository``."""

    repository: Repository
    folder: str

    @classmethod
    def here(cls, environment: Mapping[str, str]) -> ApplicationSource:
        """Raises ``DiagnosticError`` for a ``vmrender.yaml`` that cannot be used."""
        here = Path.cwd()
        repository = Repository.containing(here, _top(here, environment.get(_SOURCE_PATH, "")))
        return cls(repository, repository.relative(here))

    @cached_property
    def overlays(self) -> tuple[Overlay, ...]:
        """All of the project. Raises ``DiagnosticError``."""
        return find_overlays(self.repository.fs, self.repository.config)

    def overlay(self, parameters: ApplicationParameters) -> Overlay:
        """What is to be rendered. Raises ``DiagnosticError`` for an overlay that is not there."""
        overlay = self._chosen(parameters.overlay).with_target(parameters.kubevirt, parameters.expand)
        write = parameters.write_instancetypes
        return overlay if write is None else overlay._replace(write_instancetypes=write)

    def _chosen(self, name: str | None) -> Overlay:
        if name:
            return select_overlays(self.overlays, [name])[0]
        listed = next((overlay for overlay in self.overlays if overlay.path == self.folder), None)
        if listed is None:
            self._check_is_one()
        entry = OverlayEntry(self.folder)
        return listed or self.repository.config.overlay(entry, self.folder, posixpath.basename(self.folder))

    def _check_is_one(self) -> None:
        """Raises ``DiagnosticError`` for a folder that is no overlay, but has some below it."""
        below = [overlay.name for overlay in self.overlays if is_inside(overlay.path, self.folder)]
        if below and not any(
            self.repository.fs.is_file(f"{self.folder}/{name}") for name in KUSTOMIZATION_FILES
        ):
            finding = Diagnostic(
                code=Code.KUSTOMIZATION_MISSING,
                message=f"no kustomization in {self.folder}",
                hint=f"set the application's parameter overlay to one of {', '.join(below)}",
            )
            raise DiagnosticError(finding)


def _top(here: Path, source_path: str) -> Path | None:
    """The top of the copy, which has no ``.git``: the folder that the application's path begins in."""
    parts = Path(source_path).parts
    return here.parents[len(parts) - 1] if parts and here.parts[-len(parts) :] == parts else None
