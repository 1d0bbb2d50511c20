"""Sites become lines: the file is read again with marks, but only when there is something to say about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.location import Location, Site
from renderer.source.file_system import FileSystem
from renderer.yamlio import marks


def locate(fs: FileSystem, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics with their locations filled in, sorted as a reader goes through the files."""
    located = {_located(fs, diagnostic): None for diagnostic in diagnostics}
    return tuple(sorted(located, key=_reading_order))


def _located(fs: FileSystem, diagnostic: Diagnostic) -> Diagnostic:
    return replace(
        diagnostic,
        location=diagnostic.location or location_of(fs, diagnostic.sites),
        related=tuple(_located_related(fs, related) for related in diagnostic.related),
    )


def _located_related(fs: FileSystem, related: Related) -> Related:
    return related._replace(location=related.location or location_of(fs, related.sites))


def location_of(fs: FileSystem, sites: tuple[Site, ...]) -> Location | None:
    """The first site that holds its field; where none does, what comes nearest in the last one, the base."""
    nearest: Location | None = None
    for site in sites:
        location, exact = _mark(fs, site)
        if exact:
            return location
        nearest = location
    return nearest


def _mark(fs: FileSystem, site: Site) -> tuple[Location, bool]:
    try:
        mark = marks.find(fs.read(site.path), site.document, site.field)
    except DiagnosticError:  # the file went away, or was never one: its name is all there is to say
        mark = None
    if mark is None:
        return Location(site.path), False
    return Location(site.path, mark.line, mark.column), mark.exact


def _reading_order(diagnostic: Diagnostic) -> tuple[Location, str, str]:
    return diagnostic.location or Location(""), diagnostic.code, diagnostic.message
