"""Read the folders of a project that have schemas."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from renderer.files.file_system import FileSystem
from renderer.model.project_schemas import ProjectSchemas
from renderer.model.release import Release

#: The subfolder that ``vmrender schema import`` writes into a folder of schemas.
RELEASES = "kubevirt"

_SUFFIXES = (".json", ".yaml", ".yml")


def read_project_schemas(fs: FileSystem, folders: Iterable[str]) -> ProjectSchemas:
    """Return the schemas; of two for one KubeVirt kind, the first counts. Raises ``DiagnosticError``."""
    releases: dict[str, tuple[str, bytes]] = {}
    others: dict[str, tuple[str, bytes]] = {}
    for folder in folders:
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
