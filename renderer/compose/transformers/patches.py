"""``patches`` (kustomize ``api/internal/builtins/PatchTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.json_patch import JsonPatching
from renderer.compose.selection import selected_keys
from renderer.compose.strategic_merge import StrategicMergePatching
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.source_tree import JsonPatch, LoadedPatch, StrategicMergePatches


def transforms(context: TransformerContext) -> Iterator[Transform]:
    for patch in context.root.patches:
        yield from patching(patch, context)


def patching(patch: LoadedPatch, context: TransformerContext) -> Iterator[Transform]:
    """The transform that applies ``patch``; none when it holds nothing. Raises: patch-invalid."""
    if isinstance(patch.content, JsonPatch):
        yield _json_patching(patch, patch.content, context)
    elif patch.content.documents:
        yield _merging(patch, patch.content, context)


def _json_patching(patch: LoadedPatch, content: JsonPatch, context: TransformerContext) -> Transform:
    target = patch.listed.target
    if target is None:
        raise _invalid("a JSON 6902 patch needs a target", patch, "name the kind or the resource it is for")
    patching = JsonPatching(content, remembers_ids=True)
    return lambda resources: patching.apply(
        resources, selected_keys(resources, target, patch.listed.site, context.warn)
    )


def _merging(patch: LoadedPatch, content: StrategicMergePatches, context: TransformerContext) -> Transform:
    merging = StrategicMergePatching(patch.listed, context.schema)
    target = patch.listed.target
    if target is None:
        return lambda resources: merging.apply_by_id(resources, content.documents)
    if len(content.documents) > 1:
        hint = "list each document as a patch of its own, or leave the target out"
        raise _invalid("a patch of several documents cannot have a target", patch, hint)
    document = content.documents[0]
    return lambda resources: merging.apply_to(
        resources, selected_keys(resources, target, patch.listed.site, context.warn), document
    )


def _invalid(message: str, patch: LoadedPatch, hint: str) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(code=Code.PATCH_INVALID, message=message, sites=(patch.listed.site,), hint=hint)
    )
