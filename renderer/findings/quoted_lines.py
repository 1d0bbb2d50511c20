"""The lines of the source that a report quotes below its findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from renderer.files.file_system import FileSystem
from renderer.findings.located import Located
from renderer.findings.public_lines import public_lines
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.location import Location
from renderer.model.kustomization import is_kustomization_file
from renderer.model.masking import MASK, Masking
from renderer.model.run.taint import noted_masking, taint_masking
from renderer.model.run.work import begin_findings, spend
from renderer.yamlio.documents import split_documents, text_of
from renderer.yamlio.errors import UnusableError
from renderer.yamlio.texts_on_lines import TextsOnLines

#: Any other file may be the source of a generated Secret.
_YAML = (".yaml", ".yml", ".json", ".j2")
#: Characters that are searched for values in one step; the steps to decide what of a file may be shown, for
#: each character (``model.run.work``).
_CHARACTERS_SEARCHED, _STEPS_PER_CHARACTER = 2, 8
_DECIDING = "looking for confidential values"


def quoted_lines(fs: FileSystem, findings: Iterable[Located]) -> Mapping[Location, str | None]:
    """Return the line of each finding, if it has one; None for a line that may be confidential.

    Values that were noted in this run are masked. The lines of the findings are known by now: what may be
    shown of them has a budget of its own, so that a report of many findings quotes lines as well.
    """
    begin_findings()
    findings = tuple(findings)
    hidden = {_line_of(each.location) for each in findings if each.hides_line}
    return {
        location: None if _line_of(location) in hidden else line
        for path, places in _by_file(each.location for each in findings).items()
        for location, line in _lines(fs, path, places).items()
    }


def without_hidden_values(fs: FileSystem, findings: Iterable[Located]) -> tuple[Located, ...]:
    """Return the findings, without the ``old`` value of a fix of which no report may quote the line."""
    findings = tuple(findings)
    lines = quoted_lines(fs, (each for each in findings if each.fix and each.fix.old is not None))
    hidden = {place for place, line in lines.items() if line is None or MASK in line}
    return tuple(
        each._replace(fix=each.fix._replace(old=None)) if each.fix and each.location in hidden else each
        for each in findings
    )


def _line_of(location: Location | None) -> tuple[str, int] | None:
    return location and (location.path, location.line)


def _by_file(locations: Iterable[Location | None]) -> Mapping[str, Collection[Location]]:
    """Return the locations that have lines to quote, by path."""
    by_file: dict[str, set[Location]] = {}
    for location in locations:
        if location and location.line and _is_yaml(location.path):
            by_file.setdefault(location.path, set()).add(location)
    return by_file


class TaintedQuotes:
    """Tells whether a report would hide or mask a line because of a value noted in this run.

    Overlays with the same mistakes ask about the same lines: what may be shown is decided once for each line.
    """

    def __init__(self, fs: FileSystem) -> None:
        self._fs = fs
        #: By path and number.
        self._texts: dict[str, dict[int, Sequence[str]]] = {}

    def any_at(self, locations: Iterable[Location | None]) -> bool:
        """Return True if a line at one of the locations holds a noted value, or a part, and may be shown."""
        masking = noted_masking()
        return bool(masking) and any(
            self._is_in_lines(path, {place.line for place in places}, masking)
            for path, places in _by_file(locations).items()
        )

    def _is_in_lines(self, path: str, numbers: set[int], masking: Masking) -> bool:
        try:
            content = self._fs.read(path)
        except DiagnosticError:  # it was removed meanwhile
            return False
        known = self._texts.setdefault(path, {})
        new = numbers - known.keys()
        if new:
            spend(_STEPS_PER_CHARACTER * len(content), _DECIDING)
            shown = public_lines(content, new)
            try:
                on_lines = TextsOnLines(split_documents(text_of(content)))
                known.update({number: on_lines.at(number) if number in shown else () for number in new})
            except UnusableError:
                known.update({number: (text_of(content),) if number in shown else () for number in new})
        texts = {text for number in numbers for text in known[number]}
        spend(len(numbers) + sum(map(len, texts)) // _CHARACTERS_SEARCHED, _DECIDING)
        return any(map(masking.is_in, texts))


def _lines(fs: FileSystem, path: str, places: Iterable[Location]) -> Mapping[Location, str | None]:
    try:
        content = fs.read(path)
    except DiagnosticError:  # it was removed meanwhile
        return {}
    found = public_lines(content, {place.line for place in places})
    masking, count = taint_masking(), content.count(b"\n") + 1
    hidden = lines_of_values(content, found, masking) if masking else frozenset()
    lines = {place: found.get(place.line) for place in places if place.line <= count}
    return {
        place: None if place.line in hidden else line and masking.mask(line) for place, line in lines.items()
    }


def lines_of_values(content: bytes, wanted: Iterable[int], masking: Masking) -> frozenset[int]:
    """Return the numbers of the ``wanted`` lines in which a mask may not find a value.

    A value on several lines, folded or with escapes is not in any of its lines as it is.
    """
    try:
        texts = TextsOnLines(split_documents(text_of(content)))
        return frozenset(number for number in wanted if any(map(masking.is_in, texts.unlike_line(number))))
    except UnusableError:
        return frozenset(wanted)


def _is_yaml(path: str) -> bool:
    return path == "-" or path.endswith(_YAML) or is_kustomization_file(path)
