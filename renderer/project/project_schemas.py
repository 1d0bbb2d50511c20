"""Read the schemas of a project: folders, and single files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from renderer.files.file_system import FileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Site
from renderer.model.project_schemas import ProjectSchemas
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.project.overlays import missing_path

#: The subfolder that ``vmrender schema import`` writes into a folder of schemas.
RELEASES = "kubevirt"

_SUFFIXES = (".json", ".yaml", ".yml")


def listed_schemas(fs: FileSystem, paths: Sequence[str]) -> ProjectSchemas:
    """Return the schemas that the project lists under ``schemas``.

    Raises ``DiagnosticError``: config-invalid for each path that does not exist.
    """
    existing = existing_schemas(fs, paths)
    missing = [_missing_path(fs, index, path) for index, path in enumerate(paths) if path not in existing]
    if missing:
        raise DiagnosticError(*missing)
    return read_project_schemas(fs, paths)


def existing_schemas(fs: FileSystem, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of files and folders that exist."""
    return tuple(path for path in paths if fs.is_file(path) or fs.is_folder(path))


def _missing_path(fs: FileSystem, index: int, path: str) -> Diagnostic:
    site = Site(PROJECT_FILE, 0, FieldPath.of("schemas", index, "path"))
    message, hint = missing_path(fs, path)
    return Diagnostic.at(site, Code.CONFIG_INVALID, message, hint)


def read_project_schemas(fs: FileSystem, paths: Iterable[str]) -> ProjectSchemas:
    """Return the schemas; of two for one KubeVirt kind, the first counts. Raises ``DiagnosticError``.

    Each path is a folder or a single file; one that does not exist has no schemas.
    """
    releases: dict[str, tuple[str, bytes]] = {}
    others: dict[str, tuple[str, bytes]] = {}
    for folder in paths:
        if fs.is_file(folder):
            path = posixpath.normpath(folder)
            others.setdefault(path, (path, fs.read(path)))
            continue
        for path in _schema_files(fs, folder):
            below = posixpath.relpath(path, folder)
            top, _, rest = below.partition("/")
            if top == RELEASES and _is_release(rest.partition("/")[0]):
                releases.setdefault(rest, (path, fs.read(path)))
            else:
                others.setdefault(path, (below, fs.read(path)))
    return ProjectSchemas(releases, others)


def imported_releases(fs: FileSystem, folders: Iterable[str]) -> frozenset[Release]:
    """Return the KubeVirt releases whose schemas are in the folders."""
    names = (name for folder in folders for name in fs.list(posixpath.join(folder, RELEASES)))
    return frozenset(Release.parse(name) for name in names if _is_release(name))


def _schema_files(fs: FileSystem, folder: str) -> Iterator[str]:
    for name in fs.list(folder):
        path = posixpath.normpath(posixpath.join(folder, name))
        if fs.is_file(path):
            if name.endswith(_SUFFIXES):
                yield path
        elif not name.startswith(".") and fs.resolve(path) == path:
            yield from _schema_files(fs, path)


def _is_release(name: str) -> bool:
    try:
        return str(Release.parse(name)) == name
    except ValueError:
        return False
