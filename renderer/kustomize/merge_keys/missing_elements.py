"""Warn about elements of lists that a strategic merge patch deletes by ``$patch``, but that are absent.

kustomize is silent, so a mistyped name leaves the element in. A patch of several resources, and a patch of a
component, may delete what only some of them have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from renderer.kustomize.list_merge import Directive, KeyValues, element_values
from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.field_path import ROOT, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.record import Record
from renderer.model.suggest import did_you_mean

_DIRECTIVE = "$patch"
_MOST_NAMED = 5


class MissingElement(Record):
    """An element that a patch deletes at ``place`` in it; ``present`` are the elements that there are."""

    place: FieldPath
    name: str
    present: tuple[str, ...]


def missing_elements(resource: Resource, patch: JsonObject, schema: MergeSchema) -> Iterator[MissingElement]:
    """Yield the elements that ``patch`` deletes from lists of ``resource`` that do not have them."""
    if _deletes_elements(patch):
        kind = schema.of_kind(resource.api_version, resource.kind)
        yield from _in_mapping(resource.content, patch, kind, schema, ROOT)


@once_for_same
def _deletes_elements(patch: JsonObject) -> bool:
    """Return True if an element of a list in a patch has ``$patch: delete``."""
    return any(_value_deletes(value) for value in patch.values())


def _value_deletes(value: Json) -> bool:
    if isinstance(value, list):
        return any(
            isinstance(each, dict) and (_is_deletion(each) or _deletes_elements(each)) for each in value
        )
    return isinstance(value, dict) and _deletes_elements(value)


def _is_deletion(element: JsonObject) -> bool:
    return element.get(_DIRECTIVE) == Directive.DELETE and len(element) > 1


def _in_mapping(
    before: Json, patch: JsonObject, kind: FieldSchema | None, schema: MergeSchema, at: FieldPath
) -> Iterator[MissingElement]:
    if _DIRECTIVE in patch:
        return
    fields = schema.fields(kind)
    old = before if isinstance(before, dict) else {}
    for key, value in patch.items():
        field = fields.get(key)
        if isinstance(value, dict):
            yield from _in_mapping(old.get(key), value, field, schema, at.child(key))
        elif isinstance(value, list) and field is not None and field.merge_keys:
            previous = old.get(key)
            elements = previous if isinstance(previous, list) else []
            yield from _in_list(elements, value, field, schema, at.child(key))


def _in_list(
    before: list[Json], patch: list[Json], field: FieldSchema, schema: MergeSchema, at: FieldPath
) -> Iterator[MissingElement]:
    keys = field.merge_keys or ()
    known = element_values(before, keys)
    names = tuple(filter(None, map(_name, known)))

    @cache
    def by_values(positions: tuple[int, ...]) -> Mapping[KeyValues, Json]:
        """The first element with each combination of values for these of the keys."""
        return {
            tuple(each[position] for position in positions): element
            for element, each in zip(reversed(before), reversed(known), strict=True)
        }

    for index, (element, values) in enumerate(zip(patch, element_values(patch, keys), strict=True)):
        if not isinstance(element, dict):
            continue
        given = tuple(position for position, value in enumerate(values) if value)
        found = by_values(given).get(tuple(values[position] for position in given))
        if not _is_deletion(element):
            yield from _in_mapping(found, element, schema.element(field), schema, at.child(index))
        elif found is None and given:
            yield MissingElement(at.child(index), _name(values), names)


def _name(values: KeyValues) -> str:
    return " ".join(filter(None, values))


def missing_in_all(found: Iterable[Iterable[MissingElement]]) -> Iterator[MissingElement]:
    """Yield the elements that none of several resources has."""
    first, *others = map(tuple, found)
    in_others = [{each.place for each in other} for other in others]
    for missing in first:
        if all(missing.place in places for places in in_others):
            yield missing


def missing_warning(missing: MissingElement, resource: Resource, document: Resource) -> Diagnostic:
    """Return the warning about an element that the patch ``document`` deletes, but ``resource`` lacks."""
    parent = FieldPath(missing.place.segments[:-1])
    present = ", ".join(missing.present[:_MOST_NAMED])
    otherwise = f"there is {present}" if present else "the list is empty: remove the element from the patch"
    return Diagnostic.at(
        document.origin.child(missing.place),
        Code.PATCH_TARGET_MISSING,
        f"the patch deletes {missing.name} of {parent}, but {resource.current_id} has no such element",
        did_you_mean(missing.name, missing.present, otherwise=otherwise),
        severity=Severity.WARNING,
        resource=resource,
        field=parent,
    )
