"""Changes of files that decide what an engine applies of a rendered tree, and that no overlay has.

What is compared of an overlay is what its sources make. Its engine may apply something else, because of a
kustomization in the tree or above it, a ``.sourceignore``, or a manifest that somebody put into the tree.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from functools import cached_property

from renderer.app.diff_side import Side
from renderer.emit.ownership import Owned, decode_ownership
from renderer.files.file_system import FileSystem, is_inside
from renderer.gitops.flux.artifact import ArtifactFileSystem
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import SOURCE_IGNORE, is_read_by_engines
from renderer.model.kustomization import KUSTOMIZATION_FILES
from renderer.model.plural import listed
from renderer.model.render_config import OWNERSHIP_FILE, Overlay

_MOST_NAMES = 3


class TreeChanges:
    """Compares the files of two sides, other than sources, that decide which part of a tree is applied."""

    def __init__(self, before: Side, after: Side) -> None:
        self._before, self._after = _Beside(before), _Beside(after)

    def reasons(self, path: str) -> Iterator[str]:
        """Yield why an engine may apply something else of an overlay than what is compared."""
        before, after = self._before, self._after
        old, new = before.side.overlays.get(path), after.side.overlays.get(path)
        if old is None or new is None or new.deployer:
            return
        former, latter = before.foreign_files(old.output), after.foreign_files(new.output)
        changed = [each for each in sorted({*former, *latter}) if former.get(each) != latter.get(each)]
        if changed:
            names = listed([f"{new.output}/{each}" for each in changed], _MOST_NAMES)
            yield f"{names} may change what is applied, and vmrender did not write it"
        if old.output != new.output:
            if before.has_tree(old.output) and not before.side.deployers.of(old):
                yield f"it is rendered into {new.output}: what applies {old.output} gets no change any more"
            return
        for file in self._changed_above(new.output, KUSTOMIZATION_FILES):
            if before.uses(file, new.output) or after.uses(file, new.output):
                yield f"{file} changes, by which {new.output} is applied"
        ignores = [*self._changed_above(new.output, (SOURCE_IGNORE,))]
        if ignores and before.left_out(old) != after.left_out(new):
            yield f"{listed(ignores)} changes what Flux sees of it"

    def _changed_above(self, output: str, names: tuple[str, ...]) -> Iterator[str]:
        """Yield the files with one of the names, in a folder above the tree, that the sides do not share."""
        for folder in folders_above(output):
            for name in names:
                file = posixpath.normpath(f"{folder}/{name}")
                if _content(self._before.fs, file) != _content(self._after.fs, file):
                    yield file


class _Beside:
    """The files of one side that no overlay has."""

    def __init__(self, side: Side) -> None:
        self.side, self.fs = side, side.fs
        self._graph = KustomizationGraph(side.fs)

    def foreign_files(self, output: str) -> Mapping[str, bytes | None]:
        """Return the files of a tree that engines read and vmrender did not write, by path in the tree."""
        owned = self._owned(output)
        found: dict[str, bytes | None] = {}
        waiting = [""]
        while waiting:
            below = waiting.pop()
            for name in self.fs.list(f"{output}/{below}".rstrip("/")):
                path, place = below + name, f"{output}/{below}{name}"
                if path in owned:
                    continue
                if self.fs.is_folder(place) and self.fs.resolve(place) == place:
                    waiting.append(f"{path}/")
                elif is_read_by_engines(path):
                    found[path] = _content(self.fs, place)
        return found

    def uses(self, kustomization: str, output: str) -> bool:
        """Return True if a kustomization lists the tree, or a file in it."""
        links = self._graph.links(posixpath.dirname(kustomization) or ".")
        return links is not None and any(is_inside(each, output) for each in (*links.files, *links.folders))

    def left_out(self, overlay: Overlay) -> frozenset[str]:
        """Return the files of an overlay, or of its tree if Flux deploys that, that Flux does not see."""
        folders = self.side.deployers.folders_for_flux(overlay) or {overlay.output}
        files = {f"{overlay.output}/{each}" for each in self._owned(overlay.output)}
        files.update(each for each in self.side.manifests if is_inside(each, overlay.path))
        return frozenset(
            each
            for each in files
            if any(is_inside(each, folder) for folder in folders) and self._artifact.leaves_out(each)
        )

    @cached_property
    def _artifact(self) -> ArtifactFileSystem:
        return ArtifactFileSystem(self.fs)

    def has_tree(self, output: str) -> bool:
        """Return True if there is a rendered tree."""
        return self.fs.is_file(f"{output}/{OWNERSHIP_FILE}")

    def _owned(self, output: str) -> Owned:
        path = f"{output}/{OWNERSHIP_FILE}"
        try:
            return decode_ownership(_content(self.fs, path) or b"", path)
        except DiagnosticError:  # reported where the tree is written
            return {}


def _content(fs: FileSystem, path: str) -> bytes | None:
    """Return the content of a file; None if there is none, or if it cannot be read."""
    try:
        return fs.read(path) if fs.is_file(path) else None
    except DiagnosticError:
        return None
