"""What a field of a kind means."""

from __future__ import annotations

from renderer.model.kube.json import Json
from renderer.model.record import Record


class FieldMeaning(Record):
    """A field of a kind: what it means in a release of KubeVirt, its type and values.

    ``fields`` are the fields in it, each with its title.
    """

    kind: str
    field: str
    title: str
    text: str
    type: str = ""
    values: tuple[Json, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
