"""Kustomizations that no overlay uses, and that decide what deploys an overlay or what else that applies.

An Application or Kustomization may be listed in a kustomization that patches it, and its source may be a
kustomization that patches the rendered tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from renderer.app.diff_side import Side
from renderer.files.file_system import is_inside
from renderer.kubevirt.facts.lists import field_changes
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.resource import Resource


class DeployerBuilds:
    """The kustomizations around deployers on two sides; ``changed`` are the manifests that differ."""

    def __init__(self, before: Side, after: Side, changed: frozenset[str]) -> None:
        self._sides = tuple((side, KustomizationGraph(side.fs)) for side in (before, after))
        self._changed = changed
        self._composed = cache(Side.composed)

    def of_tree(self, path: str) -> Iterator[str]:
        """Yield why the tree of an overlay is applied otherwise: a kustomization above it has changed."""
        for side, graph in self._sides:
            overlay = side.overlays.get(path)
            if overlay is None or (overlay.entry is not None and overlay.entry.entry is not None):
                continue
            for source in sorted(side.deployers.sources_above(overlay)):
                files = self._changed.intersection(_files(graph, source))
                if outside := sorted(each for each in files if not is_inside(each, overlay.output)):
                    yield f"{outside[0]} changes, by which {overlay.output} is applied"
                    return

    def of_deployer(self, old: Resource, new: Resource) -> Iterator[str]:
        """Yield why an object is not what its file says, if a kustomization that lists the file has changed.

        ``old`` and ``new`` are the object as it is written on each side.
        """
        written = {each.field for each in field_changes(old.content, new.content)}
        for folder in folders_above(new.origin.path):
            files = {each for _, graph in self._sides for each in _files(graph, folder)}
            others = files - {old.origin.path, new.origin.path}
            if new.origin.path not in files or not others & self._changed:
                continue
            label, file = f"{new.kind} {new.name}", min(others & self._changed)
            (before, _), (after, _) = self._sides
            former, latter = self._built(before, folder, old), self._built(after, folder, new)
            if former is None or latter is None:
                yield f"{file} changes, and {label} cannot be built from {folder}"
            elif {each.field for each in field_changes(former, latter)} - written:
                yield f"{file} changes {label}, which deploys it"
            return

    def _built(self, side: Side, folder: str, written: Resource) -> JsonObject | None:
        """Return an object as the kustomization in a folder makes it.

        Empty if it makes no such object, None if it cannot be built.
        """
        composed = self._composed(side, folder)
        if composed is None:
            return None
        place = written.origin.path, written.origin.document
        same = (each for each in composed if (each.origin.path, each.origin.document) == place)
        return next((each.content for each in same), EMPTY)


def _files(graph: KustomizationGraph, folder: str) -> set[str]:
    """Return the kustomizations that the one in ``folder`` uses, and the files that these list."""
    links = filter(None, map(graph.links, graph.folders(folder)))
    return {file for each in links for file in (each.file, *each.files)}
