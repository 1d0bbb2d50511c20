"""The configurations of kustomize's patch transformers."""

from __future__ import annotations

from renderer.model.kustomization import Patch
from renderer.model.source_tree import (
    ApplyJson6902,
    ApplyPatch,
    ApplyStrategicMerge,
    StrategicMergePatches,
    TransformerConfig,
)
from renderer.source.caseless_fields import CaselessFields
from renderer.source.entries import Entries
from renderer.source.entry_fields import read_patch_entry, read_selector
from renderer.source.resources import read_resources


def read_patch(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    """``PatchTransformer.go``: what an entry of ``patches`` holds."""
    return (ApplyPatch(entries.patch(read_patch_entry(fields), fields.site)),)


def read_json6902(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    """``PatchJson6902Transformer.go``: the operations are in a file, or in ``jsonOp``."""
    fields.only("target", "path", "jsonOp")
    listed = Patch(
        site=fields.site,
        path=fields.text_or_empty("path"),
        patch=fields.text_or_empty("jsonOp"),
        target=read_selector(fields.child("target")) if "target" in fields else None,
    )
    return (ApplyJson6902(entries.json6902(listed, fields.site)),)


def read_strategic_merge(fields: CaselessFields, entries: Entries) -> tuple[TransformerConfig, ...]:
    """``PatchStrategicMergeTransformer.go``: files or texts in ``paths``, and the text ``patches``."""
    fields.only("paths", "patches")
    listed = [
        entries.strategic_merge(path, fields.site_of("paths", index))
        for index, path in enumerate(fields.lines("paths"))
    ]
    text = fields.text("patches")
    if text:
        site = fields.site_of("patches")
        listed.append(StrategicMergePatches(site, read_resources(text.encode(), site)))
    if not any(patches.documents for patches in listed):
        fields.reject(None, "there is no patch", "list files under paths, or write it as patches: |")
    return (ApplyStrategicMerge(tuple(listed)),)
