"""The lines of the source that a report quotes below its findings."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from renderer.files.file_system import FileSystem
from renderer.findings.public_lines import public_lines
from renderer.kustomize.reader.find_kustomization import KUSTOMIZATION_FILES
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Location
from renderer.model.masking import MASK, Masking
from renderer.model.run.taint import taint_masking
from renderer.yamlio.documents import Chunk, split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.events import MalformedError
from renderer.yamlio.node_tree import parse_document

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
    masking, count = taint_masking(), content.count(b"\n") + 1
    hidden = _lines_of_values(content, found, masking) if masking else frozenset()
    lines = {place: found.get(place.line) for place in places if place.line <= count}
    return {
        place: None if place.line in hidden else line and masking.mask(line) for place, line in lines.items()
    }


def _lines_of_values(content: bytes, wanted: Collection[int], masking: Masking) -> frozenset[int]:
    """Return the numbers of the ``wanted`` lines in which a mask may not find a value.

    A value on several lines, folded or with escapes is not in any of its lines as it is.
    """
    hidden: set[int] = set()
    try:
        chunks: Sequence[Chunk] = split_documents(text_of(content))
    except UnusableError:
        return frozenset(wanted)
    for chunk in chunks:
        end = chunk.first_line + chunk.text.count("\n") + 1
        within = {number for number in wanted if chunk.first_line < number <= end}
        if within:
            hidden.update(within.intersection(_lines_of_document(chunk, masking)))
    return frozenset(hidden)


def _lines_of_document(chunk: Chunk, masking: Masking) -> Iterator[int]:
    """Yield the lines, from 1 in the file, of each value that is not in its line as it is."""
    try:
        root = parse_document(chunk.text).root
    except MalformedError:  # its lines are masked one by one
        return
    for node in root.walk() if root else ():
        if not node.text or not masking.is_in(node.text):
            continue
        first, last = node.position.line, node.source.position(max(node.start, node.end - 1)).line
        if first < last or node.text not in node.source.lines[first]:
            yield from (chunk.first_line + line + 1 for line in range(first, last + 1))


def _is_yaml(path: str) -> bool:
    return path == "-" or path.endswith(_YAML) or posixpath.basename(path) in KUSTOMIZATION_FILES
