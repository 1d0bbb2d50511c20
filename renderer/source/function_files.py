"""The files that the ``functionConfig`` of a generator lists."""

from __future__ import annotations

from renderer.model.generated import ListedFiles
from renderer.model.location import Site
from renderer.model.resource import Resource
from renderer.model.source_tree import KustomizationRoot
from renderer.source.entries import Entries
from renderer.source.file_system import FileSystem
from renderer.source.load_restrictor import LoadRestrictor
from renderer.source.plugins.listed_files import listed_files
from renderer.source.source_files import SourceFiles


def function_files(fs: FileSystem, folder: str, config: Resource) -> ListedFiles:
    """By their paths as written, which are relative to ``folder`` and stay in it.

    Raises ``DiagnosticError``: file-not-found, file-outside-root, file-unreadable, unsupported-field.
    """
    files = SourceFiles(fs, LoadRestrictor.ROOT_ONLY)
    return listed_files(config, Entries(files, folder, config.origin, _no_folder))


def _no_folder(folder: str, site: Site) -> KustomizationRoot:
    raise NotImplementedError(f"no generator lists folders, but {site} lists {folder}")
