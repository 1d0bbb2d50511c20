"""An object of Git, completed with what the cluster fills in by itself: what remains different is drift.

A field that only the cluster has is the cluster's own where it is a default, or where ``managedFields`` say
that nobody wrote it: webhooks and defaults leave no owner behind (Kubernetes
``apiserver/pkg/endpoints/handlers/create.go``, where the field manager comes before admission), unless an
object of a built-in kind is sent by client-side apply, and then they are not in its last-applied annotation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.diff.live.managed_fields import FieldOwners, Owner, last_applied
from renderer.diff.server_defaults import (
    is_chosen_by_cluster,
    is_known_kind,
    is_tracking,
    with_server_defaults,
    with_stored_data,
)
from renderer.kubevirt.lists import is_equal, is_same_amount, named_elements
from renderer.kubevirt.server_fields import without_server_fields
from renderer.model.field_path import ROOT, FieldPath, Segment
from renderer.model.json import Json, JsonObject, without
from renderer.model.res_id import Gvk
from renderer.model.resource import Resource, value_at


class Completion:
    """The fields that a cluster has filled into one object.

    ``stored`` is the object in the cluster without what the API server and controllers write beside it.
    ``unjudged`` are fields of which nobody can tell whether they are defaults: the object is of a kind that
    vmrender does not know, and the dump does not say who owns its fields.
    """

    def __init__(self, live: Resource, predicted: JsonObject) -> None:
        """``predicted`` is the object of Git with the defaults that are known."""
        stored, _ = without_server_fields(live.content)
        self.stored = without(stored, "status")
        self.owners = FieldOwners(live.content)
        self.last_applied = last_applied(live.content)
        self.unjudged: list[FieldPath] = []
        self._gvk: Gvk = live.gvk
        self._predicted = with_server_defaults(with_stored_data(predicted))

    def completed(self, written: JsonObject) -> JsonObject:
        """Return the object of Git with the fields that the cluster fills in, as it has filled them in."""
        stored = without(with_stored_data(written), "status")
        return self._mapping(stored, self.stored, self._predicted, ROOT)

    def _mapping(self, written: JsonObject, live: JsonObject, predicted: Json, at: FieldPath) -> JsonObject:
        made: dict[str, Json] = {key: value for key, value in written.items() if value is not None}
        for key, value in live.items():
            if value is None:
                continue
            place, known = at.child(key), _in(predicted, key)
            if key in made:
                made[key] = self._value(made[key], value, known, place)
            else:
                made |= self._filled(key, value, known, place)
        return made

    def _value(self, written: Json, live: Json, predicted: Json, at: FieldPath) -> Json:
        if isinstance(written, dict) and isinstance(live, dict):
            return self._mapping(written, live, predicted, at)
        if isinstance(written, list) and isinstance(live, list):
            return [
                self._value(each, other, known, at.child(name))
                for each, other, known, name in _paired(written, live, predicted)
            ]
        return written

    def _filled(self, key: str, live: Json, predicted: Json, at: FieldPath) -> Mapping[str, Json]:
        """Return the field with the parts of it that the cluster has filled in; nothing where it has none."""
        if self._is_the_clusters(live, predicted, at):
            return {key: live}
        if not isinstance(live, dict):
            return {}
        parts = self._mapping({}, live, predicted, at)
        return {key: parts} if parts else {}

    def _is_the_clusters(self, live: Json, predicted: Json, at: FieldPath) -> bool:
        if is_tracking(at) or self._is_predicted(live, predicted, at):
            return True
        owners = self.owners.of(at)
        if is_chosen_by_cluster(self._gvk, at):
            return not self._was_sent(at, owners) and all(_is_no_person(owner) for owner in owners)
        if self.owners:
            return self._is_nobodys(live, at, owners)
        if is_known_kind(self._gvk) or isinstance(live, dict) or self._was_sent(at, ()):
            return False
        self.unjudged.append(at)
        return True

    def _is_predicted(self, live: Json, predicted: Json, at: FieldPath) -> bool:
        if predicted is None:
            return False
        parent = at.segments[-2] if len(at.segments) > 1 else ""
        return is_equal(live, predicted) or is_same_amount(live, predicted, at.segments[-1], parent)

    def _is_nobodys(self, live: Json, at: FieldPath, owners: tuple[Owner, ...]) -> bool:
        """Tell whether nobody has written a field: it is a default, or a controller's."""
        if isinstance(live, dict) and live:
            return False  # its fields are looked at one by one
        if all(owner.is_controller for owner in owners):
            return True
        return self.last_applied is not None and all(
            (owner.keeps_last_applied and not self._was_sent(at, owners)) or owner.is_controller
            for owner in owners
        )

    def _was_sent(self, at: FieldPath, owners: tuple[Owner, ...]) -> bool:
        """Tell whether a field was applied before, so that the next apply removes it."""
        if any(owner.applies and owner.is_exact for owner in owners):
            return True
        return self.last_applied is not None and value_at(self.last_applied, at.segments) is not None


def _is_no_person(owner: Owner) -> bool:
    return owner.is_controller or owner.is_applier


def _in(value: Json, key: str) -> Json:
    return value.get(key) if isinstance(value, dict) else None


def _paired(
    written: list[Json], live: list[Json], predicted: Json
) -> Iterator[tuple[Json, Json, Json, Segment]]:
    """Yield each written element with that of the cluster and the predicted one; None where there is none."""
    guesses: list[Json] = predicted if isinstance(predicted, list) else []
    names = named_elements(written, live)
    if names is None:
        for index, each in enumerate(written):
            other = live[index] if index < len(live) else None
            yield each, other, guesses[index] if index < len(guesses) else None, index
        return
    for index, (name, each) in enumerate(names[0].items()):
        yield each, names[1].get(name), guesses[index] if index < len(guesses) else None, name
