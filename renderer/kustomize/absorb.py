"""Add generated resources to the others: as new ones, or by ``behavior`` merge and replace.

kustomize ``api/resmap/reswrangler.go`` AbsorbAll.
"""

from __future__ import annotations

from collections.abc import Mapping

from renderer.kustomize.identity import current_identity
from renderer.kustomize.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Related
from renderer.model.kube.json import Json, JsonObject, object_at, without
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import Behavior
from renderer.model.run.work import spend

#: Steps to merge a pair of a ConfigMap or Secret (``model.run.work``).
_STEPS_PER_PAIR = 8


def absorb(resources: ResMap, generated: Resource, behavior: Behavior) -> None:
    """Add ``generated``, or change the resource that has or had its id.

    Raises: duplicate-id, patch-target-missing.
    """
    keys = resources.keys_of(current_identity(generated))
    changes = behavior in (Behavior.MERGE, Behavior.REPLACE)
    others = [resources[key] for key in keys]
    related = tuple(Related(f"this is {other.current_id}", other.sites()) for other in others)
    if len(keys) > 1:
        message = f"several resources match {generated.current_id}"
        hint = "give the generator the namespace of the intended resource"
        raise Diagnostic.about(generated, None, Code.DUPLICATE_ID, message, hint, related=related).error()
    if not keys and changes:
        message = f"there is no {generated.current_id} to {behavior}"
        hint = "name a resource of resources or components, with its namespace, or use behavior: create"
        raise Diagnostic.about(generated, None, Code.PATCH_TARGET_MISSING, message, hint).error()
    if not keys:
        resources.extend((generated,))
    elif changes:
        resources.replace(keys[0], _merged_or_replaced(others[0], generated, behavior))
    else:
        message = f"{generated.current_id} already exists"
        hint = "use behavior: merge or replace to change it"
        if generated.origin.text:  # a template has no behavior
            hint = "put values of the row into the name to make it unique, or change the object with a patch"
        raise Diagnostic.about(generated, None, Code.DUPLICATE_ID, message, hint, related=related).error()


def _merged_or_replaced(present: Resource, generated: Resource, behavior: Behavior) -> Resource:
    """Return the generated object with the name and history of the present one, which it replaces.

    Merged content keeps the origin of the present object; replaced content gets the origin of the generator.
    """
    present = present._replace(shared_fields=())
    content: JsonObject = {**generated.content, "metadata": _metadata(present, generated)}
    if behavior is Behavior.MERGE:
        for field in ("data", "binaryData"):
            pairs = len(object_at(present.content, field)) + len(object_at(generated.content, field))
            spend(_STEPS_PER_PAIR * pairs, "merging generated data")
            content = _with_pairs(content, field, _data_texts(present, field) | _data_texts(generated, field))
    needs_hash = present.needs_hash and generated.needs_hash
    if behavior is Behavior.MERGE:
        merged = present.with_content(content, generated.origin)
        places = {each.key: each for each in (*present.data_places, *generated.data_places)}
        return merged._replace(needs_hash=needs_hash, data_places=tuple(places.values()))
    return present._replace(
        content=content,
        origin=generated.origin,
        layers=(),
        spellings=(),
        needs_hash=needs_hash,
        generated_by=generated.generated_by,
        data_places=generated.data_places,
    )


def _metadata(present: Resource, generated: Resource) -> JsonObject:
    old, new = object_at(present.content, "metadata"), object_at(generated.content, "metadata")
    metadata: JsonObject = {**new, "name": old.get("name")}
    for field in ("labels", "annotations"):
        pairs = _texts(present, "metadata", field) | _texts(generated, "metadata", field)
        metadata = _with_pairs(metadata, field, pairs)
    if old.get("namespace"):
        return {**metadata, "namespace": old["namespace"]}
    return without(metadata, "namespace")


def _texts(resource: Resource, *path: str) -> dict[str, str]:
    return {key: resource.written_text(*path, key) for key in object_at(resource.content, *path)}


def _data_texts(resource: Resource, field: str) -> dict[str, str]:
    """Return the entries as texts; null is empty (kyaml ``rnode.go`` GetDataMap)."""
    data = object_at(resource.content, field)
    return {key: "" if data[key] is None else text for key, text in _texts(resource, field).items()}


def _with_pairs(content: JsonObject, field: str, pairs: Mapping[str, Json]) -> JsonObject:
    """Return ``content`` with ``pairs`` in ``field``, or without the field if there are no pairs."""
    return {**content, field: pairs} if pairs else without(content, field)
