"""The catalogs that ship with vmrender, seen as folders beside the user's own: ``builtin:<name>``."""

from __future__ import annotations

from renderer.bundled import data_folder
from renderer.model.location import BUILTIN_SCHEME
from renderer.source.file_system import DiskFileSystem, FileSystem

#: The release of each catalog that ships.
BUILTIN_CATALOGS = {"common-instancetypes": "common-instancetypes/v1.7.0"}


def builtin_path(name: str) -> str:
    """The folder of the built-in catalog ``name``, for a ``BuiltinFileSystem``."""
    return f"{BUILTIN_SCHEME}{BUILTIN_CATALOGS[name]}"


class BuiltinFileSystem:
    """The user's repository, and below ``builtin:`` what ships with vmrender."""

    def __init__(self, repository: FileSystem) -> None:
        self._repository = repository
        self._builtin = DiskFileSystem(data_folder("catalog"))

    def read(self, path: str) -> bytes:
        fs, inner = self._mount(path)
        return fs.read(inner)

    def is_file(self, path: str) -> bool:
        fs, inner = self._mount(path)
        return fs.is_file(inner)

    def is_folder(self, path: str) -> bool:
        fs, inner = self._mount(path)
        return fs.is_folder(inner)

    def list(self, path: str) -> tuple[str, ...]:
        fs, inner = self._mount(path)
        return fs.list(inner)

    def resolve(self, path: str) -> str:
        fs, inner = self._mount(path)
        return fs.resolve(inner) if fs is self._repository else BUILTIN_SCHEME + fs.resolve(inner)

    def _mount(self, path: str) -> tuple[FileSystem, str]:
        if path.startswith(BUILTIN_SCHEME):
            return self._builtin, path.removeprefix(BUILTIN_SCHEME)
        return self._repository, path
