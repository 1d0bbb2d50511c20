"""Strategic merge patches (kustomize ``kyaml/yaml/merge2`` and ``kyaml/yaml/walk``).

Mappings merge field by field, lists of known kinds element by element, everything else is replaced. Null
removes a field, ``$patch`` says otherwise. What a patch adds is merged with itself, which takes nulls and
directives out of it.
"""

from __future__ import annotations

from renderer.compose.absent import ABSENT, Slot
from renderer.compose.bare_text import is_bare_text
from renderer.compose.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.compose.patching.associative_list import ITSELF, ElementError, in_order_of
from renderer.compose.patching.element_merge import merge_elements
from renderer.compose.patching.patch_directive import (
    Directive,
    DirectiveError,
    list_directive,
    mapping_directive,
)
from renderer.model.field_path import FieldPath, Segment
from renderer.model.json import EMPTY, Json, JsonObject, scalar_text, text_at


class MergeError(Exception):
    """The patch does not fit the object at ``field``."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self._inner_first: list[Segment] = []

    def inside(self, segment: Segment) -> MergeError:
        """The error as seen from one level further out."""
        self._inner_first.append(segment)
        return self

    @property
    def field(self) -> FieldPath:
        return FieldPath(tuple(reversed(self._inner_first)))


class StrategicMerge:
    """Merges patches into objects, with what ``schema`` knows of their lists."""

    def __init__(self, schema: MergeSchema) -> None:
        self._schema = schema

    def apply(self, target: JsonObject, patch: JsonObject) -> JsonObject | None:
        """``target`` changed by ``patch``; None when the patch deletes it. Raises ``MergeError``.

        ``$patch: replace`` at the root does nothing, as in kustomize.
        """
        merged = self._merged(target, patch, None)
        if not isinstance(merged, dict):
            return None
        return target if mapping_directive(patch)[0] is Directive.REPLACE else merged

    def _merged(self, dest: Slot, origin: Slot, schema: FieldSchema | None) -> Slot:
        """What becomes of a field that holds ``dest`` and of which the patch says ``origin``."""
        value = origin if dest is None or dest is ABSENT else dest
        if isinstance(value, dict):
            return self._merged_mapping(dest, origin, schema)
        if isinstance(value, list):
            return self._merged_list(dest, origin, schema)
        if value is None or value is ABSENT:  # an explicit null stays where the patch says nothing
            return None if dest is None and origin is ABSENT else ABSENT
        if isinstance(origin, dict | list):
            raise MergeError("the patch has a mapping or list where the object has a scalar")
        if origin is ABSENT:
            return dest
        return ABSENT if origin is None else _in_style_of(dest, origin)

    def _merged_mapping(self, dest: Slot, origin: Slot, schema: FieldSchema | None) -> Slot:
        schema = schema or self._schema_of(dest) or self._schema_of(origin)
        if origin is None:
            return ABSENT
        if origin is ABSENT:
            return self._merged_fields(_mapping(dest), EMPTY, schema)
        patch = _mapping(origin)
        directive = Directive.MERGE
        try:
            directive, patch = mapping_directive(patch)
        except DirectiveError as error:
            if dest is not None and dest is not ABSENT:  # kustomize reads on where there is nothing to patch
                raise MergeError(str(error)) from None
        if directive is Directive.DELETE:
            return ABSENT
        is_added = dest is None or dest is ABSENT or dest is origin or directive is Directive.REPLACE
        return self._merged_fields(patch if is_added else _mapping(dest), patch, schema)

    def _merged_fields(self, dest: JsonObject, patch: JsonObject, schema: FieldSchema | None) -> JsonObject:
        """``dest`` with each of its fields merged; itself when that changes nothing."""
        known = self._schema.fields(schema)
        changed: dict[str, Slot] = {}
        for key, value in patch.items():
            changed[key] = self._merged_field(key, dest.get(key, ABSENT), value, known.get(key))
        for key in known:  # lists that the patch does not touch are merged with themselves
            if key in dest and key not in patch:
                changed[key] = self._merged_field(key, dest[key], ABSENT, known[key])
        if all(dest.get(key, ABSENT) is value for key, value in changed.items()):
            return dest
        return {key: value for key, value in {**dest, **changed}.items() if value is not ABSENT}

    def _merged_field(self, key: str, dest: Slot, origin: Slot, schema: FieldSchema | None) -> Slot:
        try:
            return self._merged(dest, origin, schema)
        except MergeError as error:
            raise error.inside(key) from None

    def _merged_list(self, dest: Slot, origin: Slot, schema: FieldSchema | None) -> Slot:
        if origin is None:
            return ABSENT
        patch = _list(dest if origin is ABSENT else origin)
        if schema is None or schema.merge_keys is None:
            return patch
        if dest is None or dest is ABSENT:
            return self._merged_elements(patch, patch, schema)
        if origin is ABSENT:
            return self._merged_elements(patch, [], schema)
        try:
            directive, patch = list_directive(patch)
        except DirectiveError as error:
            raise MergeError(str(error)) from None
        if directive is Directive.DELETE:
            return ABSENT
        is_added = dest is origin or directive is Directive.REPLACE
        return self._merged_elements(patch if is_added else _list(dest), patch, schema)

    def _merged_elements(self, dest: list[Json], patch: list[Json], schema: FieldSchema) -> list[Json]:
        element = self._schema.element(schema)
        try:
            merged = merge_elements(
                dest, patch, schema.merge_keys or ITSELF, lambda old, new: self._merged(old, new, element)
            )
        except ElementError as error:
            raise MergeError(str(error)) from None
        if schema.keeps_order:
            merged = in_order_of(dest, merged, schema.merge_keys or ITSELF)
        return dest if merged == dest else merged

    def _schema_of(self, value: Slot) -> FieldSchema | None:
        """The schema of an object that says what it is, wherever it stands."""
        if not isinstance(value, dict) or "kind" not in value:
            return None
        return self._schema.of_kind(text_at(value, "apiVersion"), text_at(value, "kind"))


def _in_style_of(dest: Slot, origin: Json) -> Json:
    """The new scalar in the quotes of the old one, which kyaml ``FieldSetter`` keeps: 2 over "1" is "2"."""
    is_quoted = isinstance(dest, str) and not is_bare_text(dest)
    return scalar_text(origin) if is_quoted else origin


def _mapping(value: Slot) -> JsonObject:
    if isinstance(value, dict):
        return value
    raise MergeError("only one of the patch and the object has a mapping here")


def _list(value: Slot) -> list[Json]:
    if isinstance(value, list):
        return value
    raise MergeError("only one of the patch and the object has a list here")
