"""``patches``, ``patchesStrategicMerge`` and ``patchesJson6902``.

kustomize ``api/internal/builtins/PatchTransformer.go``, ``PatchStrategicMergeTransformer.go``,
``PatchJson6902Transformer.go``.
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kustomize.json_patch import JsonPatching, slashless_paths
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.selection import has_target, selected_keys, target_of
from renderer.kustomize.strategic_merge import StrategicMergePatching
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource
from renderer.model.kustomization import COMPONENT_KIND, Patch, Selector
from renderer.model.source_tree import JsonPatch, LoadedPatch, StrategicMergePatches


def patch_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``patches``. Raises: patch-invalid."""
    for patch in context.root.patches:
        yield from patch_transform(patch, context)


def strategic_merge_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of ``patchesStrategicMerge``. Raises: patch-invalid if all of them are empty."""
    patches = context.root.patches_strategic_merge
    if any(patch.documents for patch in patches):
        yield strategic_merge_transform(patches, context)
    elif patches:
        site = context.root.kustomization.site.below("patchesStrategicMerge")
        message = "the patches listed under patchesStrategicMerge are empty"
        raise Diagnostic.at(site, Code.PATCH_INVALID, message).error()


def json6902_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``patchesJson6902``. Raises: patch-invalid."""
    for patch in context.root.patches_json6902:
        yield from json6902_transform(patch, context)


def patch_transform(patch: LoadedPatch, context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of an entry of ``patches``; nothing if it is empty. Raises: patch-invalid."""
    listed, content = patch.listed, patch.content
    if isinstance(content, JsonPatch):
        if listed.target is None:
            raise Diagnostic.at(
                listed.site,
                Code.PATCH_INVALID,
                "a JSON 6902 patch needs a target",
                "add a target with the kind or name of the resources",
            ).error()
        yield _json_patch_transform(patch, content, context, stores_previous_ids=True)
        return
    if not content.documents:
        return
    merging = StrategicMergePatching(
        listed, context.schema, context.warn, is_shared=context.root.kustomization.kind == COMPONENT_KIND
    )
    target = listed.target
    if target is None:
        yield lambda resources: merging.apply_by_id(
            resources, _applicable(content.documents, resources, context)
        )
        return
    if len(content.documents) > 1:
        hint = "list each document as its own patch, or remove the target"
        raise Diagnostic.at(
            listed.site, Code.PATCH_INVALID, "a patch of several documents cannot have a target", hint
        ).error()
    yield lambda resources: merging.apply_to(
        resources, _selected(resources, target, listed.site, context), content.documents[0]
    )


def _applicable(
    documents: tuple[Resource, ...], resources: ResMap, context: TransformerContext
) -> tuple[Resource, ...]:
    """Return the documents to apply; in a root that is read in part, those whose target was read."""
    if not context.root.is_partial:
        return documents
    return tuple(document for document in documents if has_target(document, resources))


def strategic_merge_transform(
    patches: tuple[StrategicMergePatches, ...], context: TransformerContext
) -> Transform:
    """Return the transform that merges each document into the resource that has or had its id."""
    documents = tuple(document for patch in patches for document in patch.documents)
    listed = Patch(context.root.kustomization.site)
    merging = StrategicMergePatching(
        listed, context.schema, context.warn, is_shared=context.root.kustomization.kind == COMPONENT_KIND
    )

    def merge(resources: ResMap) -> None:
        for document in _applicable(documents, resources, context):
            merging.apply_to(resources, (target_of(document, resources),), document)

    return merge


def json6902_transform(patch: LoadedPatch, context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform that applies an entry of ``patchesJson6902``."""
    if isinstance(patch.content, JsonPatch) and patch.listed.target:
        yield _json_patch_transform(patch, patch.content, context, stores_previous_ids=False)


def _json_patch_transform(
    patch: LoadedPatch, content: JsonPatch, context: TransformerContext, *, stores_previous_ids: bool
) -> Transform:
    for warning in slashless_paths(content):
        context.warn(warning)
    patching = JsonPatching(content, stores_previous_ids=stores_previous_ids)
    target, site = patch.listed.target, patch.listed.site
    return lambda resources: patching.apply(
        resources, _selected(resources, target, site, context) if target else ()
    )


def _selected(
    resources: ResMap, target: Selector, listed: Site, context: TransformerContext
) -> tuple[int, ...]:
    """Return the keys of the resources that a target selects; other uses of a component may select others."""
    keys = selected_keys(resources, target, listed, context.warn)
    if keys and context.root.kustomization.kind == COMPONENT_KIND:
        context.note_target(listed.below("target"))
    return keys
