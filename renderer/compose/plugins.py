"""Transformers and validators that objects of their own configure, listed under ``transformers`` and ``validators``.

A validator is a transformer that may not change anything (kustomize ``kusttarget.go`` runValidators).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from renderer.compose.name_hash import add_name_hashes
from renderer.compose.replacements import replacement_transform
from renderer.compose.res_map import ResMap
from renderer.compose.transform import Transform, TransformerContext
from renderer.compose.transformers import (
    common_annotations,
    images,
    labels,
    name_affix,
    namespace,
    patches,
    patches_json6902,
    patches_strategic_merge,
    replicas,
    value_add,
)
from renderer.model import source_tree as plugins
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.json import JsonObject, without
from renderer.model.resource import Resource
from renderer.model.source_tree import TransformerConfig, TransformerPlugin


def transforms(plugin: TransformerPlugin, context: TransformerContext) -> Iterator[Transform]:
    """What the plugin does, in order. Raises ``DiagnosticError``."""
    for config in plugin.configs:
        yield from _transforms(config, context)


@singledispatch
def _transforms(config: TransformerConfig, _context: TransformerContext) -> Iterator[Transform]:
    raise NotImplementedError(type(config))


@_transforms.register
def _(config: plugins.ApplyPatch, context: TransformerContext) -> Iterator[Transform]:
    yield from patches.patching(config.patch, context)


@_transforms.register
def _(config: plugins.ApplyJson6902, context: TransformerContext) -> Iterator[Transform]:
    yield from patches_json6902.patching(config.patch, context)


@_transforms.register
def _(config: plugins.ApplyStrategicMerge, context: TransformerContext) -> Iterator[Transform]:
    yield patches_strategic_merge.merging(config.patches, context)


@_transforms.register
def _(config: plugins.SetAnnotations, _context: TransformerContext) -> Iterator[Transform]:
    yield common_annotations.annotating(config.annotations, config.field_specs)


@_transforms.register
def _(config: plugins.SetLabels, _context: TransformerContext) -> Iterator[Transform]:
    yield labels.labelling(config.labels, config.field_specs)


@_transforms.register
def _(config: plugins.AddPrefix, _context: TransformerContext) -> Iterator[Transform]:
    if config.prefix:
        yield name_affix.prefixing(config.prefix, config.field_specs)


@_transforms.register
def _(config: plugins.AddSuffix, _context: TransformerContext) -> Iterator[Transform]:
    if config.suffix:
        yield name_affix.suffixing(config.suffix, config.field_specs)


@_transforms.register
def _(config: plugins.SetNamespace, _context: TransformerContext) -> Iterator[Transform]:
    if config.namespace:
        yield namespace.moving(
            config.namespace, config.field_specs, unset_only=config.unset_only, subjects=config.subjects
        )


@_transforms.register
def _(config: plugins.SetImage, _context: TransformerContext) -> Iterator[Transform]:
    yield images.tagging(config.image, config.field_specs)


@_transforms.register
def _(config: plugins.SetReplicas, _context: TransformerContext) -> Iterator[Transform]:
    yield replicas.scaling(config.replica, config.field_specs)


@_transforms.register
def _(config: plugins.Replace, _context: TransformerContext) -> Iterator[Transform]:
    yield replacement_transform(config.replacements)


@_transforms.register
def _(_config: plugins.AddNameHash, _context: TransformerContext) -> Iterator[Transform]:
    yield add_name_hashes


@_transforms.register
def _(config: plugins.AddValue, _context: TransformerContext) -> Iterator[Transform]:
    yield value_add.adding(config)


_VALIDATED_BY = "validated-by"


def validate(plugin: TransformerPlugin, resources: ResMap, context: TransformerContext) -> None:
    """Runs the validator. Raises what it raises, and: kustomization-field when it changes a resource."""
    before = dict(resources.items())
    for transform in transforms(plugin, context):
        transform(resources)
    after = dict(resources.items())
    changed = next((old for key, old in before.items() if _differs(old, after.get(key))), None)
    if changed or len(after) != len(before):
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"the validator {plugin.configured_by.kind} changes resources",
                sites=(plugin.site,),
                resource=changed.current_id if changed else None,
                hint="list it under transformers",
            )
        )


def _differs(old: Resource, new: Resource | None) -> bool:
    return new is None or (new is not old and _without_mark(new.content) != old.content)


def _without_mark(content: JsonObject) -> JsonObject:
    """The object without the label by which a validator may say that it was there."""
    return without(content, "metadata", "labels", _VALIDATED_BY)
