"""JSON 6902 patches applied to resources (kustomize ``api/filters/patchjson6902``)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from operator import is_

from renderer.compose.identity import remembering_id
from renderer.compose.metadata import with_text_annotations
from renderer.compose.patching.json_patch import OperationError, apply_operation
from renderer.compose.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.gvk import Gvk
from renderer.model.json import Json, JsonObject, array_at, object_at, scalar_text, with_value
from renderer.model.patches import JsonPatch
from renderer.model.resource import Resource
from renderer.yamlio.go_numbers import format_float, json_number

#: The patched object goes through floats in kustomize; integers beyond this one are rounded.
_EXACT = 1 << 53


class JsonPatching:
    """Applies the operations of one patch; ``remembers_ids`` before it changes them."""

    def __init__(self, patch: JsonPatch, *, remembers_ids: bool) -> None:
        self._patch = patch
        self._remembers_ids = remembers_ids

    def apply(self, resources: ResMap, keys: Iterable[int]) -> None:
        """Patches the resources with the given keys. Raises: patch-invalid, build-limit."""
        for key in keys:
            patched = self._patched(key, resources)
            if patched.content:
                resources.replace(key, patched)
                resources.note_in_floats(key)
            else:
                resources.remove(key)

    def _patched(self, key: int, resources: ResMap) -> Resource:
        resource = resources[key]
        if self._remembers_ids:
            resource = remembering_id(resource)
        operated = self._operated(_with_annotations(resource), resource)
        resources.check_growth(key, resource.with_content(object_at(operated), self._patch.site))
        content = self._in_floats(operated, resource, resources.in_floats(key))
        patched = resource.with_content(content, self._patch.site)._replace(blank_fields=())
        patched = with_text_annotations(patched, _float_text)
        return patched if patched.api_version == resource.api_version else _with_ids_of_version(patched)

    def _operated(self, document: Json, resource: Resource) -> Json:
        for index, operation in enumerate(self._patch.operations):
            try:
                document = apply_operation(document, operation)
            except OperationError as error:
                raise self._invalid(str(error), index, operation, resource) from None
        return document

    def _in_floats(self, document: Json, resource: Resource, known: Json) -> JsonObject:
        try:
            rounded = _rounded(document, known)
        except OverflowError:  # from a patch in JSON: YAML makes texts of such numbers
            raise self._invalid("a number is too large", 0, None, resource) from None
        if not isinstance(rounded, dict):
            raise self._invalid("the patch leaves no object", 0, None, resource)
        return rounded

    def _invalid(self, problem: str, index: int, operation: Json, resource: Resource) -> DiagnosticError:
        fields = object_at(operation)
        where = f" ({fields.get('op')} {fields.get('path')})" if fields else ""
        return DiagnosticError(
            Diagnostic(
                code=Code.PATCH_INVALID,
                message=f"the patch does not apply to {resource.current_id}: {problem}{where}",
                sites=(self._patch.operation_site(index),),
                resource=resource.current_id,
            )
        )


def _with_annotations(resource: Resource) -> JsonObject:
    """The content as kustomize hands it to the patch: with annotations, if it keeps notes there."""
    content = resource.content
    has_notes = resource.previous_ids or resource.name_prefixes or resource.name_suffixes
    if not has_notes or object_at(content, "metadata").get("annotations") is not None:
        return content
    return with_value(content, ("metadata", "annotations"), {})


def _rounded(value: Json, known: Json) -> Json:
    """The value with integers as exact as a float has them; itself where that changes nothing.

    What it shares with ``known`` is so already, or else every operation would go through the whole object.
    """
    if value is known and value is not None:
        return value
    if isinstance(value, dict):
        old = object_at(known)
        fields = {key: _rounded(child, old.get(key)) for key, child in value.items()}
        return value if all(fields[key] is value[key] for key in value) else fields
    if isinstance(value, list):
        pairs = zip_longest(value, array_at(known)[: len(value)])
        elements = [element if element is old else _rounded(element, old) for element, old in pairs]
        return value if all(map(is_, elements, value)) else elements
    if type(value) is int and not -_EXACT <= value <= _EXACT:
        return json_number(float(value))
    return value


def _float_text(value: Json) -> str:
    """The text of a scalar that went through floats."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return format_float(float(value))
    return scalar_text(value)


def _with_ids_of_version(resource: Resource) -> Resource:
    """The resource with its API version in its previous ids, which are compared without their own."""
    group, version = resource.gvk.group, resource.gvk.version
    ids = (known._replace(gvk=Gvk(group, version, known.gvk.kind)) for known in resource.previous_ids)
    return resource._replace(previous_ids=tuple(ids))
