"""An update of an object, a row of the tables, and conditions that several tables share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from renderer.model.difference import FieldChange, NoValue
from renderer.model.kube.json import Json, JsonObject, object_at, text_at
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.record import Record
from renderer.model.release import Release

API_SERVER = "the API server"
KUBEVIRT = "KubeVirt"
CDI = "CDI"
#: The part of Kubernetes that has the validation of its kinds.
APIS = "kubernetes pkg/apis"
SPEC = ("spec",)
SELECTOR = ("spec.selector",)
STAYS = "it stays as the object was created"
NEW_NAME = f"{STAYS}; create another under a new name"
#: Fields of pods and volumes that have no pointer in the API's types: false is the same as no value.
_FLAGS = frozenset({"hostIPC", "hostNetwork", "hostPID", "readOnly", "stdin", "stdinOnce", "tty"})


class ObjectUpdate(Record):
    """An object before and after a change; ``storage_classes`` are those of its cluster by name.

    ``status`` is the status of the object in the cluster; None if the cluster is not known.
    """

    before: Resource
    after: Resource
    storage_classes: Mapping[str, Resource] = {}
    status: JsonObject | None = None

    def values(self, *path: str) -> tuple[Json, Json]:
        """Return the value of a field on both sides; None if it is missing."""
        return value_at(self.before.content, path), value_at(self.after.content, path)

    @property
    def specs(self) -> tuple[JsonObject, JsonObject]:
        return object_at(self.before.content, "spec"), object_at(self.after.content, "spec")

    @property
    def phase(self) -> str:
        """The phase of the object in the cluster; empty if it is not known."""
        return "" if self.status is None else text_at(self.status, "phase")


#: Returns why a change of a field is refused; empty if it is admitted, or if only the cluster knows.
Condition: TypeAlias = Callable[[ObjectUpdate, FieldChange], str]


class ImmutableRow(Record):
    """Fields of some kinds of a group, who refuses a change of them, and the function that does.

    A row without a ``condition`` refuses every change; ``admitted`` says what a condition lets through.
    ``is_chosen``: the cluster chooses a value where the object is created without one, so that a first value
    in Git is refused unless it is that. ``is_forbidden``: the answer is 403 Forbidden instead of 422 Invalid,
    for which no engine recreates it.
    """

    group: str
    kinds: tuple[str, ...]
    fields: tuple[str, ...]
    refuser: str
    source: str
    condition: Condition | None = None
    admitted: str = ""
    since: Release | None = None
    until: Release | None = None
    is_forbidden: bool = False
    is_chosen: bool = False

    def holds_in(self, release: Release) -> bool:
        return (self.since is None or release >= self.since) and (self.until is None or release < self.until)


def if_both(*path: str) -> Condition:
    """Refuse a change from one value to another or to none: the cluster may have chosen a missing one."""

    def condition(update: ObjectUpdate, _change: FieldChange) -> str:
        before, after = update.values(*path)
        return "" if before is None or before == after else STAYS

    return condition


def if_other(default: Json, reason: str, *path: str) -> Condition:
    """Refuse another value, where a missing one is the ``default``."""

    def condition(update: ObjectUpdate, _change: FieldChange) -> str:
        before, after = (default if value is None else value for value in update.values(*path))
        return "" if before == after else reason

    return condition


def if_kept(*fields: str) -> Condition:
    """Refuse another value of a field that both sides have: rules of a definition compare no missing one."""

    def condition(update: ObjectUpdate, change: FieldChange) -> str:
        for field in fields:
            before, after = update.values(*field.split("."))
            is_kept = None not in (before, after) and before != after
            if is_kept and concerns(change, field, update):
                return STAYS
        return ""

    return condition


def with_cluster_value(update: ObjectUpdate, *path: str, reason: str) -> str:
    """Return a reason, with what Git has to say if the object in the cluster is known."""
    value = value_at(update.before.content, path)
    if update.status is None or not isinstance(value, str):
        return reason
    return f"{reason}; the cluster has {value}: write that in Git"


def changed_paths(update: ObjectUpdate, change: FieldChange, *parents: str) -> Iterator[tuple[str, ...]]:
    """Yield the paths below ``parents`` that a change is about, which may be a mapping around them.

    Indices and names of list elements are left out.
    """
    segments = change.field.segments
    if len(segments) > len(parents):
        yield tuple(each for each in segments[len(parents) :] if isinstance(each, str))
        return
    before, after = (object_at(value_at(each.content, parents)) for each in (update.before, update.after))
    for key in before.keys() | after.keys():
        if before.get(key) != after.get(key):
            yield (key,)


def is_filled_in(change: FieldChange, defaults: Mapping[str, Json]) -> bool:
    """Return True if one side only writes what the API server fills in on the other, or an empty value."""
    if NoValue.ABSENT not in (change.before, change.after):
        return False
    written = change.after if change.before is NoValue.ABSENT else change.before
    name = change.field.segments[-1] if change.field.segments else ""
    if written in ("", []) or (written is False and name in _FLAGS):
        return True
    return isinstance(name, str) and name in defaults and defaults[name] == written


def concerns(change: FieldChange, row_field: str, update: ObjectUpdate) -> bool:
    """Return True if a change is of the field of a row, or of something in it, or changes it from around."""
    path = row_field.split(".")
    if any(one != other for one, other in zip(path, change.field.segments, strict=False)):
        return False
    before, after = update.values(*path)
    return len(change.field.segments) >= len(path) or before != after
