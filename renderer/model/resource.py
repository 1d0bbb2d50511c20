"""A Kubernetes object on its way through composition, and all those of one overlay, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Final, cast

from renderer.model.field_path import ROOT, ElementName, FieldPath, Segment
from renderer.model.json import Json, JsonObject, object_at, scalar_text, text_at
from renderer.model.location import Site
from renderer.model.provenance import ConfiguredBy
from renderer.model.record import Record
from renderer.model.res_id import Gvk, ResId

#: A repository has few kinds, and each is asked for again and again.
_gvk = lru_cache(maxsize=1024)(Gvk.parse)

#: Fields that name the elements of the lists in Kubernetes objects.
_ELEMENT_NAMES = ("name", "id", "deviceName")


class Resource(Record):
    """One object and where it came from.

    ``origin`` is the document it was read from, ``layers`` the patches that changed it since, in order; of
    what a table made, the row and what all rows have in common.
    The other fields are what kustomize keeps in build annotations: the ids it had before each change of
    its name, namespace or kind (oldest first, with the effective namespace), the affixes its name got,
    whether a hash of its content is to be added to the name, and the variables that take their values from
    it; then what generated and what transformed it, which is recorded only for builds that print it.
    ``blank_fields`` hold nothing where they were read, which is not the same as null.
    """

    content: JsonObject
    origin: Site
    layers: tuple[Site, ...] = ()
    previous_ids: tuple[ResId, ...] = ()
    name_prefixes: tuple[str, ...] = ()
    name_suffixes: tuple[str, ...] = ()
    needs_hash: bool = False
    variables: tuple[str, ...] = ()
    generated_by: ConfiguredBy | None = None
    transformed_by: tuple[ConfiguredBy, ...] = ()
    blank_fields: tuple[FieldPath, ...] = ()

    @property
    def api_version(self) -> str:
        return _text(self.content.get("apiVersion"))

    @property
    def kind(self) -> str:
        return _text(self.content.get("kind"))

    @property
    def gvk(self) -> Gvk:
        return _gvk(self.api_version, self.kind)

    @property
    def name(self) -> str:
        return _text(object_at(self.content, "metadata").get("name"))

    @property
    def namespace(self) -> str:
        return _text(object_at(self.content, "metadata").get("namespace"))

    @property
    def labels(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", object_at(self.content, "metadata", "labels"))

    @property
    def annotations(self) -> Mapping[str, str]:
        return cast("Mapping[str, str]", object_at(self.content, "metadata", "annotations"))

    @property
    def current_id(self) -> ResId:
        return ResId(self.gvk, self.name, self.namespace)

    @property
    def original_id(self) -> ResId:
        """The id it was read with, before any transformer renamed it."""
        return self.previous_ids[0] if self.previous_ids else self.current_id

    def with_content(self, content: JsonObject, layer: Site | None = None) -> Resource:
        """The resource with new content, made so by the patch at ``layer``."""
        return self._replace(content=content, layers=(*self.layers, layer) if layer else self.layers)

    def sites(self, field: FieldPath = ROOT) -> tuple[Site, ...]:
        """Where ``field`` may have been written, most recent first.

        List indices become element names where the elements have names, as the index in a patch
        or base differs from the index in the result.
        """
        named = FieldPath(tuple(_named_segments(self.content, field)))
        return tuple(layer.child(named) for layer in (*reversed(self.layers), self.origin))


def _text(value: Json) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else scalar_text(value)


def _named_segments(value: Json, field: FieldPath) -> list[Segment]:
    segments: list[Segment] = []
    for segment in field.segments:
        value = _step(value, segment)
        segments.append(_element_name(value) or segment if isinstance(segment, int) else segment)
    return segments


def _step(value: Json, segment: Segment) -> Json:
    if isinstance(segment, str):
        return value.get(segment) if isinstance(value, dict) else None
    if isinstance(segment, int):
        return value[segment] if isinstance(value, list) and segment < len(value) else None
    elements = value if isinstance(value, list) else []
    return next((e for e in elements if isinstance(e, dict) and e.get(segment.key) == segment.value), None)


def _element_name(element: Json) -> ElementName | None:
    for key in _ELEMENT_NAMES:
        name = text_at(element, key)
        if name:
            return ElementName(key, name)
    return None


class ResourceSet:
    """Resources in the order in which they will be written. Changes return a new set."""

    __slots__ = ("resources",)

    def __init__(self, resources: tuple[Resource, ...] = ()) -> None:
        self.resources: Final = resources

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceSet) and self.resources == other.resources

    __hash__ = None  # type: ignore[assignment]  # resources hold dictionaries

    def __repr__(self) -> str:
        return f"ResourceSet({self.resources!r})"

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def __len__(self) -> int:
        return len(self.resources)

    def map(self, change: Callable[[Resource], Resource]) -> ResourceSet:
        return ResourceSet(tuple(change(resource) for resource in self.resources))

    def where(self, keep: Callable[[Resource], bool]) -> ResourceSet:
        return ResourceSet(tuple(resource for resource in self.resources if keep(resource)))
