"""The instance types and preferences of a catalog, indexed by the fields that they set, and their order.

Of objects that fit a VirtualMachine equally well, the ones whose names it mentions come first,
the longest name before the others. A mention is in a label or an annotation, an image, a source of its disks,
or its own name. Next come cluster-wide objects, which KubeVirt deploys, then the smallest name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TypeAlias, TypeVar

from renderer.adopt.fit.instancetype_fields import InstancetypeFields
from renderer.adopt.fit.preference_fields import PreferenceFields
from renderer.kubevirt.facts.kinds import CLUSTER_KINDS, INSTANCETYPE, MATCHER_TYPES, PREFERENCE, MatcherType
from renderer.kubevirt.instancetype.api.instancetype import is_incomplete
from renderer.kubevirt.instancetype.applied_specs import ApplyError
from renderer.kubevirt.instancetype.behaviour import Behaviour
from renderer.kubevirt.instancetype.catalog import Catalog, Scope
from renderer.kubevirt.instancetype.cause import CauseError
from renderer.kubevirt.instancetype.find import MatchedObject, decode_object
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, text_at
from renderer.model.record import Record

#: The sort key of an object; the smallest is chosen.
SortKey: TypeAlias = tuple[int, bool, str]
T = TypeVar("T", InstancetypeFields, PreferenceFields)

#: A label whose purpose is to name the object counts more than a mention of any length elsewhere.
_NAMED = 1000
_NAMING_LABELS = frozenset(matcher_type.name_label for matcher_type in MATCHER_TYPES)


class Mentions:
    """The texts of a VirtualMachine that may contain the name of an instance type or preference."""

    def __init__(self, vm: JsonObject) -> None:
        labels = object_at(vm, "metadata", "labels")
        self._named = frozenset(str(labels[key]) for key in _NAMING_LABELS & labels.keys())
        #: The letters of all texts, one text a line.
        self._letters = "\n".join({_letters(text) for text in _texts(vm) if text})
        self._known: dict[str, int] = {}

    def of(self, name: str) -> int:
        """Return how clearly the VM mentions a name; 0 if it does not."""
        if name not in self._known:
            letters = _letters(name)
            if name in self._named:
                self._known[name] = _NAMED
            elif letters and letters in self._letters:
                self._known[name] = len(letters)
            else:
                self._known[name] = 0
        return self._known[name]


@lru_cache(maxsize=4096)
def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


def _texts(vm: JsonObject) -> Iterator[str]:
    template = object_at(vm, "spec", "template")
    for metadata in (object_at(vm, "metadata"), object_at(template, "metadata")):
        for key in ("labels", "annotations"):
            for label, value in object_at(metadata, key).items():
                yield from (text for text in (value, label.rpartition("/")[2]) if isinstance(text, str))
    for volume in array_at(template, "spec", "volumes"):
        yield text_at(volume, "containerDisk", "image")
    for each in array_at(vm, "spec", "dataVolumeTemplates"):
        spec = object_at(each, "spec")
        yield text_at(spec, "sourceRef", "name")
        for source in object_at(spec, "source").values():
            yield from (text for text in object_at(source).values() if isinstance(text, str))
    yield text_at(vm, "metadata", "name")


def visible_in_order(
    members: tuple[MatchedObject, ...], mentions: Mentions, scope: Scope
) -> tuple[MatchedObject, ...]:
    """Return the objects that a VM in ``scope`` sees, the preferred one first."""
    visible = [
        each for each in members if scope.find(each.resource.kind, each.resource.name) is each.resource
    ]
    return tuple(sorted(visible, key=lambda found: sort_key(found, mentions)))


def sort_key(found: MatchedObject | None, mentions: Mentions) -> SortKey:
    """Return the sort key of an object among equally good fits; the smallest is chosen."""
    if found is None:
        return 0, False, ""
    resource = found.resource
    return -mentions.of(resource.name), resource.kind not in CLUSTER_KINDS, resource.name


class InstancetypeGroup(Record):
    """The instance types with one ``spec``, and the fields that it sets."""

    fields: InstancetypeFields
    members: tuple[MatchedObject, ...]


class PreferenceGroup(Record):
    """The preferences with one ``spec``, regardless of their requirements, and the fields that it sets."""

    fields: PreferenceFields
    members: tuple[MatchedObject, ...]


class Candidates:
    """The objects of a catalog that can be applied in a release, grouped by their effect on a VM.

    An instance type that leaves its size to the VM, or whose spec cannot be decoded, is not a candidate.
    """

    def __init__(self, catalog: Catalog, behaviour: Behaviour) -> None:
        instancetypes = _grouped(catalog, INSTANCETYPE, behaviour)
        preferences = _grouped(catalog, PREFERENCE, behaviour)
        self.instancetypes = tuple(
            InstancetypeGroup(fields, tuple(members))
            for members in instancetypes
            if not is_incomplete(members[0].spec)
            for fields in _applied_fields(InstancetypeFields, members[0].spec, behaviour)
        )
        self.preferences = tuple(
            PreferenceGroup(fields, tuple(members))
            for members in preferences
            for fields in _applied_fields(PreferenceFields, members[0].spec, behaviour)
        )
        self._by_memory: dict[Json, list[InstancetypeGroup]] = {}
        for group in self.instancetypes:
            self._by_memory.setdefault(group.fields.memory, []).append(group)

    def with_memory(self, memory: Json) -> Iterator[InstancetypeGroup]:
        """Yield the instance types with this guest memory, a canonical quantity."""
        yield from self._by_memory.get(memory, ())


def _grouped(
    catalog: Catalog, matcher_type: MatcherType, behaviour: Behaviour
) -> Iterator[list[MatchedObject]]:
    """Yield groups of decoded objects whose specs are equal, except for the requirements of preferences."""
    groups: dict[str, list[MatchedObject]] = {}
    for kind in reversed(matcher_type.kinds):
        for resource in catalog.of_kind(kind):
            try:
                found = decode_object(resource, matcher_type, behaviour)
            except CauseError:
                continue
            applied = {key: value for key, value in found.spec.items() if key != "requirements"}
            groups.setdefault(json.dumps(applied, sort_keys=True), []).append(found)
    yield from groups.values()


def _applied_fields(
    make: Callable[[JsonObject, Behaviour], T], spec: JsonObject, behaviour: Behaviour
) -> Iterator[T]:
    """Yield the fields of a spec, unless it cannot be applied."""
    try:
        yield make(spec, behaviour)
    except ApplyError:
        return


def topology_key(preference: JsonObject) -> tuple[object, ...]:
    """Return the fields of a preference's ``spec`` by which it spreads vCPUs."""
    cpu = object_at(preference, "cpu")
    return (
        cpu.get("preferredCPUTopology"),
        str(cpu.get("spreadOptions")),
        preference.get("preferSpreadSocketToCoreRatio"),
    )
