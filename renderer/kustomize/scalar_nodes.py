"""Scalars as kustomize's YAML nodes hold them: with a spelling, without a type, or shared by several fields.

Composition works on JSON trees, in which a node is only its value. In addition to its tree, a ``Resource``
records the nodes that are more than that: ``spellings`` and ``shared_fields``. These functions keep both in
sync.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from renderer.kustomize.merge_keys.merge_schema import FieldSchema, MergeSchema
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.model.kube.json import Json, JsonObject, object_at, scalar_text
from renderer.model.kube.list_elements import value_at
from renderer.model.kube.resource import Resource, Spelling
from renderer.model.record import Record
from renderer.model.run.taint import noted_masking, taint
from renderer.model.run.work import spend
from renderer.yamlio.decode import decode_yaml11

#: Steps to record a field's spelling, and to compare one with fields of the same value (``model.run.work``).
_STEPS_PER_FIELD, _STEPS_PER_SHARED_FIELD = 30, 12


class ScalarNode(Record):
    """A scalar that was set: its value and its text. If it ``is_untyped``, the text determines the value."""

    value: Json
    text: str
    is_untyped: bool = False


def with_scalar_nodes(
    resource: Resource, nodes: Iterable[tuple[tuple[Segment, ...], ScalarNode]]
) -> Resource:
    """Return the resource, whose content already has the nodes' values, with their spellings recorded."""
    spellings = {each.field: each for each in resource.spellings}
    spend(_STEPS_PER_FIELD + len(spellings) // 2, "writing fields")
    for segments, node in nodes:
        spend(_STEPS_PER_FIELD, "writing fields")
        field = resource.named_field(segments)
        spellings.pop(field, None)
        value = scalar_text(node.value)
        if node.text != value and noted_masking().is_in(node.text):  # the value is another spelling of it
            taint([value])
        if node.is_untyped or node.text != value:
            spellings[field] = Spelling(field, node.text, node.value, node.is_untyped)
    return resource._replace(spellings=tuple(spellings.values()))


def with_scalar_node(resource: Resource, place: tuple[Segment, ...], node: ScalarNode) -> Resource:
    """Return the resource with the node at an existing place."""
    content = object_at(with_value_at(resource.content, place, node.value))
    return with_scalar_nodes(resource.with_content(content), ((place, node),))


def with_written_texts(resource: Resource, paths: Collection[tuple[str, ...]]) -> Resource:
    """Return the resource with the written texts in the fields at ``paths``, which skip list elements."""
    content = resource.content
    for each in resource.spellings:
        segments = each.field.segments
        names = tuple(segment for segment in segments if isinstance(segment, str))
        if names in paths and each.value is not None and resource.spelling(*segments) is not None:
            content = object_at(with_value_at(content, segments, each.text))
    return resource if content is resource.content else resource.with_content(content)


def without_nodes(resource: Resource) -> Resource:
    """Return the resource with plain values only, as after a conversion through JSON."""
    return resource._replace(spellings=(), shared_fields=())


# A node that two fields share is changed in place (kyaml ``FieldSetter``, ``SetYNode``), and so in both.


def with_shared_change(before: Resource, after: Resource) -> Resource:
    """Return ``after`` with a change of one shared field repeated in all fields that share the node."""
    groups: list[tuple[FieldPath, ...]] = []
    content: Json = after.content
    for group in after.shared_fields:
        spend(_STEPS_PER_SHARED_FIELD * (1 + len(group)), "writing fields that share a value")
        present = tuple(field for field in group if value_at(content, field.segments) is not None)
        values = [value_at(content, field.segments) for field in present]
        changed = [
            value
            for field, value in zip(present, values, strict=True)
            if value_at(before.content, field.segments) not in (None, value)
        ]
        for field, value in zip(present, values, strict=True):
            if changed and value != changed[-1]:
                content = with_value_at(content, field.segments, changed[-1])
        if len(present) > 1:
            groups.append(present)
    return after._replace(content=object_at(content), shared_fields=tuple(groups))


def with_shared_entries(
    before: Resource, after: Resource, mappings: Iterable[tuple[Segment, ...]], keys: Iterable[str]
) -> Resource:
    """Return ``after`` with a record of the entries that are new in several of its ``mappings``.

    kustomize puts one node into all of them (``api/filters/filtersutil/setters.go`` SetEntry).
    """
    places = tuple(dict.fromkeys(mappings))
    groups = []
    for key in keys:
        fields = tuple(
            after.named_field((*place, key))
            for place in places
            if key not in object_at(value_at(before.content, place))
        )
        if len(fields) > 1:  # in the order of a strategic merge: the last change wins
            groups.append(tuple(sorted(fields, key=lambda field: tuple(map(str, field.segments)))))
    return after._replace(shared_fields=(*after.shared_fields, *groups)) if groups else after


# A strategic merge sets every field that it visits. An untyped node becomes text, if YAML 1.1 reads it as
# another type (kyaml ``fns.go`` FieldSetter, ``compatibility.go`` IsYaml1_1NonString).


def before_merge(resource: Resource, patch: JsonObject, schema: MergeSchema) -> Resource:
    """Return the resource with its untyped scalars as texts, except the scalars that ``patch`` sets.

    Fields of mappings that the patch replaces are no longer shared.
    """
    if resource.shared_fields:
        groups = (
            tuple(field for field in group if not _is_in_replaced_mapping(patch, field.segments))
            for group in resource.shared_fields
        )
        resource = resource._replace(shared_fields=tuple(groups))
    if not resource.spellings:
        return resource
    content: Json = resource.content
    spellings: list[Spelling] = []
    root = schema.of_kind(resource.api_version, resource.kind)
    for each in resource.spellings:
        segments = each.field.segments
        is_text = (
            each.is_untyped
            and value_at(patch, segments) is None
            and _is_merged(content, segments, root, schema)
            and _is_other_type_in_yaml11(each.text)
        )
        is_plain = isinstance(each.value, str) and "\n" not in each.text
        if is_plain and value_at(patch, segments) is not None and resource.spelling(*segments) is not None:
            content = with_value_at(content, segments, None)  # without quotes, which the new value would keep
        elif not is_text:
            spellings.append(each)
        elif resource.spelling(*segments) is not None:
            content = with_value_at(content, segments, each.text)
    return resource._replace(content=object_at(content), spellings=tuple(spellings))


def with_patch_spellings(merged: Resource, patch: Resource) -> Resource:
    """Return the merged resource with the patch's spellings of the scalars that it sets."""
    nodes: list[tuple[tuple[Segment, ...], ScalarNode]] = []
    content: Json = merged.content
    for each in patch.spellings:
        segments = each.field.segments
        value = value_at(content, segments)
        is_quoted = isinstance(value, str) and not isinstance(each.value, str)
        if is_quoted and value == scalar_text(each.value):
            content = with_value_at(content, segments, each.text)  # keeps the quotes of the old scalar
        elif type(value) is type(each.value) and value == each.value:
            nodes.append((segments, ScalarNode(value, each.text)))
    return (
        with_scalar_nodes(merged._replace(content=object_at(content)), nodes) if patch.spellings else merged
    )


def _is_in_replaced_mapping(patch: Json, path: Sequence[Segment]) -> bool:
    """Return True if a mapping on the path has ``$patch: replace``."""
    values = (value_at(patch, path[:length]) for length in range(1, len(path)))
    return any(isinstance(value, dict) and value.get("$patch") == "replace" for value in values)


def _is_merged(value: Json, path: Sequence[Segment], field: FieldSchema | None, schema: MergeSchema) -> bool:
    """Return True if a strategic merge reaches the path: through mappings, and lists that merge by key."""
    for segment in path:
        if isinstance(value, list):
            if field is None or field.merge_keys is None:
                return False
            field = schema.element(field)
        else:
            field = schema.fields(field).get(segment) if isinstance(segment, str) else None
        value = value_at(value, (segment,))
    return True


def _is_other_type_in_yaml11(text: str) -> bool:
    """Return True if YAML 1.1 reads the text, written without quotes, as another type."""
    if not text or "\n" in text:
        return False
    try:
        return not isinstance(decode_yaml11(text.encode(), ""), str)
    except (DiagnosticError, UnicodeEncodeError):
        return False


def with_value_at(value: Json, path: Sequence[Segment], new: Json) -> Json:
    """Return a copy of ``value`` with ``new`` at an existing path."""
    if not path:
        return new
    head, *rest = path
    child = value_at(value, (head,))
    if isinstance(value, dict) and isinstance(head, str):
        return {**value, head: with_value_at(child, rest, new)}
    if isinstance(value, list):
        changed = False
        elements: list[Json] = []
        for index, element in enumerate(value):
            is_target = not changed and (index == head if isinstance(head, int) else element is child)
            elements.append(with_value_at(element, rest, new) if is_target else element)
            changed = changed or is_target
        return elements
    return value
