"""Lines of source files to quote in a report, except for those that hold what is nobody's business."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from renderer.model.diagnostic import DiagnosticError
from renderer.model.location import Location
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.yamlio.public_lines import public_lines

#: Any other file may be one of those that Secrets are made from.
_YAML = (".yaml", ".yml", ".json", ".j2")


def quoted_lines(fs: FileSystem, locations: Iterable[Location | None]) -> Mapping[Location, str]:
    """The line at each location; nothing for one that has no line, or a line that is confidential."""
    by_file: dict[str, set[Location]] = {}
    for location in locations:
        if location and location.line and _is_yaml(location.path):
            by_file.setdefault(location.path, set()).add(location)
    return {
        location: line
        for path, places in by_file.items()
        for location, line in _lines(fs, path, places).items()
    }


def _lines(fs: FileSystem, path: str, places: Iterable[Location]) -> Mapping[Location, str]:
    try:
        content = fs.read(path)
    except DiagnosticError:  # it went away
        return {}
    found = public_lines(content, {place.line for place in places})
    return {place: found[place.line] for place in places if place.line in found}


def _is_yaml(path: str) -> bool:
    return path == "-" or path.endswith(_YAML) or posixpath.basename(path) in KUSTOMIZATION_FILES
