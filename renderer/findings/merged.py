"""Merge located findings: equal ones on one line, and ones that repeat a finding of a schema."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from renderer.findings.located import Located, Unshown
from renderer.model.codes import Code, Trait
from renderer.model.diagnostic import Severity
from renderer.model.kube.field_path import ROOT
from renderer.model.kube.location import Location


def without_repetitions(located: Iterable[Located]) -> tuple[Located, ...]:
    """Return the findings; leave out repetitions of a finding of a schema.

    These are repetitions: a finding about the same field in the same place; an API version that is not
    served, reported where an object of that version is used; a quantity that stopped the expansion of an
    object, which does not know the field.
    """
    located = tuple(located)
    refused = [found for found in located if found.code is Code.SCHEMA and found.severity is Severity.ERROR]
    if not refused:
        return located
    places = {_line_key(found.location) for found in refused}
    fields = {(found.location, found.field) for found in refused}
    resources = {found.resource for found in refused}

    def repeats(found: Located) -> bool:
        if found.code is Code.API_VERSION:
            return any(_line_key(related.location) in places for related in found.related)
        if found.code is Code.QUANTITY_INVALID and (found.field or ROOT) == ROOT:
            return found.resource in resources
        return Trait.REPEATS_SCHEMA in found.code.traits and (found.location, found.field) in fields

    return tuple(found for found in located if not repeats(found))


def _line_key(location: Location | None) -> tuple[str, int] | None:
    return location and (location.path, location.line)


class MergedFindings:
    """Located findings; equal ones on one line are merged as they come.

    At most the first ``most`` are kept, errors before others. Of each of the others (``unshown``), only a
    hash is kept, to recognise it when it comes again.
    """

    def __init__(self, most: int | None = None, unshown: Unshown | None = None) -> None:
        self.unshown = unshown or Unshown()
        self._most = most
        self._first: dict[Hashable, Located] = {}
        #: The overlays of findings that occurred more than once.
        self._overlays: dict[Hashable, dict[str, None]] = {}
        self._hashes: set[int] = set()

    def __len__(self) -> int:
        """Return the number of stored findings; ``found`` may leave some out."""
        return len(self._first)

    def add(self, located: Located) -> None:
        """Add a finding."""
        key = _merge_key(located)
        if self._hashes and hash(key) in self._hashes:
            return
        first = self._first.setdefault(key, located)
        if first is not located:
            overlays = self._overlays.setdefault(key, dict.fromkeys(first.overlays))
            overlays.update(dict.fromkeys(located.overlays))
            if first.fix != located.fix:  # there is more than one right answer
                self._first[key] = first._replace(fix=None)
        if self._most is not None and len(self._first) > 2 * self._most:  # seldom, as it sorts all of them
            self._drop_excess(self._most)

    def found(self) -> tuple[Located, ...]:
        """Return the kept findings, sorted by file and line."""
        if self._most is not None and len(self._first) > self._most:
            self._drop_excess(self._most)
        return tuple(sorted(without_repetitions(self._merged()), key=_reading_order))

    def _merged(self) -> Iterator[Located]:
        for key, first in self._first.items():
            overlays = self._overlays.get(key)
            yield first if overlays is None else first._replace(overlays=tuple(overlays))

    def _drop_excess(self, most: int) -> None:
        found = without_repetitions(self._merged())
        chosen = sorted(found, key=_reading_order)
        chosen.sort(key=lambda each: each.severity is not Severity.ERROR)
        for each in chosen[most:]:
            self._hashes.add(hash(_merge_key(each)))
            self.unshown = self.unshown.with_one(each)
        kept = set(map(id, chosen[:most]))
        self._first = {_merge_key(each): each for each in found if id(each) in kept}
        self._overlays.clear()


def _merge_key(located: Located) -> Hashable:
    """Return the key for merging findings: one line is one mistake, whichever objects it affects."""
    has_line = located.location is not None and located.location.line > 0
    return (
        located.code,
        located.message,
        located.severity,
        located.location,
        None if has_line else located.resource,
        located.field,
        located.hint,
        located.related,
        located.target,
    )


def _reading_order(finding: Located) -> tuple[Location, str, str]:
    return finding.location or Location(""), finding.code, finding.message
