"""Files of several projects, as a monorepo has them, in one report."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from renderer.app.validate import ValidationResult
from renderer.cli.report_target import ReportTarget
from renderer.cli.repository import Repository
from renderer.model.diagnostic import Diagnostic
from renderer.report.paths import below
from renderer.source.builtin_catalogs import BuiltinFileSystem
from renderer.source.file_system import DiskFileSystem, FileSystem
from renderer.source.locate import locate


def merged_results(
    validated: Sequence[tuple[Repository, ValidationResult]],
) -> tuple[FileSystem, ValidationResult]:
    """All that was found and looked at, with paths from the folder that all the projects are in."""
    top = Path(os.path.commonpath([repository.root for repository, _ in validated]))
    ReportTarget.chosen()._replace(folder=".").choose()
    all_found: list[Diagnostic] = []
    overlays: list[str] = []
    files: list[str] = []
    for repository, found in validated:
        folder = repository.root.relative_to(top).as_posix()
        all_found += _from_above(folder, locate(repository.fs, found.diagnostics))
        overlays += (_joined(folder, path) for path in found.overlays)
        files += (_joined(folder, path) for path in found.files)
    fs = BuiltinFileSystem(DiskFileSystem(top))
    return fs, ValidationResult(tuple(all_found), tuple(overlays), tuple(files))


def _from_above(folder: str, findings: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    for finding in findings:
        overlays = tuple(_joined(folder, overlay) for overlay in finding.overlays)
        related = tuple(each._replace(sites=()) for each in finding.related)
        placed = replace(finding, sites=(), related=related, overlays=overlays)
        yield placed if folder == "." else below(folder, placed)


def _joined(folder: str, path: str) -> str:
    return posixpath.normpath(posixpath.join(folder, path))
