"""Adding what a generator made, anew or into what is there (kustomize ``reswrangler.go`` AbsorbAll)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from renderer.compose.identity import current_identity
from renderer.compose.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Related
from renderer.model.json import Json, JsonObject, object_at, scalar_text, without
from renderer.model.kustomization import Behavior
from renderer.model.resource import Resource


def absorb(resources: ResMap, generated: Resource, behavior: Behavior) -> None:
    """Adds ``generated``, or changes the resource that has its id or had it.

    Raises: duplicate-id, patch-target-missing.
    """
    keys = resources.with_id(current_identity(generated))
    changes = behavior in (Behavior.MERGE, Behavior.REPLACE)
    if len(keys) > 1:
        raise _ambiguous(generated, [resources[key] for key in keys])
    if not keys and changes:
        raise _nothing_to_change(generated, behavior)
    if not keys:
        resources.extend((generated,))
    elif changes:
        resources.replace(keys[0], _over(resources[keys[0]], generated, behavior))
    else:
        raise _exists(generated, resources[keys[0]])


def _over(present: Resource, generated: Resource, behavior: Behavior) -> Resource:
    """The generated object in the place of the present one, whose name and history it takes.

    What is merged stays where it came from; what is replaced comes from the generator.
    """
    content: JsonObject = {**generated.content, "metadata": _metadata(present.content, generated.content)}
    if behavior is Behavior.MERGE:
        for field in ("data", "binaryData"):
            content = _with_pairs(content, field, _texts(present.content, field) | _texts(content, field))
    needs_hash = present.needs_hash and generated.needs_hash
    if behavior is Behavior.MERGE:
        return present.with_content(content, generated.origin)._replace(needs_hash=needs_hash)
    return present._replace(
        content=content,
        origin=generated.origin,
        layers=(),
        needs_hash=needs_hash,
        generated_by=generated.generated_by,
    )


def _metadata(present: JsonObject, generated: JsonObject) -> JsonObject:
    old, new = object_at(present, "metadata"), object_at(generated, "metadata")
    metadata: JsonObject = {**new, "name": old.get("name")}
    for field in ("labels", "annotations"):
        metadata = _with_pairs(metadata, field, _texts(old, field) | _texts(new, field))
    if old.get("namespace"):
        return {**metadata, "namespace": old["namespace"]}
    return without(metadata, "namespace")


def _texts(content: JsonObject, field: str) -> dict[str, str]:
    pairs = object_at(content, field)
    return {key: "" if value is None else scalar_text(value) for key, value in pairs.items()}


def _with_pairs(content: JsonObject, field: str, pairs: Mapping[str, Json]) -> JsonObject:
    """``content`` with ``pairs`` in ``field``, which goes when there are none."""
    return {**content, field: pairs} if pairs else without(content, field)


def _nothing_to_change(generated: Resource, behavior: Behavior) -> DiagnosticError:
    hint = "name one that resources or components bring, with its namespace, or use behavior: create"
    message = f"there is no {generated.current_id} to {behavior}"
    return _error(Code.PATCH_TARGET_MISSING, message, generated, hint)


def _exists(generated: Resource, present: Resource) -> DiagnosticError:
    hint = "use behavior: merge or replace to change it"
    if generated.origin.text:  # a template has no behavior
        hint = "give each a name of its own, which the values of its row are in, or change it with a patch"
    return _error(
        Code.DUPLICATE_ID, f"{generated.current_id} is there already", generated, hint, others=(present,)
    )


def _ambiguous(generated: Resource, matches: Iterable[Resource]) -> DiagnosticError:
    hint = "give the generator the namespace of the one that is meant"
    message = f"there are several resources that {generated.current_id} could stand for"
    return _error(Code.DUPLICATE_ID, message, generated, hint, others=matches)


def _error(
    code: Code, message: str, generated: Resource, hint: str, others: Iterable[Resource] = ()
) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=code,
            message=message,
            sites=generated.sites(),
            resource=generated.current_id,
            hint=hint,
            related=tuple(Related(f"this is {other.current_id}", other.sites()) for other in others),
        )
    )
