"""Strategic merge patches applied to resources (kustomize ``api/resource/resource.go`` ApplySmPatch)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from renderer.compose.identity import remembering_id
from renderer.compose.merge_keys.merge_schema import MergeSchema
from renderer.compose.metadata import as_targeted_patch
from renderer.compose.patching.blank_fields import without_blank_fields
from renderer.compose.patching.patch_target import target_of
from renderer.compose.patching.strategic_merge import MergeError, StrategicMerge
from renderer.compose.res_map import ResMap
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import JsonObject, object_at, with_value, without
from renderer.model.kustomization import Patch
from renderer.model.resource import Resource


class StrategicMerging:
    """Applies the documents of one listed patch, with its options."""

    def __init__(self, listed: Patch, schema: Callable[[], MergeSchema]) -> None:
        self._listed = listed
        self._schema = schema

    def apply_by_id(self, resources: ResMap, documents: Iterable[Resource]) -> None:
        """Patches with each document the resource that has its id.

        Raises: patch-target-missing, patch-invalid.
        """
        for document in documents:
            self._apply(resources, target_of(document, resources), document, document.content)

    def apply_to(self, resources: ResMap, keys: Iterable[int], document: Resource) -> None:
        """Patches the resources with the given keys, whatever the document says it is for.

        Raises: patch-invalid; duplicate-id, when the patch gives two resources one name.
        """
        patch = as_targeted_patch(document)
        for key in keys:
            api_version = resources[key].api_version
            self._apply(
                resources, key, document, {**patch, "apiVersion": api_version} if api_version else patch
            )
        if self._listed.allow_name_change or self._listed.allow_kind_change:
            resources.check_ids()

    def _apply(self, resources: ResMap, key: int, document: Resource, patch: JsonObject) -> None:
        patched = self._patched(resources[key], document, patch)
        if patched is None:
            resources.remove(key)
        else:
            resources.replace(key, patched)

    def _patched(self, resource: Resource, document: Resource, patch: JsonObject) -> Resource | None:
        """The resource after the patch; None when it is deleted."""
        if self._listed.allow_name_change or self._listed.allow_kind_change:
            resource = remembering_id(resource)
        schema = self._schema()
        resource = without_blank_fields(resource, schema)
        try:
            merged = StrategicMerge(schema).apply(resource.content, patch)
        except MergeError as error:
            raise _invalid(error, resource, document) from None
        if not merged:
            return None
        return resource.with_content(self._restored(merged, resource.content), document.origin)

    def _restored(self, merged: JsonObject, before: JsonObject) -> JsonObject:
        """The merged object with the namespace and, unless they may change, the kind and name of before."""
        if not self._listed.allow_kind_change and merged.get("kind") != before.get("kind"):
            merged = {**merged, "kind": before.get("kind")}
        metadata, old = object_at(merged, "metadata"), object_at(before, "metadata")
        if not self._listed.allow_name_change and metadata.get("name") != old.get("name"):
            merged = with_value(merged, ("metadata", "name"), old.get("name"))
        if metadata.get("namespace") == old.get("namespace"):
            return merged
        if old.get("namespace") is None:
            return without(merged, "metadata", "namespace")
        return with_value(merged, ("metadata", "namespace"), old["namespace"])


def _invalid(error: MergeError, resource: Resource, document: Resource) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code=Code.PATCH_INVALID,
            message=f"the patch does not fit {resource.current_id}: {error}",
            sites=(document.origin.child(error.field), *resource.sites(error.field)),
            resource=resource.current_id,
            field=error.field,
        )
    )
