"""Entries of a kustomization that are commented out: what they name is switched off, not forgotten."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from renderer.files.file_system import FileSystem, folder_of
from renderer.kustomize.reader.kustomization_graph import KustomizationGraph, folders_above
from renderer.model.diagnostic import DiagnosticError

_COMMENTED_ENTRY = re.compile(r"^[ \t]*#[# \t]*-[ \t]*[\"']?([^\s\"'#]+)", re.MULTILINE)


def commented_entries(fs: FileSystem, kustomization: str) -> Mapping[str, tuple[int, str]]:
    """Return the paths in the comments of a kustomization, each with the number and text of its entry."""
    try:
        text = fs.read(kustomization).decode(errors="replace")
    except DiagnosticError:
        return {}
    found: dict[str, tuple[int, str]] = {}
    for number, listed in enumerate(_COMMENTED_ENTRY.findall(text)):
        place = posixpath.normpath(posixpath.join(folder_of(kustomization), listed))
        found.setdefault(place, (number, listed))
    return found


def is_commented_out(fs: FileSystem, graph: KustomizationGraph, path: str) -> bool:
    """Return True if a kustomization beside or above a file has it, or its folder, in a comment."""
    places = {path, *folders_above(path)} - {"."}
    kustomizations = (links.file for folder in folders_above(path) if (links := graph.links(folder)))
    return any(not places.isdisjoint(commented_entries(fs, each)) for each in kustomizations)
