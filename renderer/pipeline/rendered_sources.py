"""Paths of sources that lead into rendered trees. A tree is never its own source.

If it were, no change of the real sources would ever arrive in it.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from renderer.emit.ownership import OWNERSHIP_FILE
from renderer.files.file_system import FileSystem, is_inside
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.project.overlays import find_overlays


class RenderedSources:
    """The rendered trees of a project, as they matter to one entry of an engine."""

    def __init__(self, fs: FileSystem, config: RenderConfig, entry: OverlayEntry) -> None:
        self._fs = fs
        self._config = config
        self._entry = entry

    def is_other_tree(self, path: str) -> bool:
        """Return True if the path is the tree of an overlay with a ``path``, which a user wrote it for."""
        tree = self._tree(path)
        return any(is_inside(tree, output) for output in self._outputs) if tree else False

    def error(self, resource: Resource, field: FieldPath, path: str, own_tree: str) -> Diagnostic | None:
        """Return the error about ``path`` in ``field`` of an engine's object, if it leads into a tree.

        ``own_tree`` is the output folder of the object's overlay, which need not exist.
        """
        tree = own_tree if is_inside(path, own_tree) else self._tree(path)
        if not tree:
            return None
        name = f"{resource.kind} {resource.name}"
        message = (
            f"{field} of {name} leads into {tree}, which vmrender renders: a tree is never its own source"
        )
        hint = "write the path of the sources here again; "
        if self._entry.entry.repoint:
            hint += f"the rendered copy of the {resource.kind} points at the tree, and is what to apply"
        else:
            hint += (
                f"with repoint: true, vmrender renders a copy of the {resource.kind} that points at the tree"
            )
        return Diagnostic.about(resource, field, Code.RENDERED_SOURCE, message, hint)

    def _tree(self, path: str) -> str:
        """Return the tree that holds a path, or a path that holds nothing but trees; empty for sources."""
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[:depth])
            if self._fs.is_file(posixpath.join(folder, OWNERSHIP_FILE)):
                return folder
        return path if path != "." and self._holds_only_trees(path) else ""

    def _holds_only_trees(self, folder: str) -> bool:
        below = [posixpath.join(folder, name) for name in self._fs.list(folder)]
        return bool(below) and all(
            self._fs.is_file(posixpath.join(each, OWNERSHIP_FILE)) or self._holds_only_trees(each)
            for each in below
        )

    @cached_property
    def _outputs(self) -> tuple[str, ...]:
        """The outputs of overlays that are no entry points of an engine."""
        by_path = tuple(entry for entry in self._config.overlays if not entry.entry.has_engine)
        try:
            overlays = find_overlays(self._fs, self._config._replace(overlays=by_path))
        except DiagnosticError:  # reported when the overlays are found
            return ()
        return tuple(posixpath.normpath(overlay.output) for overlay in overlays)
