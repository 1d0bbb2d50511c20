"""Compare two catalogs, resource by resource and field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from renderer.catalogs.entry import CatalogEntry, EntryType, scope_words
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.json import Json, JsonObject
from renderer.model.quantity import Quantity
from renderer.model.resource import Resource

#: Fields of instance types and preferences that hold quantities, below ``spec``.
_QUANTITIES = frozenset(
    FieldPath.of("spec", *path)
    for path in (
        ("memory", "guest"),
        ("memory", "maxGuest"),
        ("memory", "hugepages", "pageSize"),
        ("requirements", "memory", "guest"),
    )
)
_NAMES = ("name", "deviceName")


class MissingField:
    """Stands for a value where there is no field; null is another value."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = MissingField()


class CatalogFieldChange(NamedTuple):
    """``before`` or ``after`` is ``ABSENT`` where the field is only on one side."""

    field: FieldPath
    before: Json | MissingField
    after: Json | MissingField


def field_changes(before: Json, after: Json, field: FieldPath = ROOT) -> Iterator[CatalogFieldChange]:
    """The deepest fields that differ, as they stand in the documents.

    Mappings are compared by key, lists whose elements have names by those, others by index. Quantities are
    compared by what they amount to: 1Gi is 1024Mi.
    """
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _keyed(_by_field_name(before), _by_field_name(after), field)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _keyed(_by_element(before), _by_element(after), field)
    elif not _is_equal(before, after, field):
        yield CatalogFieldChange(field, before, after)


def _keyed(
    before: Mapping[Segment, Json], after: Mapping[Segment, Json], field: FieldPath
) -> Iterator[CatalogFieldChange]:
    for key in dict.fromkeys((*before, *after)):
        place = field.child(key)
        if key not in after:
            yield CatalogFieldChange(place, before[key], ABSENT)
        elif key not in before:
            yield CatalogFieldChange(place, ABSENT, after[key])
        else:
            yield from field_changes(before[key], after[key], place)


def _by_field_name(mapping: JsonObject) -> dict[Segment, Json]:
    return {key: mapping[key] for key in sorted(mapping)}


def _by_element(elements: Sequence[Json]) -> dict[Segment, Json]:
    named: dict[Segment, Json] = {}
    for element in elements:
        name = _element_name(element)
        if name is None or name in named:
            return dict(enumerate(elements))
        named[name] = element
    return named


def _element_name(element: Json) -> ElementName | None:
    if not isinstance(element, dict):
        return None
    found = ((key, element.get(key)) for key in _NAMES)
    return next((ElementName(key, value) for key, value in found if isinstance(value, str)), None)


def _is_equal(before: Json, after: Json, field: FieldPath) -> bool:
    if field in _QUANTITIES:
        try:
            return Quantity.of(before).compare(Quantity.of(after)) == 0
        except DiagnosticError:
            pass
    return type(before) is type(after) and before == after


_Key: TypeAlias = tuple[str, str, str]

_LONGEST_VALUE = 80


class ChangedResource(NamedTuple):
    """A resource of both catalogs, and what is not the same in it."""

    resource: Resource
    changes: tuple[CatalogFieldChange, ...]


class Differences(NamedTuple):
    """``equal`` counts the resources in which there is nothing to tell."""

    added: tuple[Resource, ...]
    removed: tuple[Resource, ...]
    changed: tuple[ChangedResource, ...]
    equal: int

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def differences(before: Iterable[Resource], after: Iterable[Resource], *, spec_only: bool) -> Differences:
    """What must be done to ``before`` to make it ``after``, in the order of kinds and names.

    ``spec_only`` leaves labels, annotations and the API version out of the comparison.
    """
    old, new = _by_key(before), _by_key(after)
    pairs = [(old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    found = [
        ChangedResource(after, tuple(_changes(before, after, spec_only=spec_only))) for before, after in pairs
    ]
    changed = tuple(each for each in found if each.changes)
    return Differences(
        added=tuple(new[key] for key in sorted(new.keys() - old.keys())),
        removed=tuple(old[key] for key in sorted(old.keys() - new.keys())),
        changed=changed,
        equal=len(pairs) - len(changed),
    )


def as_text(found: Differences) -> str:
    """A line for each resource and field; one for both scopes where the same differs in them."""
    lines = [*_listed("removed", found.removed), *_listed("added", found.added)]
    same: dict[tuple[EntryType, str, str], list[CatalogEntry]] = {}
    for resource, changes in found.changed:
        entry = CatalogEntry(resource, catalog="")
        text = "".join(f"  {_line(change)}\n" for change in changes)
        same.setdefault((entry.type, entry.name, text), []).append(entry)
    lines += [
        f"changed {kind.noun} {name} ({scope_words(alike)})\n{text}"
        for (kind, name, text), alike in same.items()
    ]
    counts = f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"
    return "".join((*lines, f"{counts}, {found.equal} equal\n"))


def as_json(found: Differences) -> Json:
    """A mapping with the lists ``added``, ``removed`` and ``changed``, and the number of ``equal`` ones."""
    return {
        "added": [_identity(resource) for resource in found.added],
        "removed": [_identity(resource) for resource in found.removed],
        "changed": [
            {**_identity(resource), "fields": [_field(change) for change in changes]}
            for resource, changes in found.changed
        ],
        "equal": found.equal,
    }


def _by_key(resources: Iterable[Resource]) -> dict[_Key, Resource]:
    return {(resource.kind, resource.name, resource.namespace): resource for resource in resources}


def _changes(before: Resource, after: Resource, *, spec_only: bool) -> Iterator[CatalogFieldChange]:
    for change in field_changes(before.content, after.content):
        if not spec_only or change.field.segments[0] == "spec":
            yield change


def _listed(what: str, resources: Sequence[Resource]) -> Iterator[str]:
    alike: dict[tuple[EntryType, str, str], list[CatalogEntry]] = {}
    for entry in (CatalogEntry(resource, catalog="") for resource in resources):
        alike.setdefault((entry.type, entry.name, entry.amounts), []).append(entry)
    for (_, _, amounts), entries in alike.items():
        requires = "requires " if amounts and entries[0].type is EntryType.PREFERENCE else ""
        facts = filter(None, (f"{requires}{amounts}", scope_words(entries)))
        yield f"{what} {entries[0].type.noun} {entries[0].name} ({'; '.join(facts)})\n"


def _line(change: CatalogFieldChange) -> str:
    return f"{change.field}: {_shown(change.before)} -> {_shown(change.after)}"


def _shown(value: Json | MissingField) -> str:
    """In one line, as JSON; the beginning of what is long."""
    if isinstance(value, MissingField):
        return "nothing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} …"


def _identity(resource: Resource) -> dict[str, Json]:
    namespace: dict[str, Json] = {"namespace": resource.namespace} if resource.namespace else {}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "name": resource.name} | namespace


def _field(change: CatalogFieldChange) -> Json:
    sides = {"before": change.before, "after": change.after}
    return {
        "field": str(change.field),
        **{side: value for side, value in sides.items() if not isinstance(value, MissingField)},
    }
