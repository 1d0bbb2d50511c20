"""Entry points whose sources are rendered trees."""

from __future__ import annotations

import posixpath
from functools import cached_property

from renderer.files.file_system import FileSystem, is_inside
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.project.overlays import look_up_overlays
from renderer.project.tree_paths import IS_RENDERED, tree_at


class RenderedSources:
    """The rendered trees of a project, as they matter to one entry of an engine."""

    def __init__(self, fs: FileSystem, config: RenderConfig, entry: OverlayEntry) -> None:
        self._fs = fs
        self._config = config
        self._entry = entry
        self._trees: dict[str, str] = {}

    def is_other_tree(self, path: str) -> bool:
        """Return True if the path is the tree of an overlay with a ``path``, which a user wrote it for."""
        tree = self._tree_at(path)
        return any(is_inside(tree, output) for output in self._outputs) if tree else False

    def error(self, resource: Resource, field: FieldPath, path: str, own_tree: str = "") -> Diagnostic | None:
        """Return the error about ``path`` in ``field`` of an engine's object, if it leads into a tree.

        ``own_tree`` is the output folder of the object's overlay, which need not exist.
        """
        path = posixpath.normpath(path)
        tree = own_tree if own_tree and is_inside(path, own_tree) else self._tree_at(path)
        if not tree:
            return None
        message = f"{field} of {resource.kind} {resource.name} leads into {tree}, {IS_RENDERED}"
        return Diagnostic.about(resource, field, Code.RENDERED_SOURCE, message, self._hint(resource, path))

    def _tree_at(self, path: str) -> str:
        if path not in self._trees:
            self._trees[path] = tree_at(self._fs, path)
        return self._trees[path]

    def _hint(self, resource: Resource, path: str) -> str:
        if resource.origin.field.segments:  # an ApplicationSet generates it
            above = posixpath.dirname(path)
            excluded = f"{above}/*" if above else path
            return f"add {{path: {excluded}, exclude: true}} to the directories of its generator"
        hint = "write the path of the sources here again; "
        if self._entry.entry.repoint:
            return f"{hint}the rendered copy of the {resource.kind} points at the tree, and is what to apply"
        return f"{hint}with repoint: true, vmrender renders a copy that points at the tree"

    @cached_property
    def _outputs(self) -> tuple[str, ...]:
        """The outputs of overlays that are no entry points of an engine."""
        by_path = tuple(entry for entry in self._config.overlays if not entry.entry.has_engine)
        try:
            found = look_up_overlays(self._fs, self._config._replace(overlays=by_path))
        except DiagnosticError:  # reported when the overlays are found
            return ()
        return tuple(posixpath.normpath(overlay.output) for overlay in found.overlays)
