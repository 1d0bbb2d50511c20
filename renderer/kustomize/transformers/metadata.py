"""``namePrefix``, ``nameSuffix``, ``labels``, ``commonLabels`` and ``commonAnnotations``.

kustomize ``api/internal/builtins``: ``PrefixTransformer.go``, ``SuffixTransformer.go``,
``LabelTransformer.go``, ``AnnotationsTransformer.go``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from renderer.kustomize.fields.field_spec_set import FieldSpecSet, merge_field_specs
from renderer.kustomize.fields.field_specs import (
    FieldSpecFilter,
    FieldSpecIndex,
    WrongTypeError,
    set_entries,
)
from renderer.kustomize.identity import STEPS_TO_RENAME, with_previous_id
from renderer.kustomize.scalar_nodes import with_written_texts
from renderer.kustomize.transform import Transform, TransformerContext
from renderer.model.kube.json import Json, scalar_text
from renderer.model.kube.resource import Resource
from renderer.model.kube.sharing import extended
from renderer.model.kustomization import FieldSpec, Label
from renderer.model.run.limits import check_name
from renderer.model.run.work import spend

_NAME = "metadata/name"
_LABELS = FieldSpec("metadata/labels", create=True)


def prefix_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of ``namePrefix``, if there is one."""
    prefix = context.root.kustomization.name_prefix
    if prefix:
        yield prefix_transform(prefix, context.field_specs.name_prefix)


def suffix_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of ``nameSuffix``, if there is one."""
    suffix = context.root.kustomization.name_suffix
    if suffix:
        yield suffix_transform(suffix, context.field_specs.name_suffix)


def prefix_transform(prefix: str, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that adds ``prefix`` to the names that ``specs`` lead to."""
    return _affix_transform(
        specs,
        lambda name: f"{prefix}{name}",
        lambda resource: resource._replace(name_prefixes=extended(resource.name_prefixes, prefix)),
    )


def suffix_transform(suffix: str, specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that adds ``suffix`` to the names that ``specs`` lead to."""
    return _affix_transform(
        specs,
        lambda name: f"{name}{suffix}",
        lambda resource: resource._replace(name_suffixes=extended(resource.name_suffixes, suffix)),
    )


def _affix_transform(
    specs: tuple[FieldSpec, ...],
    affixed: Callable[[str], str],
    with_affix: Callable[[Resource], Resource],
) -> Transform:
    def affixed_name(value: Json) -> str:
        if isinstance(value, dict | list):
            raise WrongTypeError("a scalar")
        return affixed(scalar_text(value))

    index = FieldSpecIndex(specs)
    change = FieldSpecFilter(affixed_name, created="")

    def affix(resource: Resource) -> Resource:
        spend(STEPS_TO_RENAME, "renaming resources")
        if _keeps_name(resource):
            return resource
        targets = index.targets(resource)
        if any(target.path == _NAME for target in targets):
            resource = with_previous_id(with_affix(resource))
        if resource.spellings:
            paths = {tuple(segment.name for segment in target.segments) for target in targets}
            resource = with_written_texts(resource, paths)
        renamed = change.apply(resource, targets)
        check_name(renamed)
        return renamed

    return lambda resources: resources.update(affix)


def _keeps_name(resource: Resource) -> bool:
    """Return True for kinds whose names have a fixed meaning or name their subject."""
    kind = resource.original_id.gvk.kind
    return kind in ("CustomResourceDefinition", "Namespace") or (
        kind == "APIService" and resource.gvk.group == "apiregistration.k8s.io"
    )


def label_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of each entry of ``labels``, then the transform of ``commonLabels``."""
    written = context.root.kustomization
    for label in written.labels:
        yield entries_transform(label.pairs, _label_field_specs(label, context.field_specs))
    if written.labels or written.common_labels:
        yield entries_transform(written.common_labels, context.field_specs.common_labels)


def annotation_transforms(context: TransformerContext) -> Iterator[Transform]:
    """Yield the transform of ``commonAnnotations``, if there are any."""
    annotations = context.root.kustomization.common_annotations
    if annotations:
        yield entries_transform(annotations, context.field_specs.common_annotations)


def entries_transform(entries: Mapping[str, str], specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that sets labels or annotations in every field that ``specs`` lead to."""
    return lambda resources: set_entries(resources, specs, entries)


def _label_field_specs(label: Label, builtin: FieldSpecSet) -> tuple[FieldSpec, ...]:
    """Return the fields of selectors and templates, of templates, or only of metadata, as requested."""
    specs = merge_field_specs(label.field_specs, builtin.labels)
    if label.include_selectors:
        return merge_field_specs(specs, builtin.common_labels)
    if label.include_templates:
        specs = merge_field_specs(specs, builtin.template_labels)
    return merge_field_specs(specs, (_LABELS,))
