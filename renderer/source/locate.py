"""Sites become lines: the file is read again with marks, but only when there is something to say about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.location import Location, Site
from renderer.source.file_system import FileSystem
from renderer.yamlio.marks import MarkedFile


def locate(fs: FileSystem, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics with their locations filled in, sorted as a reader goes through the files."""
    locator = Locator(fs)
    located = {locator.located(diagnostic): None for diagnostic in diagnostics}
    return tuple(sorted(located, key=_reading_order))


class Locator:
    """Finds sites in files, each of which it reads once."""

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        self._files: dict[str, MarkedFile] = {}

    def located(self, diagnostic: Diagnostic) -> Diagnostic:
        return replace(
            diagnostic,
            location=diagnostic.location or self.location_of(diagnostic.sites),
            related=tuple(self._located_related(related) for related in diagnostic.related),
        )

    def _located_related(self, related: Related) -> Related:
        return related._replace(location=related.location or self.location_of(related.sites))

    def location_of(self, sites: tuple[Site, ...]) -> Location | None:
        """The first site that holds its field; where none does, what comes nearest in the last, the base."""
        nearest: Location | None = None
        for site in sites:
            location, exact = self._mark(site)
            if exact:
                return location
            nearest = location
        return nearest

    def _mark(self, site: Site) -> tuple[Location, bool]:
        mark = self._file(site.path).find(site.document, site.field)
        if mark is None:
            return Location(site.path), False
        return Location(site.path, mark.line, mark.column), mark.exact

    def _file(self, path: str) -> MarkedFile:
        if path not in self._files:
            try:
                content = self._fs.read(path)
            except DiagnosticError:  # it went away, or was never one: its name is all there is to say
                content = b""
            self._files[path] = MarkedFile(content)
        return self._files[path]


def _reading_order(diagnostic: Diagnostic) -> tuple[Location, str, str]:
    return diagnostic.location or Location(""), diagnostic.code, diagnostic.message
