"""Overlays of which a sparse checkout leaves files out of the work tree: they are not compared."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from renderer.app.diff_side import RenderedSide, Side
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph
from renderer.pipeline.overlay_files import OverlayFiles


class SparseCheckout:
    """The files of the project that are in Git and, on purpose, not in the work tree."""

    def __init__(self, left_out: Collection[str], before: Side, work_tree: Side) -> None:
        """``before`` is a revision, which has all files."""
        self._left_out = left_out
        self._before = before
        self._work_tree = work_tree

    def instead_of(self, path: str) -> RenderedSide | None:
        """Return the side of an overlay that lacks a file; None if the work tree has all of its files."""
        overlay = self._before.overlays.get(path) if self._left_out else None
        if overlay is None:
            return None
        files = self._files.of(overlay).intersection(self._left_out)
        missing = next((file for file in sorted(files) if not self._work_tree.fs.is_file(file)), "")
        if not missing:
            return None
        reason = f"the sparse checkout of this work tree leaves out {missing}; git sparse-checkout add FOLDER"
        return RenderedSide(None, unknown=reason)

    @cached_property
    def _files(self) -> OverlayFiles:
        return OverlayFiles(self._before.fs, KustomizationGraph(self._before.fs))
