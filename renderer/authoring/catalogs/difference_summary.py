"""The differences of two catalogs on a page: equal changes of many entries are one line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from renderer.authoring.catalogs.differences import Differences, change_text, counts_text
from renderer.authoring.catalogs.entry import KINDS, EntryType
from renderer.model.kube.resource import Resource
from renderer.model.log_line import log_line
from renderer.model.plural import listed, plural

#: Up to this number, the changes of one field get a line each.
_MOST_CHANGES = 2
_MOST_NAMES = 8


def as_summary(found: Differences, resources: Iterable[Resource]) -> str:
    """Return a line for added and removed entries, and for each field that changed, with the entries' names.

    ``resources`` are the entries of both catalogs: ``u1.*`` means all of its series.
    """
    every = tuple(resources)
    known = {kind: _names(every, kind) for kind in EntryType}
    lines: list[str] = []
    for kind in EntryType:
        for verb, entries in (("removed", found.removed), ("added", found.added)):
            names = _names(entries, kind)
            if names:
                lines.append(f"{verb} {_entries_text(kind, names, known[kind])}")
    for kind in EntryType:
        lines += _changed_lines(found, kind, known[kind])
    return "".join(f"{line}\n" for line in (*lines, counts_text(found)))


def _changed_lines(found: Differences, kind: EntryType, known: Collection[str]) -> Iterator[str]:
    by_field: dict[str, dict[str, dict[str, None]]] = {}
    for resource, changes in found.changed:
        for change in changes if KINDS[resource.kind][0] is kind else ():
            texts = by_field.setdefault(str(change.field), {})
            texts.setdefault(change_text(change), {})[resource.name] = None
    if by_field:
        names = _names((each.resource for each in found.changed), kind)
        yield f"changed {_entries_text(kind, names, known)}"
    for field, texts in by_field.items():
        if len(texts) > _MOST_CHANGES:
            entries = _entries_text(kind, {name: None for alike in texts.values() for name in alike}, known)
            yield f"  {log_line(field)}: {len(texts)} different changes in {entries}"
            continue
        for text, alike in texts.items():
            yield f"  {text} in {_entries_text(kind, alike, known)}"


def _names(resources: Iterable[Resource], kind: EntryType) -> dict[str, None]:
    return {each.name: None for each in resources if KINDS[each.kind][0] is kind}


def _entries_text(kind: EntryType, names: Collection[str], known: Collection[str]) -> str:
    """Return ``54 instance types: u1.*, cx1.large``."""
    shown: dict[str, None] = {}
    for name in names:
        series = f"{name.partition('.')[0]}."
        members = {each for each in known if each.startswith(series)}
        is_whole = len(members) > 1 and name in members and members.issubset(names)
        shown[f"{series}*" if is_whole else name] = None
    return f"{plural(len(names), kind.noun)}: {listed([*map(log_line, shown)], _MOST_NAMES)}"
