"""The project that a use case works on: a tree on disk, and the settings of its ``vmrender.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from renderer.app.usage_error import UsageError
from renderer.model.record import Record
from renderer.model.render_config import Overlay, RenderConfig
from renderer.source.builtin_catalogs import BuiltinFileSystem
from renderer.source.file_system import DiskFileSystem, FileSystem
from renderer.source.project import PROJECT_FILE, load_project

if TYPE_CHECKING:
    from renderer.source.git_repository import GitRepository

_MARKERS = (PROJECT_FILE, ".git")
_NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


class Project(Record):
    """A tree below ``root``, read through ``fs``, and its settings.

    ``environment`` has the variables by which git and the cache folder are found.
    """

    root: Path
    fs: FileSystem
    config: RenderConfig
    environment: Mapping[str, str] = _NO_VARIABLES

    @classmethod
    def read(cls, root: Path, environment: Mapping[str, str] = _NO_VARIABLES) -> Project:
        """Read ``vmrender.yaml`` in ``root``, if there is one. Raises ``DiagnosticError`` for a wrong one."""
        fs = project_files(root)
        return cls(root, fs, load_project(fs), environment)

    @classmethod
    def with_defaults(cls, root: Path) -> Project:
        """The project with all settings at their defaults; its ``vmrender.yaml`` is not read."""
        return cls(root, project_files(root), RenderConfig())

    def overlays(self) -> tuple[Overlay, ...]:
        """The overlays that the project lists. Raises ``DiagnosticError``."""
        from renderer.pipeline.entry_points import find_overlays  # noqa: PLC0415 - not needed by all

        return find_overlays(self.fs, self.config)

    def relative(self, path: Path) -> str:
        """Return ``path`` relative to the root. Raises ``UsageError`` for one outside."""
        resolved = path.resolve()
        if not resolved.is_relative_to(self.root):
            raise UsageError(f"{path} lies outside the repository {self.root}")
        return resolved.relative_to(self.root).as_posix()

    def git(self) -> GitRepository:
        """Open the Git repository of the project, as a context manager.

        Raises ``DiagnosticError``: git-unavailable.
        """
        from renderer.source.git_repository import GitRepository  # noqa: PLC0415 - few commands need Git

        return GitRepository(self.root, self.environment)


class ProjectOpener(Protocol):
    """Opens the project of a path; ``top`` is its root where no marker stands above the path."""

    def __call__(self, path: Path, top: Path | None = None) -> Project: ...


def project_root(path: Path, top: Path | None = None) -> Path:
    """Return the root of the project of ``path``.

    It is the nearest folder above with a ``vmrender.yaml``, else with ``.git``, else ``top``, else the
    working directory, or ``path`` itself where that lies elsewhere.
    """
    path = path.resolve()
    for marker in _MARKERS:
        found = next((folder for folder in _upwards(path) if (folder / marker).exists()), None)
        if found:
            return found
    if top:
        return top
    here = Path.cwd()
    return here if path.is_relative_to(here) else _folder(path)


def project_files(root: Path) -> FileSystem:
    """Return the files below ``root``, and those of the catalogs that ship with vmrender."""
    return BuiltinFileSystem(DiskFileSystem(root))


def folder_in_checkout(root: Path) -> str:
    """Return the path of ``root`` in its Git checkout; ``.`` without a checkout."""
    top = next((folder for folder in _upwards(root) if (folder / ".git").exists()), root)
    return root.relative_to(top).as_posix()


def _upwards(path: Path) -> Iterator[Path]:
    yield _folder(path)
    yield from _folder(path).parents


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
