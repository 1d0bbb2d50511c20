"""``transformers`` and ``validators``: transformers that are configured by objects of their own.

A validator is a transformer that must not change anything (kustomize ``kusttarget.go`` runValidators).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kustomize.name_hash import add_name_hashes
from renderer.kustomize.replacements import replacement_transform
from renderer.kustomize.res_map import ResMap
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.kustomize.transformers.images import image_transform
from renderer.kustomize.transformers.metadata import entries_transform, prefix_transform, suffix_transform
from renderer.kustomize.transformers.namespace import namespace_transform
from renderer.kustomize.transformers.patches import (
    json6902_transform,
    patch_transform,
    strategic_merge_transform,
)
from renderer.kustomize.transformers.replicas import replica_transform
from renderer.kustomize.transformers.value_add import value_add_transform
from renderer.model import source_tree as plugins
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.kube.json import without
from renderer.model.kube.resource import Resource
from renderer.model.source_tree import TransformerPlugin

_VALIDATED_BY = "validated-by"


def plugin_transforms(plugin: TransformerPlugin, context: TransformerContext) -> Iterator[Transform]:
    """Yield the transforms that the plugin requests, in order. Raises ``DiagnosticError``."""
    for config in plugin.configs:
        match config:
            case plugins.ApplyPatch(patch):
                yield from patch_transform(patch, context)
            case plugins.ApplyJson6902(patch):
                yield from json6902_transform(patch, context)
            case plugins.ApplyStrategicMerge(patches):
                yield strategic_merge_transform(patches, context)
            case plugins.SetAnnotations(entries, field_specs) | plugins.SetLabels(entries, field_specs):
                yield entries_transform(entries, field_specs)
            case plugins.AddPrefix(prefix, field_specs):
                if prefix:
                    yield prefix_transform(prefix, field_specs)
            case plugins.AddSuffix(suffix, field_specs):
                if suffix:
                    yield suffix_transform(suffix, field_specs)
            case plugins.SetNamespace():
                if config.namespace:
                    yield namespace_transform(
                        config.namespace,
                        config.field_specs,
                        unset_only=config.unset_only,
                        subjects=config.subjects,
                    )
            case plugins.SetImage(image, field_specs):
                yield image_transform(image, field_specs)
            case plugins.SetReplicas(replica, field_specs):
                yield replica_transform(replica, field_specs)
            case plugins.Replace(replacements):
                yield replacement_transform(replacements, context.warn)
            case plugins.AddNameHash():
                yield add_name_hashes
            case plugins.AddValue():
                yield value_add_transform(config)


def validate(plugin: TransformerPlugin, resources: ResMap, context: TransformerContext) -> None:
    """Run the validator. Raises its errors, and: kustomization-field if it changes a resource."""
    before = dict(resources.items())
    for transform in plugin_transforms(plugin, context):
        transform(resources)
    after = dict(resources.items())
    changed = next((old for key, old in before.items() if _differs(old, after.get(key))), None)
    if changed or len(after) != len(before):
        raise Diagnostic.at(
            plugin.site,
            Code.KUSTOMIZATION_FIELD,
            f"the validator {plugin.configured_by.kind} changes resources",
            "list it under transformers",
            resource=changed,
        ).error()


def _differs(old: Resource, new: Resource | None) -> bool:
    """Return True if anything except the label that a validator may add has changed."""
    if new is None:
        return True
    return new is not old and without(new.content, "metadata", "labels", _VALIDATED_BY) != old.content
