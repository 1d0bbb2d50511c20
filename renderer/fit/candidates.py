"""The instance types and preferences of a catalog, indexed by the fields that they set."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TypeVar

from renderer.fit.instancetype_fields import InstancetypeFields
from renderer.fit.preference_fields import PreferenceFields
from renderer.instancetype.api.v1beta2 import is_incomplete
from renderer.instancetype.apply.applier import ApplyError
from renderer.instancetype.behaviour import Behaviour
from renderer.instancetype.catalog import Catalog
from renderer.instancetype.cause import CauseError
from renderer.instancetype.find import Found, decoded
from renderer.kubevirt.kinds import INSTANCETYPE, PREFERENCE, MatcherType
from renderer.model.json import Json, JsonObject, object_at
from renderer.model.record import Record

T = TypeVar("T", InstancetypeFields, PreferenceFields)


class InstancetypeGroup(Record):
    """The instance types with one ``spec``, and the fields that it sets."""

    fields: InstancetypeFields
    members: tuple[Found, ...]


class PreferenceGroup(Record):
    """The preferences with one ``spec``, whatever they require, and the fields that it sets."""

    fields: PreferenceFields
    members: tuple[Found, ...]


class Candidates:
    """The objects of a catalog that can be applied in a release, in groups that do the same to a VM.

    An instance type that leaves its size to the VM, or whose spec cannot be decoded, is no candidate.
    """

    def __init__(self, catalog: Catalog, behaviour: Behaviour) -> None:
        instancetypes = _grouped(catalog, INSTANCETYPE, behaviour, lambda spec: spec)
        preferences = _grouped(catalog, PREFERENCE, behaviour, _without_requirements)
        self.instancetypes = tuple(
            InstancetypeGroup(fields, tuple(members))
            for members in instancetypes
            if not is_incomplete(members[0].spec)
            for fields in _made(InstancetypeFields, members[0].spec, behaviour)
        )
        self.preferences = tuple(
            PreferenceGroup(fields, tuple(members))
            for members in preferences
            for fields in _made(PreferenceFields, members[0].spec, behaviour)
        )
        self._by_memory: dict[Json, list[InstancetypeGroup]] = {}
        for group in self.instancetypes:
            self._by_memory.setdefault(group.fields.memory, []).append(group)

    def with_memory(self, memory: Json) -> Iterator[InstancetypeGroup]:
        """Yield the instance types with that guest memory, a canonical quantity."""
        yield from self._by_memory.get(memory, ())


def _grouped(
    catalog: Catalog,
    matcher_type: MatcherType,
    behaviour: Behaviour,
    counts: Callable[[JsonObject], JsonObject],
) -> Iterator[list[Found]]:
    """Yield the decoded objects with equal specs, as far as ``counts`` leaves them."""
    groups: dict[str, list[Found]] = {}
    for kind in reversed(matcher_type.kinds):
        for resource in catalog.of_kind(kind):
            try:
                found = decoded(resource, matcher_type, behaviour)
            except CauseError:
                continue
            groups.setdefault(json.dumps(counts(found.spec), sort_keys=True), []).append(found)
    yield from groups.values()


def _without_requirements(spec: JsonObject) -> JsonObject:
    return {key: value for key, value in spec.items() if key != "requirements"}


def _made(make: Callable[[JsonObject, Behaviour], T], spec: JsonObject, behaviour: Behaviour) -> Iterator[T]:
    """Yield the fields of a spec, unless it cannot be applied."""
    try:
        yield make(spec, behaviour)
    except ApplyError:
        return


def topology_key(preference: JsonObject) -> tuple[object, ...]:
    """Return the values by which a preference's ``spec`` spreads vCPUs."""
    cpu = object_at(preference, "cpu")
    return (
        cpu.get("preferredCPUTopology"),
        str(cpu.get("spreadOptions")),
        preference.get("preferSpreadSocketToCoreRatio"),
    )
