"""The fields in which one object of a cluster differs from Git, and what a sync makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from renderer.diff.held_values import held
from renderer.diff.live.completion import Completion
from renderer.diff.live.engine_policies import is_undone_by_flux
from renderer.diff.live.managed_fields import Owner
from renderer.diff.server_defaults import keeps_empty_values
from renderer.kubevirt.lists import field_changes
from renderer.model.difference import FieldChange, NoValue
from renderer.model.field_path import FieldPath
from renderer.model.json import JsonObject, object_at, text_at, with_value
from renderer.model.resource import Resource, value_at

_NOTES = ("labels", "annotations")
_EMPTY: Sequence[object] = ({}, [], "", None, NoValue.ABSENT)


class Drift:
    """One object: ``stored`` is what the cluster holds, ``completed`` Git's and what the cluster fills in."""

    def __init__(self, live: Resource, written: Resource, predicted: JsonObject, *, merges: bool) -> None:
        """``predicted`` is ``written`` with the defaults that are known.

        ``merges``: Flux is told to leave what kubectl has added.
        """
        self.live = live
        self._completion = Completion(live, predicted)
        self._merges = merges
        self.owners = self._completion.owners
        self._keeps_empty = keeps_empty_values(live.gvk)
        self.stored = self._held(self._completion.stored)
        self.completed = self._held(self._completion.completed(_with_identity(written.content, live)))
        self.unjudged = len(self._completion.unjudged)
        self.fields = self._fields()

    def with_completed(self, completed: JsonObject) -> Self:
        """Return the drift from another state of Git."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.completed = completed
        made.fields = made._fields()
        return made

    def _held(self, content: JsonObject) -> JsonObject:
        return held(content) if self._keeps_empty else content

    def _fields(self) -> tuple[FieldChange, ...]:
        changes = field_changes(*map(_with_notes, (self.stored, self.completed)))
        if self._keeps_empty:
            return changes
        return tuple(each for each in changes if _is_note(each.field) or not _is_nothing(each))

    def told(self) -> list[FieldChange]:
        """Return the fields with who owns them in the cluster, and whether a sync leaves them."""
        found = []
        for change in self.fields:
            owners = self.owners.of(change.field)
            names = tuple(dict.fromkeys(owner.manager for owner in owners))
            found.append(change._replace(owners=names, kept=self._is_kept(change, owners)))
        return found

    def _is_kept(self, change: FieldChange, owners: Sequence[Owner]) -> bool:
        """Tell whether a sync leaves a field that only the cluster has, as Git says nothing of it.

        It goes where it was applied before, and in a list that Git writes, which a sync replaces.
        """
        if change.after is not NoValue.ABSENT:
            return False
        if any(not isinstance(segment, str) for segment in change.field.segments):
            return False
        if any(owner.applies and owner.is_exact for owner in owners):
            return False
        if not self._merges and any(is_undone_by_flux(self.live, owner) for owner in owners):
            return False
        sent = self._completion.last_applied
        return sent is None or value_at(sent, change.field.segments) is None

    def synced(self) -> JsonObject:
        """Return the object after a sync."""
        made = self.completed
        for change in self.told():
            if change.kept:
                keys = change.field.keys
                made = with_value(made, keys, object_at(self.stored, *keys[:-1]).get(keys[-1]))
        return made


def _with_notes(content: JsonObject) -> JsonObject:
    """Return an object with labels and annotations, so that they are compared one by one."""
    notes = {key: object_at(content, "metadata", key) for key in _NOTES}
    return {**content, "metadata": {**object_at(content, "metadata"), **notes}}


def _is_note(field: FieldPath) -> bool:
    return field.segments[:1] == ("metadata",) and len(field.segments) > 1 and field.segments[1] in _NOTES


def _is_nothing(change: FieldChange) -> bool:
    """Tell whether both values are as good as none, in a kind whose types leave out what is empty."""
    return change.before in _EMPTY and change.after in _EMPTY


def _with_identity(content: JsonObject, live: Resource) -> JsonObject:
    """Return an object of Git with the version and namespace under which the cluster holds it."""
    made = {**content, "apiVersion": live.api_version}
    if not text_at(content, "metadata", "namespace") and live.namespace:
        return with_value(made, ("metadata", "namespace"), live.namespace)
    return made
