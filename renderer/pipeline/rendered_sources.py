"""Entry points whose sources are rendered trees."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable
from functools import cached_property

from renderer.files.file_system import EditedFiles, FileSystem, folder_of, is_inside
from renderer.gitops.argocd.generators.git import matched_by
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.resource import Resource
from renderer.model.render_config import OWNERSHIP_FILE, OverlayEntry, RenderConfig
from renderer.project.overlays import look_up_overlays
from renderer.project.tree_paths import IS_RENDERED, tree_at

#: Stands for the names of trees that are not known before the objects of an engine are built.
_ANY_NAME = "_tree"


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

    def error(
        self,
        resource: Resource,
        field: FieldPath,
        path: str,
        own_tree: str = "",
        generated_by: Resource | None = None,
    ) -> Diagnostic | None:
        """Return the error about ``path`` in ``field`` of an engine's object, if it leads into a tree.

        ``own_tree`` is the output folder of the object's overlay, which need not exist. ``generated_by`` is
        the ApplicationSet of an Application.
        """
        path = posixpath.normpath(path)
        tree = own_tree if own_tree and is_inside(path, own_tree) else self._tree_at(path)
        if not tree:
            return None
        message = f"{field} of {resource.kind} {resource.name} leads into {tree}, {IS_RENDERED}"
        hint = self._hint(resource, path, generated_by)
        return Diagnostic.about(resource, field, Code.RENDERED_SOURCE, message, hint)

    def check_set(
        self,
        entry: Resource,
        generated: tuple[Resource, ...],
        generate: Callable[[FileSystem], tuple[Resource, ...]],
    ) -> None:
        """Raise ``DiagnosticError`` if an ApplicationSet would read trees that the project does not have yet.

        Otherwise only the run after the one that writes them would fail. ``generated`` are its Applications;
        ``generate`` returns those of another state of the repository.
        """
        planned = self._planned_trees
        places = dict.fromkeys(
            "/".join(parts[:depth])
            for parts in (tree.split("/") for tree in planned)
            for depth in range(1, len(parts) + 1)
        )
        read = matched_by(entry, (each for each in places if not self._fs.is_folder(each)))
        if not read:
            return
        files = {f"{tree}/{OWNERSHIP_FILE}": b"" for tree in planned}
        try:
            later = generate(EditedFiles(files, self._fs))
        except DiagnosticError:  # it can be evaluated without the trees
            later = ()
        if [each.content for each in later] != [each.content for each in generated]:
            field = FieldPath.of("spec", "generators")
            message = (
                f"the generators of ApplicationSet {entry.name} match {' and '.join(read)}, {IS_RENDERED}"
            )
            hint = _exclude_hint(read)
            raise Diagnostic.about(entry, field, Code.RENDERED_SOURCE, message, hint).error()

    def _tree_at(self, path: str) -> str:
        if path not in self._trees:
            self._trees[path] = tree_at(self._fs, path)
        return self._trees[path]

    def _hint(self, resource: Resource, path: str, generated_by: Resource | None) -> str:
        if generated_by is not None and matched_by(generated_by, (path,)):
            return _exclude_hint((path,))
        kind, where = resource.kind, "here"
        if generated_by is not None:
            kind, where = generated_by.kind, f"in the template or a generator of {generated_by.name}"
        hint = f"write the path of the sources {where} again; "
        if self._entry.entry.repoint:
            return f"{hint}the rendered copy of the {kind} points at the tree, and is what to apply"
        return f"{hint}with repoint: true, vmrender renders a copy that points at the tree"

    @cached_property
    def _planned_trees(self) -> tuple[str, ...]:
        """The trees in folders that do not exist yet; one tree represents all of an engine's entry."""
        of_engines = (
            posixpath.normpath(self._config.output_of(each, f"{each.entry.name_prefix}/{_ANY_NAME}"))
            for each in self._config.overlays
            if each.entry.has_engine
        )
        every = dict.fromkeys((*of_engines, *self._outputs))
        return tuple(each for each in every if not self._fs.is_folder(folder_of(each)))

    @cached_property
    def _outputs(self) -> tuple[str, ...]:
        """The outputs of overlays that are not entry points of an engine."""
        by_path = tuple(entry for entry in self._config.overlays if not entry.entry.has_engine)
        try:
            found = look_up_overlays(self._fs, self._config._replace(overlays=by_path))
        except DiagnosticError:  # reported when the overlays are found
            return ()
        return tuple(posixpath.normpath(overlay.output) for overlay in found.overlays)


def _exclude_hint(paths: Iterable[str]) -> str:
    """Return the entries of ``directories`` that keep a git generator from reading the paths."""
    above = ((path, posixpath.dirname(path)) for path in paths)
    patterns = dict.fromkeys(f"{folder}/*" if folder else path for path, folder in above)
    entries = " and ".join(f"{{path: {each}, exclude: true}}" for each in patterns)
    return f"add {entries} to the directories of its generator"
