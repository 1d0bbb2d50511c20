"""Compare two catalogs, resource by resource and field by field."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from renderer.authoring.catalogs.entry import CatalogEntry, EntryType, scope_words
from renderer.kubevirt.facts.confidential.object_fields import ConfidentialFields
from renderer.kubevirt.facts.lists import field_changes
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.resource import Resource
from renderer.model.log_line import log_line
from renderer.model.run.taint import taint_masking

_Key: TypeAlias = tuple[str, str, str]

_LONGEST_VALUE = 80


class ChangedResource(NamedTuple):
    """A resource of both catalogs, and its differences."""

    resource: Resource
    changes: tuple[FieldChange, ...]


class Differences(NamedTuple):
    """``equal`` counts the resources without differences."""

    added: tuple[Resource, ...]
    removed: tuple[Resource, ...]
    changed: tuple[ChangedResource, ...]
    equal: int

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def differences(before: Iterable[Resource], after: Iterable[Resource], *, spec_only: bool) -> Differences:
    """Return the changes that turn ``before`` into ``after``, in the order of kinds and names.

    ``spec_only`` excludes labels, annotations and the API version from the comparison. A change of a
    confidential value is a difference, but neither value is in it.
    """
    old, new, secrets = _by_key(before), _by_key(after), taint_masking()
    pairs = [(old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    changed: list[ChangedResource] = []
    for left, right in pairs:
        fields = ConfidentialFields(right.kind, (left.content, right.content), secrets)
        changes = tuple(
            fields.without_secrets(change)
            for change in field_changes(left.content, right.content)
            if not spec_only or change.field.segments[0] == "spec"
        )
        if changes:
            changed.append(ChangedResource(right, changes))
    return Differences(
        added=tuple(new[key] for key in sorted(new.keys() - old.keys())),
        removed=tuple(old[key] for key in sorted(old.keys() - new.keys())),
        changed=tuple(changed),
        equal=len(pairs) - len(changed),
    )


def as_text(found: Differences) -> str:
    """Return a line for each resource and field; a single line if both scopes have the same difference."""
    lines = [*_summary_lines("removed", found.removed), *_summary_lines("added", found.added)]
    same: dict[tuple[EntryType, str, str], list[CatalogEntry]] = {}
    for resource, changes in found.changed:
        entry = CatalogEntry(resource, catalog="")
        text = "".join(f"  {change_text(change)}\n" for change in changes)
        same.setdefault((entry.type, entry.name, text), []).append(entry)
    lines += [
        f"changed {kind.noun} {log_line(name)} ({scope_words(alike)})\n{text}"
        for (kind, name, text), alike in same.items()
    ]
    return "".join((*lines, f"{counts_text(found)}\n"))


def change_text(change: FieldChange) -> str:
    """Return ``spec.cpu.guest: 1 -> 2``."""
    order = "order of " if change.reordered else ""
    return f"{order}{change.field}: {_value_text(change.before)} -> {_value_text(change.after)}"


def counts_text(found: Differences) -> str:
    """Return ``1 added, 0 removed, 2 changed, 5 equal``."""
    counts = f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed"
    return f"{counts}, {found.equal} equal"


def as_json(found: Differences) -> JsonObject:
    """Return the lists ``added``, ``removed`` and ``changed``, and the number of ``equal`` resources."""
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


def _summary_lines(verb: str, resources: Sequence[Resource]) -> Iterator[str]:
    alike: dict[tuple[EntryType, str, str], list[CatalogEntry]] = {}
    for entry in (CatalogEntry(resource, catalog="") for resource in resources):
        alike.setdefault((entry.type, entry.name, entry.amounts), []).append(entry)
    for (_, _, amounts), entries in alike.items():
        requires = "requires " if amounts and entries[0].type is EntryType.PREFERENCE else ""
        facts = filter(None, (f"{requires}{amounts}", scope_words(entries)))
        yield f"{verb} {entries[0].type.noun} {log_line(entries[0].name)} ({'; '.join(facts)})\n"


def _value_text(value: Value) -> str:
    """Return a value in one line, as JSON; a long one is truncated."""
    if value is NoValue.ABSENT:
        return "nothing"
    if value is NoValue.WITHHELD:
        return "(withheld)"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]} …"


def _identity(resource: Resource) -> dict[str, Json]:
    namespace: dict[str, Json] = {"namespace": resource.namespace} if resource.namespace else {}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "name": resource.name} | namespace


def _field(change: FieldChange) -> Json:
    sides = {"before": change.before, "after": change.after}
    return {
        "field": str(change.field),
        **({"reordered": True} if change.reordered else {}),
        **{side: value for side, value in sides.items() if not isinstance(value, NoValue)},
    }
