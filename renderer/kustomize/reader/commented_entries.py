"""Entries of a kustomization that are commented out: what they name is switched off, not forgotten."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from renderer.files.file_system import FileSystem, folder_of
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.diagnostic import DiagnosticError

_COMMENTED_ENTRY = re.compile(r"^[ \t]*#[# \t]*-[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)


class CommentedEntries:
    """The entries in the comments of kustomizations; each kustomization is searched once."""

    def __init__(self, fs: FileSystem, graph: KustomizationGraph) -> None:
        self._fs = fs
        self._graph = graph
        self._found: dict[str, Mapping[str, tuple[int, str]]] = {}

    def of(self, folder: str) -> Mapping[str, tuple[int, str]]:
        """Return the number and text of each entry in the comments of a folder's kustomization, by path."""
        if folder not in self._found:
            links = self._graph.links(folder)
            self._found[folder] = _entries_in(self._fs, links.file) if links else {}
        return self._found[folder]

    def have(self, path: str) -> bool:
        """Return True if a kustomization beside or above a file has it, or its folder, in a comment."""
        places = {path, *folders_above(path)} - {"."}
        return any(not places.isdisjoint(self.of(folder)) for folder in folders_above(path))


def _entries_in(fs: FileSystem, kustomization: str) -> Mapping[str, tuple[int, str]]:
    try:
        text = fs.read(kustomization).decode(errors="replace")
    except DiagnosticError:
        return {}
    found: dict[str, tuple[int, str]] = {}
    for number, listed in enumerate(_COMMENTED_ENTRY.findall(text)):
        place = posixpath.normpath(posixpath.join(folder_of(kustomization), listed))
        found.setdefault(place, (number, listed))
    return found
