"""Fields of objects of Flux and Argo CD that their kinds do not have.

A type maps each field to the type of its value, or to None if any value is fine there, or its fields are not
known here. The elements of a list have the type of the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeAlias

from renderer.checks.schemas.wording import NO_SUCH_FIELD
from renderer.files.bundled import data_folder
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import Edit, RemoveField, RenameField
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, object_at
from renderer.model.kube.resource import Resource
from renderer.model.suggest import suggest

#: The fields of a mapping, with the names of their types.
Fields: TypeAlias = Mapping[str, str | None]
Types: TypeAlias = Mapping[str, Fields]


def types_of(engine: str) -> Types:
    """Return the types in ``schemas/engines/<engine>.txt``: each line has a name, and then ``field:Type``."""
    text = (data_folder("schemas") / "engines" / f"{engine}.txt").read_text(encoding="utf-8")
    types: dict[str, Fields] = {}
    for name, *fields in map(str.split, text.splitlines()):
        split = (field.partition(":") for field in fields)
        types[name] = {field: type_ or None for field, _, type_ in split}
    return types


def fields_unknown_to(
    types: Types, resource: Resource, consequence: str = NO_SUCH_FIELD
) -> Iterator[Diagnostic]:
    """Yield a warning for each field of an object that the type with the name of its kind does not have."""
    yield from _Reader(types, resource, consequence).findings(resource.content, resource.kind, ROOT)


class _Reader:
    def __init__(self, types: Types, resource: Resource, consequence: str) -> None:
        self._types = types
        self._resource = resource
        self._consequence = consequence

    def findings(self, value: Json, kind: str, place: FieldPath) -> Iterator[Diagnostic]:
        """Yield the findings about a value of a type."""
        if isinstance(value, list):
            for index, element in enumerate(value):
                yield from self.findings(element, kind, place.child(index))
            return
        known, fields = self._types[kind], object_at(value)
        for name, child in fields.items():
            if name not in known:
                yield self._not_a_field(place.child(name), known, fields)
            elif known[name]:
                yield from self.findings(child, known[name] or "", place.child(name))

    def _not_a_field(self, place: FieldPath, known: Fields, written: Mapping[str, Json]) -> Diagnostic:
        name = str(place.segments[-1])
        near = suggest(name, known, most=1, cutoff=0.7)
        below = next((each for each, kind in known.items() if kind and name in self._types[kind]), None)
        fix: Edit = RenameField(place, near[0]) if near else RemoveField(place)
        advice = f"did you mean {near[0]}?" if near else "remove it:"
        if near and near[0] in written:
            advice, fix = f"remove it, as {near[0]} is written as well:", RemoveField(place)
        if below:
            advice = f"it is a field of {place.parent.child(below)}:"
        return Diagnostic.about(
            self._resource,
            place,
            Code.UNKNOWN_FIELD,
            f"{place} is not a field of {self._resource.kind}",
            f"{advice} {self._consequence}",
            severity=Severity.WARNING,
            fix=None if below else fix,
        )
