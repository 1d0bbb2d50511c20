"""Strategic merge patches.

kustomize ``kyaml/yaml/merge2``, ``kyaml/yaml/walk``, ``api/resource/resource.go`` ApplySmPatch.

Mappings merge field by field, and lists that have merge keys merge element by element; a patch replaces
everything else. Null removes a field, and the directive ``$patch`` replaces or deletes a mapping or list. A
mapping or list that only the patch has is merged with itself, which removes its nulls and directives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from renderer.kustomize.annotations import with_texts
from renderer.kustomize.build_annotations import ALLOW_KIND_CHANGE, ALLOW_NAME_CHANGE, is_enabled
from renderer.kustomize.identity import with_previous_id
from renderer.kustomize.list_merge import (
    ITSELF,
    Directive,
    DirectiveError,
    ElementError,
    in_order_of,
    list_directive,
    mapping_directive,
    merge_elements,
)
from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.kustomize.merge_keys.missing_elements import (
    MissingElement,
    missing_elements,
    missing_in_all,
    missing_warning,
)
from renderer.kustomize.merge_keys.replaced_lists import replaced_lists, warning
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.scalar_nodes import before_merge, with_patch_spellings
from renderer.kustomize.selection import target_of
from renderer.kustomize.values import ABSENT, Slot, is_bare_text
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import (
    EMPTY,
    Json,
    JsonObject,
    object_at,
    scalar_text,
    text_at,
    with_entries,
    with_value,
    without,
)
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import share_keys
from renderer.model.kustomization import Patch
from renderer.model.record import Record
from renderer.model.run.work import spend

#: Steps for a merged field or element, and the fields that are copied in one step (``model.run.work``).
_STEPS_PER_FIELD, _COPIED_PER_STEP = 4, 16


def without_blank_fields(resource: Resource, schema: MergeSchema) -> Resource:
    """Return the resource without the blank fields that a strategic merge visits (``merge2.go`` VisitMap).

    A merge visits the elements of a list only if they merge by key.
    """
    blank_fields = resource.blank_fields
    if not blank_fields:
        return resource
    content: Json = resource.content
    root = schema.of_kind(resource.api_version, resource.kind)
    for field in reversed(blank_fields):
        content = _without_blank(content, field.segments, root, schema)
    spellings = tuple(each for each in resource.spellings if each.field not in blank_fields)
    return resource._replace(content=object_at(content), spellings=spellings)


def _without_blank(
    value: Json, path: Sequence[Segment], field: FieldSchema | None, schema: MergeSchema
) -> Json:
    head, *rest = path
    if isinstance(value, list):
        element = value_at(value, (head,))
        if field is None or field.merge_keys is None or element is None:
            return value
        changed = _without_blank(element, rest, schema.element(field), schema)
        return [changed if each is element else each for each in value]
    if not isinstance(value, dict) or not isinstance(head, str) or head not in value:
        return value
    if rest:
        return {**value, head: _without_blank(value[head], rest, schema.fields(field).get(head), schema)}
    if value[head] is not None:
        return value
    return {key: child for key, child in value.items() if key != head}


class StrategicMergeError(Exception):
    """The patch does not fit the object at ``field``."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self._inner_first: list[Segment] = []

    def inside(self, segment: Segment) -> StrategicMergeError:
        """Return the error with ``segment`` as the outermost segment of its field."""
        self._inner_first.append(segment)
        return self

    @property
    def field(self) -> FieldPath:
        return FieldPath(tuple(reversed(self._inner_first)))


class StrategicMerge:
    """Merges patches into objects; ``schema`` says how their lists merge."""

    def __init__(self, schema: MergeSchema) -> None:
        self._schema = schema

    def apply(self, target: JsonObject, patch: JsonObject) -> JsonObject | None:
        """Return ``target`` changed by ``patch``; None if the patch deletes it.

        ``$patch: replace`` at the root does nothing, as in kustomize. Raises ``StrategicMergeError``.
        """
        merged = self._merged(target, patch, None)
        if not isinstance(merged, dict):
            return None
        return target if mapping_directive(patch)[0] is Directive.REPLACE else merged

    def _merged(self, dest: Slot, patch: Slot, schema: FieldSchema | None) -> Slot:
        """Return the value of a field that holds ``dest``, merged with ``patch``."""
        value = patch if dest is None or dest is ABSENT else dest
        if isinstance(value, dict):
            return self._merged_mapping(dest, patch, schema)
        if isinstance(value, list):
            return self._merged_list(dest, patch, schema)
        if value is None or value is ABSENT:  # an explicit null stays if the patch does not have the field
            return None if dest is None and patch is ABSENT else ABSENT
        if isinstance(patch, dict | list):
            raise StrategicMergeError("the patch has a mapping or list where the object has a scalar")
        if patch is ABSENT:
            return dest
        return ABSENT if patch is None else _in_style_of(dest, patch)

    def _merged_mapping(self, dest: Slot, patch: Slot, schema: FieldSchema | None) -> Slot:
        schema = schema or self._schema_of(dest) or self._schema_of(patch)
        if patch is None:
            return ABSENT
        if patch is ABSENT:
            return self._merged_fields(_required_mapping(dest), EMPTY, schema)
        fields = _required_mapping(patch)
        directive = Directive.MERGE
        try:
            directive, fields = mapping_directive(fields)
        except DirectiveError as error:
            if dest is not None and dest is not ABSENT:  # kustomize continues if there is nothing to patch
                raise StrategicMergeError(str(error)) from None
        if directive is Directive.DELETE:
            return ABSENT
        starts_from_patch = dest is None or dest is ABSENT or dest is patch or directive is Directive.REPLACE
        return self._merged_fields(fields if starts_from_patch else _required_mapping(dest), fields, schema)

    def _merged_fields(self, dest: JsonObject, patch: JsonObject, schema: FieldSchema | None) -> JsonObject:
        """Return ``dest`` with each of its fields merged; the same object if nothing changes."""
        schemas = self._schema.fields(schema)
        spend(_STEPS_PER_FIELD * (1 + len(patch)) + len(dest) // _COPIED_PER_STEP, "merging patches")
        changed: dict[str, Slot] = {}
        for key, value in patch.items():
            changed[key] = self._merged_field(key, dest.get(key, ABSENT), value, schemas.get(key))
        for key in schemas:  # lists that are not in the patch are merged with themselves
            if key in dest and key not in patch:
                changed[key] = self._merged_field(key, dest[key], ABSENT, schemas[key])
        changed = {key: value for key, value in changed.items() if dest.get(key, ABSENT) is not value}
        if not changed:
            return dest
        kept = {key: value for key, value in changed.items() if value is not ABSENT}
        merged = with_entries(dest, kept)
        if len(kept) == len(changed):
            # The result has a mapping per resource: with more keys it has a key table of its own.
            return share_keys(merged) if len(merged) > len(dest) else merged
        return {key: value for key, value in merged.items() if key in kept or key not in changed}

    def _merged_field(self, key: str, dest: Slot, patch: Slot, schema: FieldSchema | None) -> Slot:
        try:
            return self._merged(dest, patch, schema)
        except StrategicMergeError as error:
            raise error.inside(key) from None

    def _merged_list(self, dest: Slot, patch: Slot, schema: FieldSchema | None) -> Slot:
        if patch is None:
            return ABSENT
        elements = _required_list(dest if patch is ABSENT else patch)
        if schema is None or schema.merge_keys is None:
            return elements
        if dest is None or dest is ABSENT:
            return self._merged_elements(elements, elements, schema)
        if patch is ABSENT:
            return self._merged_elements(elements, [], schema)
        try:
            directive, elements = list_directive(elements)
        except DirectiveError as error:
            raise StrategicMergeError(str(error)) from None
        if directive is Directive.DELETE:
            return ABSENT
        starts_from_patch = dest is patch or directive is Directive.REPLACE
        return self._merged_elements(
            elements if starts_from_patch else _required_list(dest), elements, schema
        )

    def _merged_elements(self, dest: list[Json], patch: list[Json], schema: FieldSchema) -> list[Json]:
        element = self._schema.element(schema)
        spend(_STEPS_PER_FIELD * (len(dest) + len(patch)), "merging patches")
        try:
            merged = merge_elements(
                dest, patch, schema.merge_keys or ITSELF, lambda old, new: self._merged(old, new, element)
            )
        except ElementError as error:
            raise StrategicMergeError(str(error)) from None
        if schema.keeps_order:
            merged = in_order_of(dest, merged, schema.merge_keys or ITSELF)
        return dest if merged == dest else merged

    def _schema_of(self, value: Slot) -> FieldSchema | None:
        """Return the schema of an object that has a kind of its own, at any depth."""
        if not isinstance(value, dict) or "kind" not in value:
            return None
        return self._schema.of_kind(text_at(value, "apiVersion"), text_at(value, "kind"))


def _in_style_of(dest: Slot, patch: Json) -> Json:
    """Return the new scalar in the old one's quotes, as kyaml ``FieldSetter`` does: 2 over "1" is "2"."""
    is_quoted = isinstance(dest, str) and not is_bare_text(dest)
    return scalar_text(patch) if is_quoted else patch


def _required_mapping(value: Slot) -> JsonObject:
    if isinstance(value, dict):
        return value
    raise StrategicMergeError("only one of the patch and the object has a mapping here")


def _required_list(value: Slot) -> list[Json]:
    if isinstance(value, list):
        return value
    raise StrategicMergeError("only one of the patch and the object has a list here")


class _MergedDocument(Record):
    """A document of a patch with its content as it is merged into objects, and its permitted changes."""

    document: Resource
    content: JsonObject
    may_rename: bool
    may_change_kind: bool


class StrategicMergePatching:
    """The documents of one listed patch and its options, applied to resources.

    ``is_shared``: resources that lack what it deletes are expected, as for a patch of a component.
    """

    def __init__(
        self,
        listed: Patch,
        schema: Callable[[], MergeSchema],
        warn: Callable[[Diagnostic], None],
        *,
        is_shared: bool = False,
    ) -> None:
        self._listed = listed
        self._schema = schema
        self._warn = warn
        self._is_shared = is_shared

    def apply_by_id(self, resources: ResMap, documents: Iterable[Resource]) -> None:
        """Patch the resource that has the id of each document.

        Raises: patch-target-missing, patch-invalid.
        """
        for document in documents:
            key, patch = target_of(document, resources), self._merged_document(document, document.content)
            self._warn_of_missing(resources, (key,), patch)
            self._apply(resources, key, patch)

    def apply_to(self, resources: ResMap, keys: Iterable[int], document: Resource) -> None:
        """Patch the resources with the given keys, regardless of the id of the document.

        Raises: patch-invalid; duplicate-id if the patch gives two resources the same name.
        """
        patch = self._merged_document(document, _as_targeted_patch(document))
        versioned: dict[str, _MergedDocument] = {"": patch}
        keys = tuple(keys)
        self._warn_of_missing(resources, keys, patch)
        for key in keys:
            api_version = resources[key].api_version
            if api_version not in versioned:
                content = {**patch.content, "apiVersion": api_version}
                versioned[api_version] = patch._replace(content=content)
            self._apply(resources, key, versioned[api_version])
        if patch.may_rename or patch.may_change_kind:
            resources.check_ids()

    def _merged_document(self, document: Resource, content: JsonObject) -> _MergedDocument:
        """Return a document without the fields that must not change in its target."""
        may_rename = self._listed.allow_name_change or is_enabled(document, ALLOW_NAME_CHANGE)
        may_change_kind = self._listed.allow_kind_change or is_enabled(document, ALLOW_KIND_CHANGE)
        content = without(content, "metadata", "namespace")
        if not may_rename:
            content = without(content, "metadata", "name")
        return _MergedDocument(document, content, may_rename, may_change_kind)

    def _warn_of_missing(self, resources: ResMap, keys: Sequence[int], patch: _MergedDocument) -> None:
        """Warn about elements that the patch deletes, but that none of its targets has."""
        if self._is_shared or not keys:
            return
        found: list[tuple[MissingElement, ...]] = []
        for key in keys:
            found.append(tuple(missing_elements(resources[key], patch.content, self._schema())))
            if not found[-1]:
                return
        for missing in missing_in_all(found):
            self._warn(missing_warning(missing, resources[keys[0]], patch.document))

    def _apply(self, resources: ResMap, key: int, patch: _MergedDocument) -> None:
        patched = self._patched(resources[key], patch)
        if patched is None:
            resources.remove(key)
        else:
            resources.replace(key, patched)

    def _patched(self, resource: Resource, patch: _MergedDocument) -> Resource | None:
        """Return the resource after the patch; None if it is deleted."""
        document, content = patch.document, patch.content
        if patch.may_rename or patch.may_change_kind:
            resource = with_previous_id(resource)
        schema = self._schema()
        for replaced in replaced_lists(resource, content, schema):
            self._warn(warning(replaced, resource, document))
        resource = before_merge(without_blank_fields(resource, schema), content, schema)
        try:
            merged = StrategicMerge(schema).apply(resource.content, content)
        except StrategicMergeError as error:
            raise Diagnostic(
                Code.PATCH_INVALID,
                f"the patch does not fit {resource.current_id}: {error}",
                sites=(document.origin.child(error.field), *resource.sites(error.field)),
                resource=resource.current_id,
                field=error.field,
            ).error() from None
        if not merged:
            return None
        restored = _with_protected_fields(merged, resource.content, patch)
        return with_patch_spellings(resource.with_content(restored, document.origin), document)


def _with_protected_fields(merged: JsonObject, before: JsonObject, patch: _MergedDocument) -> JsonObject:
    """Return the merged object with the old namespace, and kind and name unless they may change."""
    if merged.get("kind") != before.get("kind") and not patch.may_change_kind:
        merged = {**merged, "kind": before.get("kind")}
    metadata, old = object_at(merged, "metadata"), object_at(before, "metadata")
    if metadata.get("name") != old.get("name") and not patch.may_rename:
        merged = with_value(merged, ("metadata", "name"), old.get("name"))
    if metadata.get("namespace") == old.get("namespace"):
        return merged
    if old.get("namespace") is None:
        return without(merged, "metadata", "namespace")
    return with_value(merged, ("metadata", "namespace"), old["namespace"])


def _as_targeted_patch(document: Resource) -> JsonObject:
    """Return a strategic merge patch as kustomize applies it to the resources that a target selects.

    The API version becomes the target's. Labels and annotations are set anew, so null deletes none.
    """
    content = with_texts(without(document.content, "apiVersion"), "annotations", document)
    return with_texts(content, "labels", document)
