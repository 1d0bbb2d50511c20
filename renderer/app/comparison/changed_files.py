"""The files that differ between two sides of a comparison."""

from __future__ import annotations

from contextlib import suppress

from renderer.app.comparison.common_files import CommonFiles
from renderer.app.comparison.side import Side
from renderer.app.comparison.tool_inputs import files_of_tools
from renderer.files.file_system import FileSystem
from renderer.model.diagnostic import DiagnosticError


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
        readable = {*one.readable, *other.readable, *after.deployers.files_of_sets(), *files_of_tools(after)}
        both = one.paths & other.paths & readable
        differing = (one.paths ^ other.paths).union(each for each in both if not common.have(each))
    return frozenset(each for each in differing if not (one.is_rendered(each) or other.is_rendered(each)))


def _target(fs: FileSystem, link: str) -> str:
    with suppress(DiagnosticError):  # it leads out of the repository
        return fs.resolve(link)
    return link
