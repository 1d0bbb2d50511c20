"""The files that differ between two sides of a comparison."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from contextlib import suppress

from renderer.app.comparison.common_files import CommonFiles
from renderer.app.comparison.side import Side
from renderer.files.file_system import FileSystem, folder_of
from renderer.gitops.argocd.application import is_application, sources
from renderer.gitops.argocd.directory import JSONNET
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import CHART


def changed_files(before: Side, after: Side) -> frozenset[str]:
    """Return the paths of the files that differ, except in rendered trees.

    Two revisions are compared by the ids of files and folders. In a work tree, only the files that a build
    or a set may read are read. A link differs if it leads to another file, or to a file that differs.
    """
    one, other = before.listing, after.listing
    if before.tree is not None and after.tree is not None:
        differing = frozenset(before.tree.differing(after.tree))
        links = {*before.tree.links(), *after.tree.links()} if differing else set()
        sides = before.fs, after.fs
        differing |= {each for each in links if any(_target(fs, each) in differing for fs in sides)}
    else:
        common = CommonFiles(before.files, after.files)
        readable = {*one.readable, *other.readable, *after.deployers.files_of_sets(), *_tool_inputs(after)}
        both = one.paths & other.paths & readable
        differing = (one.paths ^ other.paths).union(each for each in both if not common.have(each))
    return frozenset(each for each in differing if not (one.is_rendered(each) or other.is_rendered(each)))


def _tool_inputs(side: Side) -> Iterator[str]:
    """Yield the jsonnet files, and all files in charts and in folders that a plugin renders."""
    paths = side.listing.paths
    folders = {folder_of(path) for path in paths if posixpath.basename(path) == CHART}
    for each in filter(is_application, side.deployers.objects):
        folders.update(posixpath.normpath(one.path) for one in sources(each) if "plugin" in one.content)
    for path in paths:
        if path.endswith(JSONNET) or (folders and not folders.isdisjoint(folders_above(path))):
            yield path


def _target(fs: FileSystem, link: str) -> str:
    with suppress(DiagnosticError):  # it leads out of the repository
        return fs.resolve(link)
    return link
