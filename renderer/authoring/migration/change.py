"""The findings about deprecated fields: the change to make, or the reason why a field stays."""

from __future__ import annotations

from enum import Enum, auto
from typing import NamedTuple, TypeAlias

from renderer.model.field_edit import FieldEdit, SetField, edit_below
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import Json, scalar_text
from renderer.model.release import OLDEST, Release

_LONGEST = 40


class Subject(Enum):
    """The groups of changes. In the files that build an object, all changes of a group are made, or none."""

    API_VERSION = auto()
    RUN_STRATEGY = auto()
    TOPOLOGY = auto()
    SPREAD_RATIO = auto()
    FIRMWARE = auto()
    MEDIATED_DEVICES = auto()
    TEMPLATE = auto()


class Change(NamedTuple):
    """``before``, written at ``field``, becomes ``after``, which is supported since the release ``since``."""

    subject: Subject
    field: FieldPath
    before: str
    after: str
    edits: tuple[FieldEdit, ...]
    since: Release = OLDEST

    def below(self, place: FieldPath) -> Change:
        """Return the same change in a document that contains the object at ``place``."""
        field = place.child(*self.field.segments)
        return self._replace(field=field, edits=tuple(edit_below(place, edit) for edit in self.edits))


class NotMigrated(NamedTuple):
    """A ``field`` that is deprecated or removed since a release, and that only its author can change."""

    field: FieldPath
    message: str
    hint: str
    since: Release = OLDEST

    def below(self, place: FieldPath) -> NotMigrated:
        return self._replace(field=place.child(*self.field.segments))


Finding: TypeAlias = Change | NotMigrated


def new_value(subject: Subject, field: FieldPath, old: str, new: str, since: Release) -> Change:
    """Return the change of a scalar field from ``old`` to ``new``."""
    name = field.segments[-1]
    return Change(subject, field, f"{name}: {old}", f"{name}: {new}", (SetField(field, new),), since)


def value_text(value: Json) -> str:
    """Return a value for a message; a long one is truncated."""
    text = scalar_text(value) if not isinstance(value, dict | list) else "a collection"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
