"""Read a side from before the project file was written, with the settings of that file.

A new project file is a claim about the clusters and a way to render them. It changes no cluster by itself, as
``former_facts`` says of a changed one. Read with the defaults, the side before would have another release and
other overlays: all machines would be added or upgraded.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from renderer.app.comparison.side import Side
from renderer.files.file_system import EditedFiles, FileSystem, is_inside
from renderer.model.render_config import PROJECT_FILE
from renderer.project.overlays import may_have_overlays


def with_settings_of(project: Side, side: Side) -> Side:
    """Return a side that has no project file as the file of ``project`` reads it.

    Entries that name nothing in it have no overlay there. What the settings name as objects of the cluster,
    and the side does not have, is as in ``project``. Differences that the new file ignores are shown: a
    change cannot hide itself. Raises ``DiagnosticError`` or ``LocatedError`` if the side cannot be used so.
    """
    config = project.config
    named = dict.fromkeys((*config.catalog_folders(), *config.facts_files, *config.schemas))
    added = {
        path: project.fs.read(path)
        for name in map(posixpath.normpath, named)
        if not is_inside(name, "..") and not side.fs.is_file(name) and not side.fs.is_folder(name)
        for path in _files_at(project.fs, name)
    }
    added[PROJECT_FILE] = project.fs.read(PROJECT_FILE)
    entries = tuple(each for each in config.overlays if may_have_overlays(side.fs, each))
    config = config._replace(overlays=entries, ignored_differences=())
    return side.under(config, EditedFiles(added, side.fs), {})


def _files_at(fs: FileSystem, path: str) -> Iterator[str]:
    """Yield the file, or the files below the folder."""
    if fs.is_file(path):
        yield path
    elif fs.is_folder(path):
        for name in fs.list(path):
            yield from _files_at(fs, posixpath.join(path, name))
