"""The schema of strategic merges: which lists of a kind are merged by element, and by which keys."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.pattern import pattern
from renderer.model.record import Record

_FIELD = pattern(r"(\w+)(?:(\[)([\w,.]*)\])?(?::(\w+))?")


class FieldSchema(Record):
    """The schema of a field.

    ``merge_keys`` is None unless it is a list whose elements are merged; it is empty for lists of scalars.
    ``keeps_order``: a patch keeps the order of the elements; kustomize moves patched elements to the front.
    ``type`` is the type of the object, or of the list's elements; empty if unknown.
    """

    type: str
    merge_keys: tuple[str, ...] | None = None
    keeps_order: bool = False


class MergeSchema:
    """The known kinds and types, as compact texts.

    A type is written as its fields, separated by spaces: ``env[name] ports[port,protocol] spec:PodSpec``.
    """

    def __init__(self, kinds: Mapping[str, Mapping[str, str]], types: Mapping[str, str]) -> None:
        self._kinds = {
            (api_version, kind): FieldSchema(type_name)
            for api_version, by_type in kinds.items()
            for type_name, names in by_type.items()
            for kind in names.split()
        }
        self._types = {name: _parse_fields(text) for name, text in types.items()}

    def of_kind(self, api_version: str, kind: str) -> FieldSchema | None:
        return self._kinds.get((api_version, kind))

    def fields(self, schema: FieldSchema | None) -> Mapping[str, FieldSchema]:
        """Return the known fields of an object with the given schema."""
        return self._types.get(schema.type, {}) if schema else {}

    def element(self, schema: FieldSchema) -> FieldSchema | None:
        """Return the schema of the elements of a list; None if it is unknown."""
        return FieldSchema(schema.type) if schema.type else None


def _parse_fields(text: str) -> Mapping[str, FieldSchema]:
    """Return the fields of a type from its compact text."""
    return {
        name: FieldSchema(type_name, tuple(filter(None, keys.split(","))) if bracket else None)
        for name, bracket, keys, type_name in _FIELD.findall(text)
    }
