"""Diagnostics as ``results`` of a KRM function.

https://github.com/kubernetes-sigs/kustomize/blob/master/cmd/config/docs/api-conventions/functions-spec.md
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import NamedTuple

from renderer.krm.annotations import noted
from renderer.krm.resource_list import ResourceList
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject
from renderer.model.location import Location, Site
from renderer.model.resource import Resource


class _Subject(NamedTuple):
    """What a diagnostic is about, and where in it."""

    resource: Resource
    field: FieldPath


class Results:
    """Results about ``given``, which was read from ``path``."""

    def __init__(self, given: ResourceList, path: str) -> None:
        self._given = given
        self._path = path

    def of(self, found: Iterable[tuple[Diagnostic, Diagnostic]]) -> tuple[JsonObject, ...]:
        """One for each diagnostic, which comes as it was found and once more with its lines."""
        results = [self._result(*pair) for pair in found]
        return tuple(result for index, result in enumerate(results) if result not in results[:index])

    def _result(self, found: Diagnostic, located: Diagnostic) -> JsonObject:
        result: dict[str, Json] = {
            "message": self._message(found, located),
            "severity": str(found.severity),
            "tags": {"code": str(found.code)},
        }
        subject = self._subject(found)
        if subject:
            result["resourceRef"] = _reference(subject.resource)
            if subject.field.segments:
                result["field"] = {"path": str(subject.field)}
        file = _file(subject.resource) if subject else self._place(located.location)
        return {**result, "file": file} if file else result

    def _message(self, found: Diagnostic, located: Diagnostic) -> str:
        places = [self._related_place(*pair) for pair in zip_longest(found.related, located.related)]
        related = [f"{place}: {each.message}" for place, each in zip(places, located.related, strict=True)]
        hint = [f"hint: {located.hint}"] if located.hint else []
        return "\n".join([located.message, *related, *hint])

    def _related_place(self, found: Related | None, located: Related) -> str:
        """A file and line, or the object's name where it was given to the function."""
        if located.location and located.location.path != self._path:
            return str(located.location)
        subject = next(filter(None, map(self._at, found.sites if found else ())), None)
        return str(subject.resource.current_id) if subject else "see also"

    def _place(self, location: Location | None) -> JsonObject | None:
        return {"path": location.path} if location and location.path != self._path else None

    def _subject(self, found: Diagnostic) -> _Subject | None:
        named = (item for item in self._given.items if item.current_id == found.resource)
        subject = next(filter(None, map(self._at, found.sites)), None)
        resource = next(named, None) if found.resource else None
        if resource is None:
            return subject
        return _Subject(resource, found.field or (subject.field if subject else FieldPath()))

    def _at(self, site: Site) -> _Subject | None:
        """The item or functionConfig that ``site`` is in; None for any other file."""
        subjects = (*self._given.items, *([self._given.config] if self._given.config else ()))
        for resource in subjects if site.path == self._path else ():
            place = resource.origin.field.segments
            if site.field.segments[: len(place)] == place:
                return _Subject(resource, FieldPath(site.field.segments[len(place) :]))
        return None


def _reference(resource: Resource) -> JsonObject:
    namespace = {"namespace": resource.namespace} if resource.namespace else {}
    return {"apiVersion": resource.api_version, "kind": resource.kind, **namespace, "name": resource.name}


def _file(resource: Resource) -> JsonObject | None:
    """The file that the orchestrator read the object from."""
    path, index = noted(resource.content, "path"), noted(resource.content, "index")
    if not path:
        return None
    return {"path": path, "index": int(index)} if index.isdecimal() else {"path": path}
