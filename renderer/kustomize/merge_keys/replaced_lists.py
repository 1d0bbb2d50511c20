"""Warn about lists of virtual machines that a strategic merge patch replaces, and name the lost elements.

kustomize does not merge the lists of KubeVirt's kinds by name: a patch that adds a disk removes the others.
There is no warning if the patch is explicit: ``$patch``, null, an empty list, a JSON 6902 patch.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from renderer.kustomize.list_merge import KeyValues, element_values
from renderer.kustomize.merge_keys.kubevirt import KubevirtMergeSchema
from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related, Severity
from renderer.model.kube.field_path import ROOT, ElementName, FieldPath
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import once_for_same
from renderer.model.plural import enumerated
from renderer.model.record import Record

_DIRECTIVE = "$patch"
_HINT = (
    "list them in the patch as well, or write mergeKeys: kubevirt into vmrender.yaml; "
    "use a JSON 6902 patch if the removal is intended"
)


class ReplacedList(Record):
    """A list that a patch replaces; ``lost`` are the keys of elements that are not in the patch."""

    field: FieldPath
    merge_key: str
    lost: tuple[str, ...]


@cache
def _named_lists() -> MergeSchema:
    """Return the lists of KubeVirt's kinds whose elements have names."""
    return KubevirtMergeSchema(MergeSchema({}, {}))


def replaced_lists(resource: Resource, patch: JsonObject, in_effect: MergeSchema) -> Iterator[ReplacedList]:
    """Yield the lists that lose elements when ``patch`` is merged with the schema in effect."""
    named = _named_lists().of_kind(resource.api_version, resource.kind) if _holds_list(patch) else None
    if named is not None:
        effective = in_effect.of_kind(resource.api_version, resource.kind)
        yield from _replaced_lists(resource.content, patch, (named, effective), in_effect, ROOT)


@once_for_same
def _holds_list(patch: JsonObject) -> bool:
    """Return True if there is a list in the mappings of a patch."""
    return any(
        isinstance(value, list) or (isinstance(value, dict) and _holds_list(value))
        for value in patch.values()
    )


def _replaced_lists(
    before: Json,
    patch: Json,
    schemas: tuple[FieldSchema, FieldSchema | None],
    in_effect: MergeSchema,
    at: FieldPath,
) -> Iterator[ReplacedList]:
    if not isinstance(before, dict) or not isinstance(patch, dict) or _DIRECTIVE in patch:
        return
    named_fields, effective_fields = _named_lists().fields(schemas[0]), in_effect.fields(schemas[1])
    for key, value in patch.items():
        named, effective, previous = named_fields.get(key), effective_fields.get(key), before.get(key)
        if named is None:
            continue
        field = at.child(key)
        if isinstance(value, dict):
            yield from _replaced_lists(previous, value, (named, effective), in_effect, field)
        elif named.merge_keys and (effective is None or effective.merge_keys is None):
            lost = tuple(_lost_keys(previous, value, named.merge_keys))
            if lost:
                yield ReplacedList(field, named.merge_keys[0], lost)


def _lost_keys(before: Json, patch: Json, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the keys of the elements that only ``before`` has."""
    if not isinstance(before, list) or not isinstance(patch, list) or not patch:
        return
    if any(isinstance(element, dict) and _DIRECTIVE in element for element in patch):
        return
    remaining: set[KeyValues] = set(element_values(patch, keys))
    for values in element_values(before, keys):
        if any(values) and values not in remaining:
            yield " ".join(values)


def warning(replaced: ReplacedList, resource: Resource, document: Resource) -> Diagnostic:
    """Return the warning about a list of ``resource`` that the patch ``document`` replaces."""
    name = replaced.field.segments[-1]
    first = replaced.field.child(ElementName(replaced.merge_key, replaced.lost[0]))
    return Diagnostic.at(
        document.origin.child(replaced.field),
        Code.LIST_REPLACED,
        f"the patch replaces the list {name} and removes {enumerated(replaced.lost, 'and')}",
        _HINT.replace("them", "it") if len(replaced.lost) == 1 else _HINT,
        severity=Severity.WARNING,
        resource=resource,
        field=replaced.field,
        related=(Related(f"{replaced.lost[0]} is written here", resource.sites(first)),),
    )
