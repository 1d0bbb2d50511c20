"""A folder of the repository that a command adds a manifest to."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from renderer.app.project import Project
from renderer.app.usage_error import UsageError
from renderer.authoring.sizes.add_manifest import ManifestPlace, add_manifest
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.emit.layout import object_file_name
from renderer.emit.output_folder import is_kept
from renderer.files.disk import file_exists
from renderer.files.file_system import EditedFiles, FilesAbove, present_content
from renderer.kustomize.reader.find_kustomization import find_kustomization
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Severity
from renderer.model.kube.json import JsonObject, text_at
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.pipeline import Pipeline
from renderer.project.project_root import path_as_written


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The folder ``path`` below the root of the project; it need not exist yet."""

    project: Project
    path: str

    @classmethod
    def locate(cls, project: Project, written: Path) -> SourceFolder:
        """Find the folder as it is written on the command line.

        Raises ``UsageError`` if sources do not belong there, and ``DiagnosticError``:
        output-invalid if the path leads through a symbolic link.
        """
        # Not resolved: a link is rejected wherever it leads, as a pull request may add one.
        path = path_as_written(project.root, written)
        if path is None:
            return cls(project, project.relative(written))
        if any(map(is_kept, path.split("/"))):
            raise UsageError(f"{written} is not a place for manifests")
        check_writable(project.root, (path,))
        place = project.root / path
        if any(map(file_exists, (place, *place.parents))):
            raise UsageError(f"{written} is not a folder")
        return cls(project, path)

    @property
    def exists(self) -> bool:
        """True if the folder has a kustomization, whether or not it can be read."""
        return not {*KUSTOMIZATION_FILES}.isdisjoint(self.project.fs.list(self.path))

    def add(self, manifest: JsonObject, *, force: bool) -> tuple[str, ...]:
        """Write the manifest and its entry in the kustomization, both or neither.

        Return a line about each file for the user. Raises ``DiagnosticError``.
        """
        place = self._manifest_place(object_file_name(text_at(manifest, "metadata", "name")))
        check_writable(self.project.root, (place.file, place.kustomization))
        changes = add_manifest(manifest, place, force=force)
        self._check_composition(changes)
        is_new = not self.exists
        before = {place.file: place.present, place.kustomization: place.listing}
        change_files(self.project.root, changes, (), before)
        lines = [f"{path}: written" for path in changes] or [f"{place.file}: unchanged"]
        if is_new and not self._is_used(changes):
            lines.append(
                f"{self.path} is new: list it under catalogs in vmrender.yaml,"
                " or under resources of an overlay"
            )
        return tuple(lines)

    def _manifest_place(self, name: str) -> ManifestPlace:
        fs = self.project.fs
        file = posixpath.normpath(posixpath.join(self.path, name))
        kustomization = self._kustomization()
        present, listing = present_content(fs, file), present_content(fs, kustomization)
        return ManifestPlace(file, present, kustomization, listing)

    def _kustomization(self) -> str:
        try:
            return find_kustomization(self.project.fs, self.path)
        except DiagnosticError as error:
            if any(found.code is not Code.KUSTOMIZATION_MISSING for found in error.diagnostics):
                raise
        return posixpath.normpath(posixpath.join(self.path, KUSTOMIZATION_FILES[0]))

    def _is_used(self, changes: Mapping[str, bytes]) -> bool:
        """Return True if a catalog or an overlay of the project leads to the folder once it is written."""
        fs = EditedFiles(changes, self.project.fs)
        graph = KustomizationGraph(fs)
        try:
            overlays = [each.path for each in self.project._replace(fs=fs).look_up_overlays().overlays]
        except DiagnosticError:  # commands that build overlays report it
            overlays = []
        catalogs = map(posixpath.normpath, self.project.config.catalog_folders())
        return self.path in graph.reached([*catalogs, *overlays])

    def _check_composition(self, changes: Mapping[str, bytes]) -> None:
        """Raise ``DiagnosticError`` for errors of the folder that the changes cause."""
        fs, config = self.project.fs, self.project.config
        before = Pipeline(fs, config).compose(self.path).diagnostics
        after = Pipeline(FilesAbove(changes, fs), config).compose(self.path).diagnostics
        new = [found for found in after if found not in before and found.severity is Severity.ERROR]
        if new:
            raise DiagnosticError(*new)
