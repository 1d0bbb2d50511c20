"""The repository a command works in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click

from renderer.cli.report_target import ReportTarget
from renderer.model.limits import lower
from renderer.model.render_config import RenderConfig
from renderer.source.builtin_catalogs import BuiltinFileSystem
from renderer.source.file_system import DiskFileSystem, FileSystem
from renderer.source.project import PROJECT_FILE, load_project

_MARKERS = (PROJECT_FILE, ".git")


class Repository(NamedTuple):
    """A tree on disk and what its ``vmrender.yaml`` says."""

    root: Path
    fs: FileSystem
    config: RenderConfig

    @classmethod
    def here(cls) -> Repository:
        """The repository of the working directory."""
        return cls.containing(Path.cwd())

    @classmethod
    def containing(cls, path: Path, top: Path | None = None) -> Repository:
        """The repository of ``path``: the nearest folder above with a ``vmrender.yaml``, else with ``.git``.

        Without either it is ``top``, or else the working directory, or ``path`` itself where that lies
        elsewhere. Raises ``DiagnosticError`` for a ``vmrender.yaml`` that cannot be used.
        """
        root = _root(path.resolve(), top)
        fs = BuiltinFileSystem(DiskFileSystem(root))
        ReportTarget.chosen()._replace(fs=fs, folder=_folder_in_checkout(root)).choose()
        config = load_project(fs)
        lower(config.limits)
        return cls(root, fs, config)

    @classmethod
    def unread(cls) -> Repository:
        """The repository of the working directory with all defaults, whatever its ``vmrender.yaml`` says."""
        root = _root(Path.cwd().resolve(), None)
        return cls(root, BuiltinFileSystem(DiskFileSystem(root)), RenderConfig())

    @staticmethod
    def root_of(path: Path) -> Path:
        """The root of the repository of ``path``."""
        return _root(path.resolve(), None)

    def relative(self, path: Path) -> str:
        """``path`` as the stages name it. Raises ``click.UsageError`` when it lies outside."""
        resolved = path.resolve()
        if not resolved.is_relative_to(self.root):
            raise click.UsageError(f"{path} lies outside the repository {self.root}")
        return resolved.relative_to(self.root).as_posix()


def _root(path: Path, top: Path | None) -> Path:
    for marker in _MARKERS:
        found = next((folder for folder in _upwards(path) if (folder / marker).exists()), None)
        if found:
            return found
    if top:
        return top
    here = Path.cwd()
    return here if path.is_relative_to(here) else _folder(path)


def _folder_in_checkout(root: Path) -> str:
    """The way from the top of the Git checkout that ``root`` is in; ``.`` without one."""
    top = next((folder for folder in _upwards(root) if (folder / ".git").exists()), root)
    return root.relative_to(top).as_posix()


def _upwards(path: Path) -> Iterator[Path]:
    yield _folder(path)
    yield from _folder(path).parents


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
