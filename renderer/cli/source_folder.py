"""A folder of the repository that a command adds a manifest to."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from renderer.cli.repository import Repository
from renderer.emit.edit_user_files import change_files, check_writable
from renderer.emit.layout import object_file_name
from renderer.emit.output_folder import KEPT_NAMES
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError, Severity
from renderer.model.json import JsonObject, text_at
from renderer.pipeline import Pipeline
from renderer.sizes.placement import ManifestPlace, placed
from renderer.source.file_system import FilesAbove
from renderer.source.find_kustomization import KUSTOMIZATION_FILES, find_kustomization


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The folder ``path`` below the root of the repository; it need not be there yet."""

    repository: Repository
    path: str

    @classmethod
    def locate(cls, repository: Repository, written: Path) -> SourceFolder:
        """The folder as it is written on the command line.

        Raises ``click.UsageError`` for a place where no sources belong, and ``DiagnosticError``:
        output-invalid for one that is reached through a symbolic link.
        """
        # Not resolved: a link is refused wherever it leads, as a pull request may bring one.
        path = Path(os.path.normpath(Path.cwd() / written))
        if not path.is_relative_to(repository.root):
            return cls(repository, repository.relative(written))
        relative = path.relative_to(repository.root)
        check_writable(repository.root, (relative.as_posix(),))
        if any(part.lower() in KEPT_NAMES for part in relative.parts):
            raise click.UsageError(f"{written} is no place for manifests")
        if any(part.is_file() for part in (path, *path.parents)):
            raise click.UsageError(f"{written} is no folder")
        return cls(repository, relative.as_posix())

    def add(self, manifest: JsonObject, *, force: bool) -> None:
        """Writes the manifest and its entry, all or nothing, and says so. Raises ``DiagnosticError``."""
        place = self._place(object_file_name(text_at(manifest, "metadata", "name")))
        check_writable(self.repository.root, (place.file, place.kustomization))
        changes = placed(manifest, place, force=force)
        self._check(changes)
        is_new = not self.repository.fs.is_folder(self.path)
        change_files(self.repository.root, changes, ())
        for path in changes:
            click.echo(f"{path}: written", err=True)
        if not changes:
            click.echo(f"{place.file}: unchanged", err=True)
        if is_new:
            click.echo(
                f"{self.path} is new: list it under catalogs in vmrender.yaml,"
                " or under resources of an overlay",
                err=True,
            )

    def _place(self, name: str) -> ManifestPlace:
        fs = self.repository.fs
        file = posixpath.normpath(posixpath.join(self.path, name))
        kustomization = self._kustomization()
        return ManifestPlace(
            file,
            fs.read(file) if fs.is_file(file) else None,
            kustomization,
            fs.read(kustomization) if fs.is_file(kustomization) else None,
        )

    def _kustomization(self) -> str:
        try:
            return find_kustomization(self.repository.fs, self.path)
        except DiagnosticError as error:
            if any(found.code is not Code.KUSTOMIZATION_MISSING for found in error.diagnostics):
                raise
        return posixpath.normpath(posixpath.join(self.path, KUSTOMIZATION_FILES[0]))

    def _check(self, changes: Mapping[str, bytes]) -> None:
        """Raises ``DiagnosticError`` with what is wrong with the folder because of the changes."""
        fs, config = self.repository.fs, self.repository.config
        before = set(Pipeline(fs, config).compose(self.path).diagnostics)
        after = Pipeline(FilesAbove(changes, fs), config).compose(self.path).diagnostics
        new = [found for found in after if found not in before and found.severity is Severity.ERROR]
        if new:
            raise DiagnosticError(*new)
