"""The lines of the source that a report quotes below its findings."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from renderer.files.file_system import FileSystem
from renderer.findings.public_lines import public_lines
from renderer.kustomize.reader.find_kustomization import KUSTOMIZATION_FILES
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Location
from renderer.model.masking import MASK
from renderer.model.run.taint import taint_masking

#: Any other file may be the source of a generated Secret.
_YAML = (".yaml", ".yml", ".json", ".j2")


def quoted_lines(fs: FileSystem, locations: Iterable[Location | None]) -> Mapping[Location, str | None]:
    """Return the line at each location, if it has one; None for a line that may be confidential.

    Values that were noted in this run are masked.
    """
    by_file: dict[str, set[Location]] = {}
    for location in locations:
        if location and location.line and _is_yaml(location.path):
            by_file.setdefault(location.path, set()).add(location)
    return {
        location: line
        for path, places in by_file.items()
        for location, line in _lines(fs, path, places).items()
    }


def quotes_tainted(fs: FileSystem, locations: Iterable[Location | None]) -> bool:
    """Return True if a line at one of the locations holds a confidential value noted in this run."""
    lines = quoted_lines(fs, locations).values() if taint_masking() else ()
    return any(line is not None and MASK in line for line in lines)


def _lines(fs: FileSystem, path: str, places: Iterable[Location]) -> Mapping[Location, str | None]:
    try:
        content = fs.read(path)
    except DiagnosticError:  # it was removed meanwhile
        return {}
    found = public_lines(content, {place.line for place in places})
    mask, count = taint_masking().mask, content.count(b"\n") + 1
    lines = {place: found.get(place.line) for place in places if place.line <= count}
    return {place: line and mask(line) for place, line in lines.items()}


def _is_yaml(path: str) -> bool:
    return path == "-" or path.endswith(_YAML) or posixpath.basename(path) in KUSTOMIZATION_FILES
