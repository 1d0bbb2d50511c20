"""``patchesStrategicMerge`` (kustomize ``api/internal/builtins/PatchStrategicMergeTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.res_map import ResMap
from renderer.compose.selection import target_of
from renderer.compose.strategic_merge import StrategicMergePatching
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kustomization import Patch
from renderer.model.source_tree import StrategicMergePatches


def transforms(context: TransformerContext) -> Iterator[Transform]:
    patches = context.root.patches_strategic_merge
    if any(patch.documents for patch in patches):
        yield merging(patches, context)
    elif patches:
        raise _empty(context)


def merging(patches: tuple[StrategicMergePatches, ...], context: TransformerContext) -> Transform:
    """Merges each document into the resource that has or had its id."""
    documents = tuple(document for patch in patches for document in patch.documents)
    strategic_merging = StrategicMergePatching(Patch(context.root.kustomization.site), context.schema)

    def merge(resources: ResMap) -> None:
        for document in documents:
            strategic_merging.apply_to(resources, (target_of(document, resources),), document)

    return merge


def _empty(context: TransformerContext) -> DiagnosticError:
    site = context.root.kustomization.site.below("patchesStrategicMerge")
    return DiagnosticError(
        Diagnostic(code=Code.PATCH_INVALID, message="the patches hold nothing", sites=(site,))
    )
