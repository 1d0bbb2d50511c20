"""Learn the values of the Secrets of all overlays, once a run has something to print.

What is printed about one overlay must not repeat a value in a Secret of another one, whether that overlay is
built in this run, known from the cache, or not asked for.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from renderer.files.disk import path_exists
from renderer.files.file_system import FileSystem, files_named, folder_of, join_path, readable_content
from renderer.model.diagnostic import DiagnosticError
from renderer.model.render_config import OWNERSHIP_FILE, PROJECT_FILE, RenderConfig
from renderer.model.run.learned_values import Learned
from renderer.model.run.taint import learn_from

#: Where overlays are in a project without a file.
_FOLDER = posixpath.dirname(RenderConfig().overlays[0].path)


def learn_from_project(root: Path, fs: FileSystem, config: RenderConfig) -> None:
    """Learn the values from the manifests of a project, or of a checkout without a project file.

    Another folder may be the home of the user.
    """

    def learned() -> Iterable[Learned]:
        try:
            is_project = path_exists(root / ".git") or fs.is_file(PROJECT_FILE) or fs.is_folder(_FOLDER)
        except DiagnosticError:  # it leads out of the project
            return ()
        return _secrets_of_project(fs, config) if is_project else ()

    learn_from(str(root), learned)


def learn_from_proposal(fs: FileSystem, config: RenderConfig) -> None:
    """Learn the values from the manifests of a project whose overlays ``init`` would list."""
    learn_from(id(fs), lambda: _secrets_of_project(fs, config))


def learn_from_trees(fs: FileSystem) -> None:
    """Learn the values from all rendered trees: of a Secret that the sources no longer have, too."""

    def learned() -> Iterable[Learned]:
        from renderer.project.secrets_in_files import ListableFiles, SecretsInFiles  # noqa: PLC0415 - few runs

        lists = files_named(ListableFiles(fs), OWNERSHIP_FILE)
        yield SecretsInFiles(fs, chain.from_iterable(_files_of_tree(fs, each) for each in lists))

    learn_from((id(fs), "trees"), learned)


def _files_of_tree(fs: FileSystem, ownership: str) -> Iterator[str]:
    """Yield the paths of the files that a list of a tree has; none if it cannot be read."""
    from renderer.emit.ownership import decode_ownership  # noqa: PLC0415 - only for trees that differ

    with suppress(DiagnosticError):  # comparing the tree reports it
        owned = decode_ownership(readable_content(fs, ownership) or b"", ownership)
        yield from (join_path(folder_of(ownership), path) for path in owned)


def _secrets_of_project(fs: FileSystem, config: RenderConfig) -> Iterable[Learned]:
    from renderer.kustomize.reader.kustomization_graph import confined  # noqa: PLC0415 - few runs need it
    from renderer.project.secrets_in_files import (  # noqa: PLC0415 - as above
        SecretsInFiles,
        manifests_of_project,
    )

    folders = [each.path for each in config.overlays if confined(fs.is_folder, each.path)]
    try:
        return (SecretsInFiles(fs, manifests_of_project(fs, config.exclude, folders)),)
    except DiagnosticError:  # of a folder that cannot be listed
        return ()
