"""Read the schemas of a project: folders, and single files."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence

from renderer.files.file_system import FileSystem
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.cluster_wide import CRD
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.location import Site
from renderer.model.project_schemas import SCHEMA_PATHS, ProjectSchemas
from renderer.model.release import Release
from renderer.model.render_config import PROJECT_FILE
from renderer.project.overlays import missing_path

#: The subfolder that ``vmrender schema import`` writes into a folder of schemas.
RELEASES = "kubevirt"

_FILES = (
    "list a file with a CustomResourceDefinition, or a JSON schema whose path names its kind: "
    "GROUP/VERSION/KIND.json or GROUP/KIND_VERSION.json"
)
_SUFFIXES = (".json", ".yaml", ".yml")


def listed_schemas(fs: FileSystem, paths: Sequence[str]) -> ProjectSchemas:
    """Return the schemas that the project lists under ``schemas``.

    Raises ``DiagnosticError``: config-invalid for each path that does not exist, or of a file without a
    schema.
    """
    existing = existing_schemas(fs, paths)
    wrong = [
        _wrong_path(index, *missing_path(fs, path))
        if path not in existing
        else _wrong_path(index, f"{path} has no schema of a kind", _FILES)
        for index, path in enumerate(paths)
        if path not in existing or not _may_be_schema(fs, path)
    ]
    if wrong:
        raise DiagnosticError(*wrong)
    return read_project_schemas(fs, paths)


def existing_schemas(fs: FileSystem, paths: Iterable[str]) -> tuple[str, ...]:
    """Return the paths of files and folders that exist."""
    return tuple(path for path in paths if fs.is_file(path) or fs.is_folder(path))


def _may_be_schema(fs: FileSystem, path: str) -> bool:
    """Return True for a folder, a file with a CustomResourceDefinition, and one whose path names a kind."""
    if not fs.is_file(path):
        return True
    below = posixpath.normpath(path)
    return any(each.fullmatch(below) for each in SCHEMA_PATHS) or CRD.encode() in fs.read(path)


def _wrong_path(index: int, message: str, hint: str | None) -> Diagnostic:
    site = Site(PROJECT_FILE, 0, FieldPath.of("schemas", index, "path"))
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
