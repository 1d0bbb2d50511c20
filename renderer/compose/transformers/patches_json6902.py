"""``patchesJson6902`` (kustomize ``api/internal/builtins/PatchJson6902Transformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.json_patch import JsonPatching
from renderer.compose.selection import selected_keys
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.kustomization import Selector
from renderer.model.source_tree import JsonPatch, LoadedPatch


def transforms(context: TransformerContext) -> Iterator[Transform]:
    for patch in context.root.patches_json6902:
        yield from patching(patch, context)


def patching(patch: LoadedPatch, context: TransformerContext) -> Iterator[Transform]:
    """The transform that applies the operations of ``patch``."""
    if isinstance(patch.content, JsonPatch) and patch.listed.target:
        yield _patching(patch, patch.content, patch.listed.target, context)


def _patching(
    patch: LoadedPatch, content: JsonPatch, target: Selector, context: TransformerContext
) -> Transform:
    patching = JsonPatching(content, remembers_ids=False)
    return lambda resources: patching.apply(
        resources, selected_keys(resources, target, patch.listed.site, context.warn)
    )
