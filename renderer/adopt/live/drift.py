"""Compare one object of a cluster with Git, field by field, and predict the effect of a sync on each field.

The object of Git is first completed with the fields that the cluster fills in by itself (``_Completion``).
Fields that still differ are drift (``Drift``).

The cluster fills in a field that Git does not have if

1. it is a label or annotation of Argo CD or Flux (``kubevirt.facts.allocated_fields``), or of another
   controller (``kubevirt.facts.controller_marks``), or a finalizer or owner that nobody applied,
2. the value is the default of this kind (``server_defaults``, ``Drift``'s ``predicted``),
3. the cluster chooses the value, such as a MAC address, and no person wrote it; a pin in Git may have
   written the revision of a matcher, which then is not KubeVirt's own, or
4. ``managedFields`` name only controllers as owners. Webhooks and defaults leave no owner, because the field
   manager runs before admission (Kubernetes ``apiserver/pkg/endpoints/handlers/create.go``). If
   client-side apply sent the object, it owns the defaults too; the last-applied annotation lacks them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Self

from renderer.adopt.live.ignored_differences import is_undone_by_flux
from renderer.adopt.live.managed_fields import FieldOwners, Owner, applied_finalizers, last_applied
from renderer.diff.server_defaults import (
    is_known_kind,
    keeps_empty_values,
    with_server_defaults,
    with_stored_data,
)
from renderer.kubevirt.facts.allocated_fields import is_chosen_by_cluster, is_tracking
from renderer.kubevirt.facts.controller_marks import is_controller_finalizer, is_controller_mark
from renderer.kubevirt.facts.kinds import MATCHER_KEYS
from renderer.kubevirt.facts.lists import field_changes, is_equal, is_same, is_same_amount, named_elements
from renderer.kubevirt.facts.server_fields import without_server_fields
from renderer.kubevirt.facts.stored_values import as_stored
from renderer.model.difference import FieldChange, NoValue, Value
from renderer.model.kube.field_path import ROOT, FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, array_at, object_at, with_value, without
from renderer.model.kube.list_elements import FieldLookup, element_names, value_at
from renderer.model.kube.res_id import Gvk
from renderer.model.kube.resource import Resource
from renderer.model.run.work import spend

#: Steps for pairing two lists, and for each of their elements (``model.run.work``).
_STEPS_PER_LIST, _STEPS_PER_ELEMENT = 110, 8
_METADATA_KEYS = ("labels", "annotations")
_METADATA = FieldPath.of("metadata")
_OWNERS = _METADATA.child("ownerReferences")
_FINALIZERS = _METADATA.child("finalizers")
_EMPTY: Sequence[object] = ({}, [], "", None, NoValue.ABSENT)


class Drift:
    """The drift of one object.

    ``stored`` is the object of the cluster, without the fields that the API server and controllers write;
    ``completed`` is the object of Git, with the fields that the cluster fills in. ``fields`` are the fields
    in which they differ. ``unjudged`` is the number of fields that may be defaults, and are treated as
    defaults.
    """

    def __init__(
        self,
        live: Resource,
        written: Resource,
        predicted: JsonObject,
        *,
        merges: bool,
        applied_revisions: Container[tuple[str, str]] = (),
    ) -> None:
        """Compare ``live`` with ``written``, the object of Git.

        ``predicted`` is ``written`` with the known defaults. ``merges`` is set if Flux keeps fields that
        kubectl has added. ``applied_revisions`` are the ControllerRevisions that KubeVirt did not make, by
        namespace and name.
        """
        self.live = live
        self._completion = _Completion(live, predicted, applied_revisions)
        self._merges = merges
        self._written = FieldLookup(written.content)
        self._managers_of_elements: dict[FieldPath, frozenset[str]] = {}
        self.owners = self._completion.owners
        self._keeps_empty = keeps_empty_values(live.gvk)
        identified: JsonObject = {**written.content, "apiVersion": live.api_version}
        if live.namespace and not written.namespace:
            identified = with_value(identified, ("metadata", "namespace"), live.namespace)
        self.stored = self._completion.stored
        self.completed = self._completion.completed(identified)
        self.unjudged = len(self._completion.unjudged)
        self.fields: tuple[FieldChange, ...] = ()
        if not is_same(self.stored, self.completed):
            self.stored, self.completed = self._as_stored(self.stored), self._as_stored(self.completed)
            self.fields = self._fields()

    def with_completed(self, completed: JsonObject) -> Self:
        """Return the drift from another object of Git, which is already complete."""
        drift = object.__new__(type(self))
        drift.__dict__.update(self.__dict__)
        drift.completed = completed
        drift.fields = drift._fields()
        return drift

    def _as_stored(self, content: JsonObject) -> JsonObject:
        return as_stored(content) if self._keeps_empty else content

    def _fields(self) -> tuple[FieldChange, ...]:
        changes = field_changes(*map(_with_keyed_metadata, (self.stored, self.completed)))
        if self._keeps_empty:
            return changes
        return tuple(
            each
            for each in changes
            if each.before not in _EMPTY or each.after not in _EMPTY or _is_label_or_annotation(each.field)
        )

    def owned_changes(self) -> list[FieldChange]:
        """Return the fields that differ, each with its owners in the cluster and whether a sync keeps it."""
        found = []
        for change in self.fields:
            owners = self._owners_of(change.field)
            names = tuple(dict.fromkeys(owner.manager for owner in owners))
            found.append(change._replace(owners=names, kept=self._is_kept(change, owners)))
        return found

    def _owners_of(self, field: FieldPath) -> tuple[Owner, ...]:
        if field.parent != _FINALIZERS:
            return self.owners.of(field)
        index = self._completion.finalizers.get(str(field.segments[-1]))
        return () if index is None else self.owners.of(_FINALIZERS.child(index))

    def _is_finalizer_kept(self, owners: Sequence[Owner]) -> bool:
        """Return True if a sync keeps a finalizer that Git does not have.

        Only server-side apply merges finalizers; other ways of applying replace a list that Git has.
        """
        return self._merges_finalizers and not any(owner.is_applier and owner.is_exact for owner in owners)

    @cached_property
    def _merges_finalizers(self) -> bool:
        if not array_at(self._written.value(_FINALIZERS)):
            return True
        return any(
            owner.applies
            for name in array_at(self.completed, *_FINALIZERS.keys)
            if isinstance(name, str)
            for owner in self._owners_of(_FINALIZERS.child(name))
        )

    def _is_kept(self, change: FieldChange, owners: Sequence[Owner]) -> bool:
        """Return True if a sync keeps a field.

        A sync keeps fields that Git does not have, with three exceptions: fields that were applied before,
        fields in a list that Git writes, because a sync replaces the list, and fields that Flux takes over
        from kubectl. An element of a list that Git does not write is kept if the whole list is. Server-side
        apply keeps the elements of others in a set, and in a list whose elements have keys.
        """
        if change.after is not NoValue.ABSENT or self._completion.is_pin(change.field, change.before):
            return False
        if change.field.parent == _FINALIZERS:
            return self._is_finalizer_kept(owners)
        at = _outermost_list(change.field)
        if at == change.field.parent and at != change.field and self.owners.merges_elements(at):
            return not self._managers_of_written_elements(at) & {each.manager for each in owners}
        if at != change.field and (at != change.field.parent or self._written.value(at) is not None):
            return False
        whole = self.owners.of(at)
        if any(each.applies and (each.is_exact or each._replace(is_exact=True) in whole) for each in owners):
            return False
        if not self._merges and any(is_undone_by_flux(self.live, owner) for owner in owners):
            return False
        sent = self._completion.last_applied
        return sent is None or value_at(sent, at.segments) is None

    def _managers_of_written_elements(self, at: FieldPath) -> frozenset[str]:
        """Return who applied the elements of a list that Git writes: the engine."""
        if at in self._managers_of_elements:
            return self._managers_of_elements[at]
        written, live = self._written.value(at), array_at(self.live.content, *at.keys)
        elements = written if isinstance(written, list) else []
        spend(_STEPS_PER_ELEMENT * len(elements) * len(live), "pairing elements")
        places = (at.child(index) for index, each in enumerate(live) if _index_of(each, elements) is not None)
        found = frozenset(owner.manager for each in places for owner in self.owners.of(each) if owner.applies)
        self._managers_of_elements[at] = found
        return found

    def synced(self) -> JsonObject:
        """Return the object after a sync."""
        made, changes = self.completed, self.owned_changes()
        removed = {change.field for change in changes if not change.kept}
        kept = [change for change in changes if change.kept]
        finalizers = [str(change.before) for change in kept if change.field.parent == _FINALIZERS]
        if finalizers:
            present = array_at(made, *_FINALIZERS.keys)
            made = with_value(made, _FINALIZERS.keys, [*present, *finalizers])
        others = [change for change in kept if change.field.parent != _FINALIZERS]
        for at in dict.fromkeys(_outermost_list(change.field) for change in others):
            if self.owners.merges_elements(at):
                values = [each.before for each in others if each.field.parent == at]
                added = [each for each in values if not isinstance(each, NoValue)]
                made = with_value(made, at.keys, [*array_at(made, *at.keys), *added])
                continue
            value = object_at(self.stored, *at.keys[:-1]).get(at.keys[-1])
            names = element_names(value) if isinstance(value, list) else None
            if isinstance(value, list) and names is not None:
                named = zip(names, value, strict=True)
                value = [each for name, each in named if at.child(name) not in removed]
            made = with_value(made, at.keys, value)
        return made


def _outermost_list(field: FieldPath) -> FieldPath:
    """Return the path of the outermost list that contains a field; without such a list, the field's own."""
    keys = takewhile(lambda segment: isinstance(segment, str), field.segments)
    return FieldPath(tuple(keys))


def _with_keyed_metadata(content: JsonObject) -> JsonObject:
    """Return an object whose labels, annotations and finalizers are compared one by one.

    Finalizers are a set, so each is compared by its name.
    """
    keyed = {key: object_at(content, "metadata", key) for key in _METADATA_KEYS}
    keyed["finalizers"] = {
        name: name for name in array_at(content, *_FINALIZERS.keys) if isinstance(name, str)
    }
    return {**content, "metadata": {**object_at(content, "metadata"), **keyed}}


def _is_label_or_annotation(field: FieldPath) -> bool:
    return (
        field.segments[:1] == ("metadata",)
        and len(field.segments) > 1
        and field.segments[1] in _METADATA_KEYS
    )


class _Completion:
    """The fields that a cluster has filled into one object.

    ``stored`` is the object in the cluster without the extra fields that the API server and controllers
    write. ``unjudged`` are fields that may or may not be defaults: vmrender does not know the kind, and the
    dump does not say who owns the fields.
    """

    def __init__(
        self, live: Resource, predicted: JsonObject, applied_revisions: Container[tuple[str, str]]
    ) -> None:
        """``predicted`` is the object of Git with the known defaults."""
        self._applied_revisions = applied_revisions
        stored, _ = without_server_fields(live.content)
        self.stored = without(stored, "status")
        self._live = live
        self.owners = FieldOwners(live.content)
        self.last_applied = last_applied(live.content)
        self._last_applied = FieldLookup(self.last_applied)
        self.unjudged: list[FieldPath] = []
        self._gvk: Gvk = live.gvk
        self._predicted = with_server_defaults(with_stored_data(predicted))

    def completed(self, written: JsonObject) -> JsonObject:
        """Return the object of Git with the fields that the cluster fills in, with the cluster's values."""
        stored = without(with_stored_data(written), "status")
        return self._completed_mapping(stored, self.stored, self._predicted, ROOT)

    def _completed_mapping(
        self, written: JsonObject, live: JsonObject, predicted: Json, at: FieldPath
    ) -> JsonObject:
        """Return the written mapping ``at`` a path with the fields that the cluster has filled in."""
        made: dict[str, Json] = {key: value for key, value in written.items() if value is not None}
        for key, value in live.items():
            if value is None:
                continue
            if at == _METADATA and key == "finalizers":
                made[key] = self._completed_finalizers(array_at(written, key), value)
                continue
            place, known = at.child(key), object_at(predicted).get(key)
            if key in made:
                made[key] = self._completed_value(made[key], value, known, place)
            else:
                made |= self._filled_in_field(key, value, known, place)
        return made

    def _completed_finalizers(self, written: Sequence[Json], live: Json) -> list[Json]:
        """Return the finalizers of Git and those in the cluster that nobody applied."""
        found = [*written]
        known = {name for name in written if isinstance(name, str)}
        for name in live if isinstance(live, list) else ():
            if not isinstance(name, str) or name in known:
                continue
            owners = self.owners.of(_FINALIZERS.child(self.finalizers[name]))
            is_unowned = name not in self.applied_finalizers and all(each.is_controller for each in owners)
            if is_unowned or is_controller_finalizer(name):
                found.append(name)
                known.add(name)
        return found

    @cached_property
    def finalizers(self) -> Mapping[str, int]:
        """The index of each finalizer of the cluster."""
        names = array_at(self._live.content, *_FINALIZERS.keys)
        return {name: index for index, name in reversed([*enumerate(names)]) if isinstance(name, str)}

    @cached_property
    def applied_finalizers(self) -> frozenset[str]:
        return applied_finalizers(self._live.content)

    def _completed_value(self, written: Json, live: Json, predicted: Json, at: FieldPath) -> Json:
        if is_same(written, live):
            return live
        if isinstance(written, dict) and isinstance(live, dict):
            return self._completed_mapping(written, live, predicted, at)
        if isinstance(written, list) and isinstance(live, list):
            spend(_STEPS_PER_LIST + _STEPS_PER_ELEMENT * (len(written) + len(live)), "pairing elements")
            completed = [
                self._completed_value(each, other, known, at.child(name))
                for each, other, known, name in _paired(written, live, predicted)
            ]
            return self._with_elements_of_controllers(completed, live, at)
        return written

    def _with_elements_of_controllers(
        self, written: Sequence[Json], live: Sequence[Json], at: FieldPath
    ) -> Sequence[Json]:
        """Return a merged list with the elements that only controllers have added, in the cluster's order."""
        if len(written) >= len(live) or at != _outermost_list(at) or not self.owners.merges_elements(at):
            return written
        spend(_STEPS_PER_ELEMENT * len(written) * len(live), "pairing elements")
        left = list(written)
        merged: list[Json] = []
        for index, each in enumerate(live):
            place = _index_of(each, left)
            owners = self.owners.of(at.child(index))
            if place is not None:
                merged.append(left.pop(place))
            elif owners and all(owner.is_controller and owner.is_exact for owner in owners):
                merged.append(each)
        return [*merged, *left]

    def _filled_in_field(self, key: str, live: Json, predicted: Json, at: FieldPath) -> Mapping[str, Json]:
        """Return the field with the parts that the cluster has filled in; empty if it filled in nothing."""
        if self._is_filled_in(live, predicted, at):
            return {key: live}
        if not isinstance(live, dict):
            return {}
        parts = self._completed_mapping({}, live, predicted, at)
        return {key: parts} if parts else {}

    def _is_filled_in(self, live: Json, predicted: Json, at: FieldPath) -> bool:
        """Return True if the cluster fills in a field that Git does not have: the cases above, in order."""
        if is_tracking(at) or at == _OWNERS:
            return True
        if predicted is not None:
            parent = at.segments[-2] if len(at.segments) > 1 else ""
            if is_equal(live, predicted) or is_same_amount(live, predicted, at.segments[-1], parent):
                return True
        owners = self.owners.of(at)
        if self.is_pin(at, live):
            return False
        if is_controller_mark(self._gvk, at, self._live.content):
            return not self._was_applied(at, owners)
        if is_chosen_by_cluster(self._gvk, at):
            return not self._was_applied(at, owners) and all(
                owner.is_controller or owner.is_applier for owner in owners
            )
        if self.owners:
            return self._has_no_author(live, at, owners)
        if is_known_kind(self._gvk) or isinstance(live, dict) or self._was_applied(at, ()):
            return False
        self.unjudged.append(at)
        return True

    def is_pin(self, at: FieldPath, value: Value) -> bool:
        """Return True if a field names a revision that KubeVirt did not make, so that a sync wrote it."""
        is_revision = at.segments[-1] == "revisionName" and at.segments[-2] in MATCHER_KEYS
        return is_revision and (self._live.namespace, value) in self._applied_revisions

    def _has_no_author(self, live: Json, at: FieldPath, owners: tuple[Owner, ...]) -> bool:
        """Return True if nobody has written a field: it is a default, or a controller wrote it."""
        if isinstance(live, dict) and live:
            return False  # its fields are checked one by one
        if all(owner.is_controller for owner in owners):
            return True
        return self.last_applied is not None and all(
            (owner.writes_last_applied and not self._was_applied(at, owners)) or owner.is_controller
            for owner in owners
        )

    def _was_applied(self, at: FieldPath, owners: tuple[Owner, ...]) -> bool:
        """Return True if a field was applied before, so that the next apply removes it."""
        if any(owner.applies and owner.is_exact for owner in owners):
            return True
        return self._last_applied.value(at) is not None


def _index_of(element: Json, elements: Sequence[Json]) -> int | None:
    """Return the index of the element with the same name, or of the same scalar; None without one."""
    for index, other in enumerate(elements):
        if not isinstance(element, dict) or not isinstance(other, dict):
            if is_equal(element, other):
                return index
            continue
        pair = named_elements([element], [other])
        if is_equal(element, other) if pair is None else pair[0].keys() == pair[1].keys():
            return index
    return None


def _paired(
    written: list[Json], live: list[Json], predicted: Json
) -> Iterator[tuple[Json, Json, Json, Segment]]:
    """Yield each written element with the cluster's and the predicted element, or None."""
    defaults: list[Json] = predicted if isinstance(predicted, list) else []
    names = named_elements(written, live)
    if names is None:
        for index, each in enumerate(written):
            other = live[index] if index < len(live) else None
            yield each, other, defaults[index] if index < len(defaults) else None, index
        return
    for index, (name, each) in enumerate(names[0].items()):
        yield each, names[1].get(name), defaults[index] if index < len(defaults) else None, name
