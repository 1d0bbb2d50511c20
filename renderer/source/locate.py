"""Give findings their lines: find sites in files, mask confidential values, drop repetitions, quote lines."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from renderer.kubevirt.confidential import is_about_secret, mask_in_findings
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related, Severity, Unshown
from renderer.model.field_path import ROOT, ElementName, FieldPath
from renderer.model.location import GeneratedText, Location, Site
from renderer.model.masking import MASK, Masking
from renderer.model.taint import taint_masking
from renderer.model.work import may_find_lines
from renderer.source.file_system import FileSystem
from renderer.source.find_kustomization import KUSTOMIZATION_FILES
from renderer.source.public_lines import public_lines
from renderer.source.recorder import Recorder, Task
from renderer.yamlio.marks import MarkedFile

#: Steps to look for a field at one site (``model.work``).
_LOOKING = 60
#: Codes that repeat a finding of the schema about the same value; that one lists the values that are known.
_TOLD_BY_SCHEMA = frozenset(
    {Code.MATCHER_INVALID, Code.QUANTITY_INVALID, Code.RESOURCE_INVALID, Code.TOPOLOGY, Code.UNKNOWN_KIND}
)

#: Findings about the name of a field, whatever its value is.
_ABOUT_KEYS = frozenset(
    {
        Code.CONFLICT,
        Code.DEPRECATED,
        Code.NOT_MIGRATED,
        Code.RUNNING_DEPRECATED,
        Code.SERVER_FIELD,
        Code.UNKNOWN_FIELD,
        Code.UNSUPPORTED_FIELD,
        Code.UNUSED_SUPPRESSION,
    }
)


def without_repetitions(located: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings without those that repeat a finding of a schema.

    Those are: a finding about the same field in the same place; an API version that is not served, where an
    object of that version is used; a quantity that stopped the expansion of an object, which knows no field.
    """
    located = tuple(located)
    refused = [found for found in located if found.code is Code.SCHEMA and found.severity is Severity.ERROR]
    if not refused:
        return located
    places = {_line_key(found.location) for found in refused}
    fields = {(found.location, found.field) for found in refused}
    resources = {found.resource for found in refused}

    def repeats(found: Diagnostic) -> bool:
        if found.code is Code.API_VERSION:
            return any(_line_key(related.location) in places for related in found.related)
        if found.code is Code.QUANTITY_INVALID and (found.field or ROOT) == ROOT:
            return found.resource in resources
        return found.code in _TOLD_BY_SCHEMA and (found.location, found.field) in fields

    return tuple(found for found in located if not repeats(found))


def _line_key(location: Location | None) -> tuple[str, int] | None:
    return location and (location.path, location.line)


def locate(
    fs: FileSystem, diagnostics: Iterable[Diagnostic], locator: Locator | None = None
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics with their locations, sorted as a reader goes through the files.

    Findings that are equal on one line are merged into one, with all overlays that they were found in.
    ``locator`` is one that has read some of the files already.
    """
    merged = MergedFindings()
    merged.add_all(map((locator or Locator(fs)).located, diagnostics))
    return merged.found()


class MergedFindings:
    """Located findings, of which those that are equal on one line are merged as they come.

    Of more than ``most``, the first are kept, errors before others. Of each of the others, which are
    ``unshown``, a number alone is kept, by which it is known when it comes again.
    """

    def __init__(self, most: int | None = None, unshown: Unshown | None = None) -> None:
        self.unshown = unshown or Unshown()
        self._most = most
        self._first: dict[Diagnostic, Diagnostic] = {}
        #: The overlays of findings that came more than once.
        self._overlays: dict[Diagnostic, dict[str, None]] = {}
        self._numbers: set[int] = set()

    def __len__(self) -> int:
        """Return how many findings are held, of which ``found`` may leave some out."""
        return len(self._first)

    def add_all(self, located: Iterable[Diagnostic]) -> None:
        """Add findings that know their lines."""
        for each in located:
            self.add(each)

    def add(self, located: Diagnostic) -> None:
        """Add a finding that knows its line."""
        mistake = _mistake(located)
        if self._numbers and hash(mistake) in self._numbers:
            return
        first = self._first.setdefault(mistake, located)
        if first is not located:
            overlays = self._overlays.setdefault(mistake, dict.fromkeys(first.overlays))
            overlays.update(dict.fromkeys(located.overlays))
        if self._most is not None and len(self._first) > 2 * self._most:  # seldom, as it sorts all of them
            self._leave_out(self._most)

    def found(self) -> tuple[Diagnostic, ...]:
        """Return the findings that are kept, sorted as a reader goes through the files."""
        if self._most is not None and len(self._first) > self._most:
            self._leave_out(self._most)
        return tuple(sorted(without_repetitions(self._merged()), key=_reading_order))

    def _merged(self) -> Iterator[Diagnostic]:
        for mistake, first in self._first.items():
            overlays = self._overlays.get(mistake)
            yield first if overlays is None else first._replace(overlays=tuple(overlays))

    def _leave_out(self, most: int) -> None:
        found = without_repetitions(self._merged())
        chosen = sorted(found, key=_reading_order)
        chosen.sort(key=lambda each: each.severity is not Severity.ERROR)
        for each in chosen[most:]:
            self._numbers.add(hash(_mistake(each)))
            self.unshown = self.unshown.with_one(each)
        kept = set(map(id, chosen[:most]))
        self._first = {_mistake(each): each for each in found if id(each) in kept}
        self._overlays.clear()


#: Bytes of the files that a locator holds for the findings of the next overlay.
_MOST_HELD = 4 << 20


class Locator:
    """Finds sites in files, each of which it reads once and holds until it is told to let go."""

    def __init__(self, fs: FileSystem, recorder: Recorder | None = None) -> None:
        self._fs = fs
        self._recorder = recorder or Recorder()
        #: The file asked last comes last, each with its size.
        self._files: dict[str, tuple[MarkedFile, int]] = {}
        self._texts: dict[GeneratedText, MarkedFile] = {}

    def located(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return the finding with its line in place of its sites, and likewise for all that is related."""
        of_value = not diagnostic.about_key and diagnostic.code not in _ABOUT_KEYS
        site, location = self._found(diagnostic.sites, of_value=of_value)
        related = (*diagnostic.related, *_values(site))
        if is_about_secret(diagnostic):
            (diagnostic,) = mask_in_findings([diagnostic], Masking(self._written(diagnostic.sites)))
        if diagnostic.location:
            location = self._in_text(diagnostic.location, diagnostic.sites) or location
        return diagnostic._replace(
            sites=(),
            about_key=False,
            location=location or diagnostic.location,
            related=tuple(self._located_related(other) for other in related),
        )

    def let_go(self) -> None:
        """Hold only the files asked last, up to 4 MiB: overlays may have very many in all."""
        held = sum(size for _, size in self._files.values())
        while held > _MOST_HELD:
            held -= self._files.pop(next(iter(self._files)))[1]
        self._texts.clear()

    def _in_text(self, inner: Location, sites: tuple[Site, ...]) -> Location | None:
        """A location counted in the text at the first of ``sites``, in the file; unchanged without sites."""
        if not sites:
            return inner
        site = sites[0]
        mark = self._marked(site).position_in_scalar(site.document, site.field, inner.line, inner.column)
        return Location(site.path, mark.line, mark.column) if mark else None

    def _written(self, sites: Iterable[Site]) -> Iterator[str]:
        """The scalars at ``sites`` as they are written."""
        for site in sites:
            yield from filter(None, self._marked(site).texts(site.document, [site.field]))

    def _located_related(self, related: Related) -> Related:
        site, location = self._found(related.sites)
        values = f", made of {site.text.values}" if site and site.text else ""
        return related._replace(
            message=related.message + values, sites=(), location=related.location or location
        )

    def location_of(self, sites: tuple[Site, ...]) -> Location | None:
        """Return the location of the first site that holds its field, or the nearest in the last site.

        Once such searches have used up their part of the run's work, only the last site is searched.
        """
        return self._found(sites)[1]

    def _found(
        self, sites: tuple[Site, ...], *, of_value: bool = False
    ) -> tuple[Site | None, Location | None]:
        nearest: tuple[Site | None, Location | None] = None, None
        for site in sites:
            if site is not sites[-1] and not may_find_lines(_LOOKING):
                continue
            location, exact = self._location_at(site, sites[-1], of_value=of_value)
            nearest = site, location
            if exact:
                break
        return nearest

    def _location_at(self, site: Site, base: Site, *, of_value: bool) -> tuple[Location, bool]:
        """The location of ``site``, and whether it is exact; JSON patches have the indices of the base."""
        indexed = None
        if site is not base and any(isinstance(segment, ElementName) for segment in site.field.segments):
            indexed = _below_patch(site, self._marked(base).indexed(base.document, base.field))
        mark = self._marked(site).find(site.document, site.field, indexed, of_value=of_value)
        if mark is None:
            return Location(site.path), False
        if site.text:
            return Location(site.path, site.text.lines[mark.line - 1]), mark.exact
        return Location(site.path, mark.line, mark.column, mark.end), mark.exact

    def _marked(self, site: Site) -> MarkedFile:
        return self._text(site.text) if site.text else self._file(site.path)

    def _text(self, text: GeneratedText) -> MarkedFile:
        if text not in self._texts:
            self._texts[text] = MarkedFile(text.content.encode())
        return self._texts[text]

    def _file(self, path: str) -> MarkedFile:
        with self._recorder.using(Task("lines", path)):
            held = self._files.pop(path, None)
            if held is None:
                content = self._content(path)
                held = MarkedFile(content), len(content)
        self._files[path] = held
        return held[0]

    def _content(self, path: str) -> bytes:
        """Return nothing for what is no file: its name is all there is to say."""
        try:
            return self._fs.read(path) if self._fs.is_file(path) else b""
        except DiagnosticError:
            return b""


def _below_patch(site: Site, indexed: FieldPath) -> FieldPath:
    """The field of a patch that stands inside its file, with indices."""
    above = len(site.field.segments) - len(indexed.segments)
    return FieldPath(site.field.segments[: max(above, 0)] + indexed.segments)


def _mistake(located: Diagnostic) -> Diagnostic:
    """The key by which findings are merged: one line is one mistake, whichever objects it reached."""
    has_line = located.location is not None and located.location.line > 0
    return located._replace(overlays=(), sites=(), resource=None if has_line else located.resource)


def _values(site: Site | None) -> tuple[Related, ...]:
    """The values that a template filled into the text at ``site``, as a related place."""
    if site is None or site.text is None:
        return ()
    return (Related(f"made of {site.text.values}", (site.text.values_site,)),)


def _reading_order(diagnostic: Diagnostic) -> tuple[Location, str, str]:
    return diagnostic.location or Location(""), diagnostic.code, diagnostic.message


#: Any other file may be one of those that Secrets are made from.
_YAML = (".yaml", ".yml", ".json", ".j2")


def quoted_lines(fs: FileSystem, locations: Iterable[Location | None]) -> Mapping[Location, str | None]:
    """Return the line at each location that has one; None for a line that may be confidential.

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
    """Return whether one of the lines at the locations holds a value that was noted in this run."""
    lines = quoted_lines(fs, locations).values() if taint_masking() else ()
    return any(line is not None and MASK in line for line in lines)


def _lines(fs: FileSystem, path: str, places: Iterable[Location]) -> Mapping[Location, str | None]:
    try:
        content = fs.read(path)
    except DiagnosticError:  # it went away
        return {}
    found = public_lines(content, {place.line for place in places})
    mask, there = taint_masking().mask, content.count(b"\n") + 1
    lines = {place: found.get(place.line) for place in places if place.line <= there}
    return {place: line and mask(line) for place, line in lines.items()}


def _is_yaml(path: str) -> bool:
    return path == "-" or path.endswith(_YAML) or posixpath.basename(path) in KUSTOMIZATION_FILES
