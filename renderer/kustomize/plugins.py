"""``transformers`` and ``validators``: transformers that are configured by objects of their own.

A validator is a transformer that must not change anything (kustomize ``kusttarget.go`` runValidators).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

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
from renderer.model.source_tree import TransformerConfig, TransformerPlugin

_VALIDATED_BY = "validated-by"


def plugin_transforms(plugin: TransformerPlugin, context: TransformerContext) -> Iterator[Transform]:
    """Yield the transforms that the plugin requests, in order. Raises ``DiagnosticError``."""
    for config in plugin.configs:
        yield from _transforms(config, context)


@singledispatch
def _transforms(config: TransformerConfig, _context: TransformerContext) -> Iterator[Transform]:
    raise NotImplementedError(type(config))


@_transforms.register
def _(config: plugins.ApplyPatch, context: TransformerContext) -> Iterator[Transform]:
    yield from patch_transform(config.patch, context)


@_transforms.register
def _(config: plugins.ApplyJson6902, context: TransformerContext) -> Iterator[Transform]:
    yield from json6902_transform(config.patch, context)


@_transforms.register
def _(config: plugins.ApplyStrategicMerge, context: TransformerContext) -> Iterator[Transform]:
    yield strategic_merge_transform(config.patches, context)


@_transforms.register
def _(config: plugins.SetAnnotations, _context: TransformerContext) -> Iterator[Transform]:
    yield entries_transform(config.annotations, config.field_specs)


@_transforms.register
def _(config: plugins.SetLabels, _context: TransformerContext) -> Iterator[Transform]:
    yield entries_transform(config.labels, config.field_specs)


@_transforms.register
def _(config: plugins.AddPrefix, _context: TransformerContext) -> Iterator[Transform]:
    if config.prefix:
        yield prefix_transform(config.prefix, config.field_specs)


@_transforms.register
def _(config: plugins.AddSuffix, _context: TransformerContext) -> Iterator[Transform]:
    if config.suffix:
        yield suffix_transform(config.suffix, config.field_specs)


@_transforms.register
def _(config: plugins.SetNamespace, _context: TransformerContext) -> Iterator[Transform]:
    if config.namespace:
        yield namespace_transform(
            config.namespace, config.field_specs, unset_only=config.unset_only, subjects=config.subjects
        )


@_transforms.register
def _(config: plugins.SetImage, _context: TransformerContext) -> Iterator[Transform]:
    yield image_transform(config.image, config.field_specs)


@_transforms.register
def _(config: plugins.SetReplicas, _context: TransformerContext) -> Iterator[Transform]:
    yield replica_transform(config.replica, config.field_specs)


@_transforms.register
def _(config: plugins.Replace, context: TransformerContext) -> Iterator[Transform]:
    yield replacement_transform(config.replacements, context.warn)


@_transforms.register
def _(_config: plugins.AddNameHash, _context: TransformerContext) -> Iterator[Transform]:
    yield add_name_hashes


@_transforms.register
def _(config: plugins.AddValue, _context: TransformerContext) -> Iterator[Transform]:
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
