"""``labels``, ``commonLabels`` and ``commonAnnotations``.

kustomize ``api/internal/builtins/LabelTransformer.go``, ``AnnotationsTransformer.go``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.compose.fields.field_spec_set import FieldSpecSet, merge_field_specs
from renderer.compose.fields.field_specs import set_entries
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.kustomization import FieldSpec, Label

_METADATA = FieldSpec("metadata/labels", create=True)


def label_transforms(context: TransformerContext) -> Iterator[Transform]:
    written = context.root.kustomization
    for label in written.labels:
        yield entries_transform(label.pairs, _field_specs(label, context.field_specs))
    if written.labels or written.common_labels:
        yield entries_transform(written.common_labels, context.field_specs.common_labels)


def annotation_transforms(context: TransformerContext) -> Iterator[Transform]:
    annotations = context.root.kustomization.common_annotations
    if annotations:
        yield entries_transform(annotations, context.field_specs.common_annotations)


def entries_transform(entries: Mapping[str, str], specs: tuple[FieldSpec, ...]) -> Transform:
    """Return the transform that sets labels or annotations in every field that ``specs`` lead to."""
    return lambda resources: set_entries(resources, specs, entries)


def _field_specs(label: Label, builtin: FieldSpecSet) -> tuple[FieldSpec, ...]:
    """Return the fields of selectors and templates, of templates, or of metadata alone, as asked for."""
    specs = merge_field_specs(label.field_specs, builtin.labels)
    if label.include_selectors:
        return merge_field_specs(specs, builtin.common_labels)
    if label.include_templates:
        specs = merge_field_specs(specs, builtin.template_labels)
    return merge_field_specs(specs, (_METADATA,))
