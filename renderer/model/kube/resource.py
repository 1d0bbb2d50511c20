"""A Kubernetes object during composition, and all objects of one overlay, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache

from renderer.model.kube.field_path import ROOT, FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text
from renderer.model.kube.list_elements import element_index, element_name, value_at
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Gvk, ObjectKey, Reference, ResId
from renderer.model.kube.sharing import extended, once_for_same
from renderer.model.provenance import ConfiguredBy
from renderer.model.record import Record

#: A repository has few kinds, and each is requested again and again.
_gvk = lru_cache(maxsize=1024)(Gvk.parse)
#: The number of patches before the last one whose places a resource stores: each finding visits all of them.
_MOST_LAYERS = 100


class Spelling(Record):
    """The text of a scalar that differs from the text of its value: ``1.10`` (1.1), ``True``, a blank.

    ``field`` names list elements if they have names. Valid only while the field still has ``value``.
    ``is_untyped``: kustomize created the scalar without a type, so its text determines the value anew.
    """

    field: FieldPath
    text: str
    value: Json
    is_untyped: bool = False


class DataPlace(Record):
    """Where a generator read the value of ``key``.

    ``site`` is the entry of the generator. ``file`` is the file that the entry names, if it names one, and
    ``line`` the line there; without a line, the whole file is the value.
    """

    key: str
    site: Site
    file: str = ""
    line: int = 0

    @property
    def generator(self) -> Site:
        """The site of the generator with the entry."""
        *generator, _list, _index = self.site.field.segments
        return self.site._replace(field=FieldPath(tuple(generator)))


class Resource(Record):
    """One object and its origin.

    ``origin`` is the document it was read from, ``layers`` the patches that changed it since, in order; for
    an object made by a table, the row and the part that all rows share. The other fields are kustomize's
    build annotations: the ids it had before each change of its name, namespace or kind (oldest first, with
    the effective namespace), the affixes its name got, whether a hash of its content is to be added to the
    name, and the variables that take their values from it; then its generator and its transformers, which are
    recorded only for builds that print them. ``spellings`` are the scalars whose texts differ from their
    values; ``shared_fields`` the groups of fields that are one YAML node in kustomize, so that a change of
    one changes all. ``data_places`` are the places of the data of a generated ConfigMap or Secret.
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
    spellings: tuple[Spelling, ...] = ()
    shared_fields: tuple[tuple[FieldPath, ...], ...] = ()
    data_places: tuple[DataPlace, ...] = ()

    # A run reads these a hundred times per resource; a text, as nearly all are, needs no further call.

    @property
    def api_version(self) -> str:
        api_version = self.content.get("apiVersion")
        return api_version if isinstance(api_version, str) else _text(api_version)

    @property
    def kind(self) -> str:
        kind = self.content.get("kind")
        return kind if isinstance(kind, str) else _text(kind)

    @property
    def gvk(self) -> Gvk:
        return _gvk(self.api_version, self.kind)

    @property
    def name(self) -> str:
        metadata = self.content.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return (
            name if isinstance(name, str) else "" if name is None else self.written_text("metadata", "name")
        )

    @property
    def namespace(self) -> str:
        metadata = self.content.get("metadata")
        namespace = metadata.get("namespace") if isinstance(metadata, dict) else None
        return namespace if isinstance(namespace, str) else _text(namespace)

    @property
    def labels(self) -> JsonObject:
        return object_at(self.content, "metadata", "labels")

    @property
    def annotations(self) -> JsonObject:
        return object_at(self.content, "metadata", "annotations")

    @property
    def current_id(self) -> ResId:
        return ResId(self.gvk, self.name, self.namespace)

    @property
    def object_key(self) -> ObjectKey:
        """The current identity in a cluster."""
        return self.gvk.group, self.kind, self.namespace, self.name

    @property
    def reference(self) -> Reference:
        """The kind, namespace and name."""
        return self.kind, self.namespace, self.name

    @property
    def original_id(self) -> ResId:
        """The id it was read with, before any transformer renamed it."""
        return self.previous_ids[0] if self.previous_ids else self.current_id

    @property
    def blank_fields(self) -> tuple[FieldPath, ...]:
        """The fields that were read without a value, which is not the same as null."""
        blank = (each for each in self.spellings if not each.text and each.value is None)
        return tuple(each.field for each in blank if not each.is_untyped)

    def spelling(self, *segments: Segment) -> Spelling | None:
        """Return the spelling of the scalar at a path; None if its text follows from its value."""
        if not self.spellings:
            return None
        field = self.named_field(segments)
        found = next((each for each in self.spellings if each.field == field), None)
        value = value_at(self.content, segments)
        is_current = found is not None and type(found.value) is type(value) and found.value == value
        return found if is_current else None

    def written_text(self, *segments: Segment) -> str:
        """Return the text of the scalar at a path as it is written; the empty text for other values."""
        spelling = self.spelling(*segments)
        if spelling is not None:
            return spelling.text
        return scalar_text(value_at(self.content, segments))

    def named_field(self, segments: tuple[Segment, ...]) -> FieldPath:
        """Return the path with names instead of indices for list elements that have one."""
        return FieldPath(tuple(_named_segments(self.content, FieldPath(segments))))

    def with_content(self, content: JsonObject, layer: Site | None = None) -> Resource:
        """Return the resource with new content, from the patch at ``layer``."""
        layers = extended(self.layers[-_MOST_LAYERS:], layer) if layer else self.layers
        # Every change of a resource uses this method; ``_replace`` takes twice as long.
        return Resource(content, self.origin, layers, *self[3:])

    def sites(self, field: FieldPath = ROOT) -> tuple[Site, ...]:
        """Return the sites where ``field`` may have been written, most recent first.

        List indices become element names if the elements have names, because the index in a patch or base
        differs from the index in the result.
        """
        named = field
        if not all(isinstance(segment, str) for segment in field.segments):
            named = FieldPath(tuple(_named_segments(self.content, field)))
        return tuple(layer.child(named) for layer in (*reversed(self.layers), self.origin))

    def data_place(self, key: str) -> DataPlace | None:
        """Return where a generator read the value of ``key``; None if a patch may have changed it since."""
        by_key, generators = _indexed_places(self.data_places)
        return by_key.get(key) if generators.issuperset((self.origin, *self.layers)) else None


@once_for_same
def _indexed_places(places: tuple[DataPlace, ...]) -> tuple[Mapping[str, DataPlace], frozenset[Site]]:
    """Return the first place of each key, and the generators that all of the places are in."""
    return {each.key: each for each in reversed(places)}, frozenset(each.generator for each in places)


def _text(value: Json) -> str:
    return "" if value is None else scalar_text(value)


def _named_segments(value: Json, field: FieldPath) -> list[Segment]:
    segments: list[Segment] = []
    for segment in field.segments:
        child, name = _step(value, segment)
        segments.append(name)
        value = child
    return segments


def _step(value: Json, segment: Segment) -> tuple[Json, Segment]:
    """Return the child at ``segment``, and its name if the segment is the index of a named element."""
    if isinstance(segment, str):
        return (value.get(segment) if isinstance(value, dict) else None), segment
    elements = value if isinstance(value, list) else []
    index = element_index(elements, segment)
    if index is None:
        return None, segment
    return elements[index], element_name(elements, index) or segment


class Definition(Record):
    """An object of ``kind`` that a file of the repository defines at ``site``, but no catalog contains.

    ``catalog_hint`` says how to add it to the catalogs.
    """

    kind: str
    site: Site
    catalog_hint: str


class ResourceSet:
    """Resources in the order in which they will be written. Changes return a new set."""

    __slots__ = ("_resources",)

    def __init__(self, resources: tuple[Resource, ...] = ()) -> None:
        self._resources = resources

    @property
    def resources(self) -> tuple[Resource, ...]:
        return self._resources

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ResourceSet) and self.resources == other.resources

    __hash__ = None  # type: ignore[assignment]  # resources hold dictionaries

    def __repr__(self) -> str:
        return f"ResourceSet({self.resources!r})"

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    def __len__(self) -> int:
        return len(self.resources)

    def take(self) -> tuple[Resource, ...]:
        """Return the resources and drop them here, so that each can be freed after use."""
        resources, self._resources = self.resources, ()
        return resources

    def map(self, change: Callable[[Resource], Resource]) -> ResourceSet:
        return ResourceSet(tuple(change(resource) for resource in self.resources))

    def where(self, keep: Callable[[Resource], bool]) -> ResourceSet:
        return ResourceSet(tuple(resource for resource in self.resources if keep(resource)))


class UnreadResources(ResourceSet):
    """Resources that are read on first use: few of a catalog's ever are.

    ``keys`` are the kinds and names of all, in order; ``read`` returns the resource with a number.
    """

    __slots__ = ("_read", "keys")

    def __init__(self, keys: tuple[tuple[str, str], ...], read: Callable[[int], Resource]) -> None:
        super().__init__()
        self.keys = keys
        self._read = cache(read)

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[Resource]:
        return iter(self.resources)

    @property
    def resources(self) -> tuple[Resource, ...]:
        return tuple(map(self._read, range(len(self.keys))))

    def at(self, number: int) -> Resource:
        return self._read(number)
