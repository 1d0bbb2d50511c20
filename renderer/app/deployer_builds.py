"""Kustomizations that no overlay uses, and that decide what deploys an overlay or what else that applies.

An Application or Kustomization may be listed in a kustomization that patches it, and its source may be a
kustomization that patches the rendered tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TypeAlias

from renderer.app.diff_side import Side
from renderer.files.file_system import is_inside
from renderer.kubevirt.facts.lists import field_changes
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.kube.json import EMPTY, JsonObject
from renderer.model.kube.resource import Resource

#: The path of a file, and the number of a document in it.
_Place: TypeAlias = tuple[str, int]


class DeployerBuilds:
    """The kustomizations around deployers on two sides; ``changed`` are the manifests that differ."""

    def __init__(self, before: Side, after: Side, changed: frozenset[str]) -> None:
        self._before, self._after = _Builds(before), _Builds(after)
        self._changed = changed

    def of_tree(self, path: str) -> str:
        """Return why the tree of an overlay is applied otherwise: a kustomization above it has changed."""
        for builds in (self._before, self._after):
            overlay = builds.side.overlays.get(path)
            if overlay is None or (overlay.entry is not None and overlay.entry.entry is not None):
                continue
            for source in sorted(builds.side.deployers.sources_above(overlay)):
                files = self._changed & builds.files(source)
                if outside := sorted(each for each in files if not is_inside(each, overlay.output)):
                    return f"{outside[0]} changes, by which {overlay.output} is applied"
        return ""

    def of_deployer(self, old: Resource, new: Resource) -> str:
        """Return why an object is not what its file says, if a kustomization that lists the file has changed.

        ``old`` and ``new`` are the object as it is written on each side.
        """
        for folder in folders_above(new.origin.path):
            files = self._before.files(folder) | self._after.files(folder)
            changed = (files & self._changed) - {old.origin.path, new.origin.path}
            if new.origin.path not in files or not changed:
                continue
            label, file = f"{new.kind} {new.name}", min(changed)
            before, after = self._before.composed(folder), self._after.composed(folder)
            if before is None or after is None:
                return f"{file} changes, and {label} cannot be built from {folder}"
            written = {each.field for each in field_changes(old.content, new.content)}
            built = field_changes(before.get(_place(old), EMPTY), after.get(_place(new), EMPTY))
            is_other = {each.field for each in built} - written
            return f"{file} changes {label}, which deploys it" if is_other else ""
        return ""


class _Builds:
    """The kustomizations of one side."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self._graph = KustomizationGraph(side.fs)
        self.files = cache(self._files)
        self.composed = cache(self._composed)

    def _files(self, folder: str) -> frozenset[str]:
        """Return the kustomizations that the one in a folder uses, and the files that these list."""
        links = filter(None, map(self._graph.links, self._graph.folders(folder)))
        return frozenset(file for each in links for file in (each.file, *each.files))

    def _composed(self, folder: str) -> Mapping[_Place, JsonObject] | None:
        """Return what a kustomization makes of the objects in files; None if it cannot be built."""
        composed = self.side.composed(folder)
        return None if composed is None else {_place(each): each.content for each in composed}


def _place(resource: Resource) -> _Place:
    return resource.origin.path, resource.origin.document
