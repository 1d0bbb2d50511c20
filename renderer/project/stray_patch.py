"""Decide whether a file that no kustomization lists looks like a patch, which may leave fields out."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Iterable, Iterator

from renderer.files.file_system import folder_of
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import object_at
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern

#: The words of a path: ``cpu-patch``, ``cpuPatch`` and ``CPU_PATCH`` have two.
_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PATCH_WORDS = frozenset({"patch", "patches"})


class StrayPatches:
    """Finds files of one project that may be patches; ``resources`` returns the objects of a manifest.

    A patch is in or below the folder of a kustomization that could list it, which has the object to patch.
    """

    def __init__(
        self,
        graph: KustomizationGraph,
        list_folder: Callable[[str], Iterable[str]],
        resources: Callable[[str], Iterable[Resource]],
    ) -> None:
        self._graph = graph
        self._list = list_folder
        self._resources = resources

    def is_patch(self, file: str, incomplete: ResId, missing: FieldPath) -> bool:
        """Return True if ``file`` has the name of a patch, or if another object has the missing field."""
        *parents, key = map(str, missing.segments)
        return is_named_as_patch(file, incomplete.name) or any(
            each.current_id.name == incomplete.name
            and (each.gvk.group, each.gvk.kind) == (incomplete.gvk.group, incomplete.gvk.kind)
            and key in object_at(each.content, *parents)
            for path in self._possible_targets(file)
            if path != file
            for each in self._resources(path)
        )

    def _possible_targets(self, file: str) -> Iterator[str]:
        """Yield the files of kustomizations that could list ``file``; if there are none, of its folder."""
        kustomizations = [each for each in folders_above(file) if self._graph.links(each)]
        if not kustomizations:
            folder = folder_of(file)
            yield from (posixpath.normpath(posixpath.join(folder, name)) for name in self._list(folder))
        yield from dict.fromkeys(path for each in kustomizations for path in sorted(self._graph.files(each)))


def is_named_as_patch(file: str, name: str) -> bool:
    """Return True if a word of the path is "patch", and not only in the name of the object itself."""
    folder, base = posixpath.split(file)
    words = _WORD.findall(posixpath.join(folder, base.replace(name, " ") if name else base))
    return not _PATCH_WORDS.isdisjoint(map(str.lower, words))
