"""Merge located findings: equal ones on one line, and ones that repeat a finding of a schema."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator

from renderer.findings.located import Located, Unshown
from renderer.model.codes import Code, Trait
from renderer.model.diagnostic import Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.location import Location
from renderer.model.pattern import pattern
from renderer.model.suggest import suggest

_LEVELS = tuple(Severity)
#: A word of a message; names have dots and dashes.
_WORD = pattern(r"[\w.-]+")
_SIZES = ("instancetype", "cpu", "cores", "sockets", "threads", "memory", "guest")


def without_repetitions(located: Iterable[Located]) -> tuple[Located, ...]:
    """Return the findings; leave out repetitions and consequences of an error that a schema found.

    These are repetitions: a finding about the same field in the same place; an API version that is not
    served, reported where an object of that version is used; a quantity that stopped the expansion of an
    object, which does not know the field; a warning of a schema about a field that has an error. This is a
    consequence: a requirement that is not met, as the field for the size is misspelt or elsewhere.
    """
    located = tuple(located)
    errors = [found for found in located if found.severity is Severity.ERROR]
    refused = [found for found in errors if found.code is Code.SCHEMA]
    places = {_line_key(found.location) for found in refused}
    fields = {(found.location, found.field) for found in refused}
    wrong_fields = {(found.location, found.field) for found in errors}
    resources = {found.resource for found in refused}
    unknown = [found for found in errors if found.code is Code.UNKNOWN_FIELD]
    unsized = {each for found in unknown if _is_size(found.field) for each in _objects(found)}

    def repeats(found: Located) -> bool:
        if found.code is Code.REQUIREMENT:
            return not unsized.isdisjoint(_objects(found))
        if found.code is Code.SCHEMA and found.severity is Severity.WARNING:
            return (found.location, found.field) in wrong_fields
        if found.code is Code.API_VERSION:
            return any(_line_key(related.location) in places for related in found.related)
        if found.code is Code.QUANTITY_INVALID and (found.field or ROOT) == ROOT:
            return found.resource in resources
        return Trait.REPEATS_SCHEMA in found.code.traits and (found.location, found.field) in fields

    return tuple(found for found in located if not repeats(found)) if errors else located


def _objects(found: Located) -> Iterator[Hashable]:
    """Yield the object of a finding in each of its overlays, or in its file."""
    for where in found.overlays or (found.location and found.location.path,):
        yield found.resource, where


def _is_size(field: FieldPath | None) -> bool:
    """Return True if a misspelt or misplaced field gives a machine its instance type, vCPUs or memory."""
    return field is not None and bool(suggest(str(field.segments[-1]), _SIZES, cutoff=0.75))


def _line_key(location: Location | None) -> tuple[str, int] | None:
    return location and (location.path, location.line)


class _Overlays:
    """The overlays that a finding was found in, as a chain from the last one back to the first.

    Findings of the same overlays share one chain: otherwise each of a thousand mistakes in a base would hold
    the names of a thousand overlays.
    """

    __slots__ = ("_following", "_last", "_names", "before", "name")

    def __init__(self, name: str = "", before: _Overlays | None = None) -> None:
        self.name = name
        self.before = before
        self._following: dict[str, _Overlays] = {}
        self._last: tuple[tuple[str, ...], _Overlays] = (), self
        self._names: tuple[str, ...] | None = None

    def followed_by(self, names: tuple[str, ...]) -> _Overlays:
        """Return the chain of these overlays and of ``names``."""
        last, chain = self._last
        if names is not last:  # else it is the next finding of the same overlay
            chain = self
            for name in names:
                if name != chain.name:
                    chain = chain.then(name)
            self._last = names, chain
        return chain

    def then(self, name: str) -> _Overlays:
        """Return the chain of these overlays and another one."""
        if name not in self._following:
            self._following[name] = _Overlays(name, self)
        return self._following[name]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order in which they came, each once."""
        if self._names is None:
            found: list[str] = []
            chain: _Overlays | None = self
            while chain is not None and chain.before is not None:
                found.append(chain.name)
                chain = chain.before
            self._names = tuple(dict.fromkeys(reversed(found)))
        return self._names


class MergedFinding:
    """A finding and what was merged with it. ``is_kept`` is False once it is one of those not shown."""

    __slots__ = ("_first", "_objects", "_overlays", "is_kept")

    def __init__(self, first: Located, no_overlays: _Overlays) -> None:
        self._first = first
        self._overlays = no_overlays.followed_by(first.overlays)
        #: The hashes of its other objects.
        self._objects: set[int] = set()
        self.is_kept = True

    @property
    def found(self) -> Located:
        """The finding with all of its overlays."""
        return self._first._replace(overlays=self._overlays.names)

    def merge(self, located: Located) -> None:
        """Add an equal finding, which may be about another object."""
        self.repeat(located.overlays)
        if located.hides_line and not self._first.hides_line:
            self._first = self._first._replace(hides_line=True)
        first, others = self._first, self._count_others(located)
        if others != first.other_objects or first.fix != located.fix:
            fix = first.fix if first.fix == located.fix else None  # else there are several right answers
            self._first = first._replace(fix=fix, other_objects=others)

    def repeat(self, overlays: tuple[str, ...]) -> None:
        """Add the overlays in which the same finding came again."""
        self._overlays = self._overlays.followed_by(overlays)

    def _count_others(self, located: Located) -> int:
        """Return the number of objects of both findings besides the one that the first names."""
        first = self._first
        if located.resource == first.resource:
            return max(first.other_objects, located.other_objects)
        if hash(located.resource) in self._objects:
            return first.other_objects
        self._objects.add(hash(located.resource))
        return first.other_objects + 1 + located.other_objects


class MergedFindings:
    """Located findings; equal ones on one line are merged as they come.

    At most the first ``most`` are kept, errors before others. Of each of the others (``unshown``), only a
    hash is kept, to recognise it when it comes again.
    """

    def __init__(self, most: int | None = None, unshown: Unshown | None = None) -> None:
        self.unshown = unshown or Unshown()
        self._most = most
        self._merged: dict[Hashable, MergedFinding] = {}
        #: The same, by what their messages say of any object (``_anonymous_key``).
        self._anonymous: dict[Hashable, MergedFinding] = {}
        self._no_overlays = _Overlays()
        self._hashes: set[int] = set()

    def __len__(self) -> int:
        """Return the number of stored findings; ``found`` may leave some out."""
        return len(self._merged)

    def add(self, located: Located) -> MergedFinding | None:
        """Add a finding. Return what it was merged into, for the next time; None if it is not kept."""
        key, anonymous = _merge_key(located), _anonymous_key(located)
        if self._hashes and (hash(key) in self._hashes or hash(anonymous) in self._hashes):
            return None
        merged = self._merged.get(key) or self._anonymous.get(anonymous)
        if merged is not None:
            merged.merge(located)
            return merged
        merged = MergedFinding(located, self._no_overlays)
        self._merged[key] = self._anonymous[anonymous] = merged
        if self._most is not None and len(self._merged) > 2 * self._most:  # seldom, as it sorts all of them
            self._drop_excess(self._most)
        return merged if merged.is_kept else None

    def found(self) -> tuple[Located, ...]:
        """Return the kept findings in reading order."""
        if self._most is not None and len(self._merged) > self._most:
            self._drop_excess(self._most)
        found = without_repetitions(each.found for each in self._merged.values())
        return tuple(sorted(found, key=_reading_order))

    def _drop_excess(self, most: int) -> None:
        merged = {id(found): (found, each) for each in self._merged.values() for found in [each.found]}
        found = without_repetitions(each for each, _ in merged.values())
        chosen = sorted(found, key=_reading_order)
        chosen.sort(key=lambda each: each.severity is not Severity.ERROR)
        for each in chosen[most:]:
            self._hashes |= {hash(_merge_key(each)), hash(_anonymous_key(each))}
            self.unshown = self.unshown.with_one(each)
        for _, dropped in merged.values():
            dropped.is_kept = False
        kept = set(map(id, chosen[:most]))
        self._merged, self._anonymous, self._no_overlays = {}, {}, _Overlays()
        for each in found:
            if id(each) in kept:
                again = MergedFinding(each, self._no_overlays)
                self._merged[_merge_key(each)] = self._anonymous[_anonymous_key(each)] = again


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
        tuple(related for related in located.related if not related.is_row),
        located.target,
    )


def _anonymous_key(located: Located) -> Hashable:
    """Return the key for findings of one line whose messages differ only in the name of the object."""
    if located.location is None or not located.location.line:
        return _merge_key(located)
    message, hint = without_own_name(located)
    return _merge_key(located._replace(message=message, hint=hint))


def without_own_name(finding: Located) -> tuple[str, str]:
    """Return the message and the hint with a mark in place of the name of the finding's own object."""
    name = finding.resource.name if finding.resource else ""
    return _without_word(finding.message, name), _without_word(finding.hint or "", name)


def _without_word(text: str, word: str) -> str:
    if not word or word not in text:
        return text
    return _WORD.sub(lambda found: "\0" if found[0] == word else found[0], text)


def _reading_order(finding: Located) -> tuple[Location, int, str, str]:
    """Return the key of the order of all reports: by file and line, as compilers have it, then errors first.

    So what one edits together is together, and editors and fixes go through a file once.
    """
    rank = _LEVELS.index(finding.severity)
    return finding.location or Location(""), rank, finding.code, finding.message
