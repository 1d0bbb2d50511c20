"""Leave nulls of known fields out of manifests, so that they mean the same however they are applied.

The API server drops them from what a client posts, and refuses them in a server-side apply
(``kubevirt/facts/applied_null.py``). A null stays where it means something or where its meaning is unknown:
in fields that are nullable, in lists, below unknown fields, and in kinds without a schema.
"""

from __future__ import annotations

from renderer.checks.schemas.kind_schema import SchemaTree
from renderer.checks.schemas.kubernetes_kinds import GROUPS as KUBERNETES_GROUPS
from renderer.checks.schemas.registry import SchemaRegistry
from renderer.model.diagnostic import DiagnosticError
from renderer.model.kube.json import Json, JsonObject, contains_null, object_at, with_entries
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.release import Release

_METADATA = "metadata"
#: Go writes null for no time, and every way of applying reads it.
_NO_TIME = "creationTimestamp"


def without_nulls(resources: ResourceSet, release: Release, schemas: SchemaRegistry) -> ResourceSet:
    """Return the resources without nulls of fields that their schemas know; most have none."""
    if not any(contains_null(resource.content) for resource in resources):
        return resources
    return resources.map(lambda resource: _without_nulls(resource, release, schemas))


def _without_nulls(resource: Resource, release: Release, schemas: SchemaRegistry) -> Resource:
    content, gvk = resource.content, resource.gvk
    if not contains_null(content) or not schemas.knows(gvk):
        return resource
    try:
        schema = schemas.schema(release, gvk)
    except DiagnosticError:  # a kind without a usable schema, which is a finding
        return resource
    tree, root = schema.tree, schema.document
    pruned = object_at(_pruned(content, root, tree, decoded=gvk.group in KUBERNETES_GROUPS))
    metadata = tree.child(root, _METADATA)
    if metadata is not None and isinstance(content.get(_METADATA), dict):
        written = _pruned(content[_METADATA], metadata, tree, decoded=True)
        pruned = with_entries(pruned, {_METADATA: written})
    return resource.with_content(pruned)


def _pruned(value: Json, schema: JsonObject, tree: SchemaTree, *, decoded: bool) -> Json:
    """Return ``value`` without nulls of known fields; ``value`` itself if it has none.

    ``decoded``: the API server decodes the value into Go's types, as all of Kubernetes' own kinds and the
    metadata of all kinds. A null means that there is no value, except in a map, where it is the empty text.
    """
    if isinstance(value, dict):
        kept: dict[str, Json] = {}
        for key, child in value.items():
            child_schema = tree.child(schema, key)
            if child_schema is None:
                kept[key] = child
            elif child is not None:
                kept[key] = _pruned(child, child_schema, tree, decoded=decoded)
            elif not (_is_absent(key, schema) if decoded else _is_rejected(child_schema)):
                kept[key] = child
        is_same = len(kept) == len(value) and all(kept[key] is value[key] for key in kept)
        return value if is_same else kept
    if isinstance(value, list):
        element_schema = tree.child(schema, 0)
        if element_schema is None:
            return value
        elements = [_pruned(element, element_schema, tree, decoded=decoded) for element in value]
        is_same = all(new is old for new, old in zip(elements, value, strict=True))
        return value if is_same else elements
    return value


def _is_absent(key: str, schema: JsonObject) -> bool:
    """Return True if the null of ``key`` is decoded as no value: a field of a known type."""
    field = object_at(schema, "properties", key)
    return key != _NO_TIME and ("type" in field or "$ref" in field)


def _is_rejected(schema: JsonObject) -> bool:
    """Return True if a null does not match the schema of its field."""
    types = schema.get("type")
    return types is not None and "null" not in (types if isinstance(types, list) else [types])
