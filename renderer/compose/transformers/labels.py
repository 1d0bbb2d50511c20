"""``labels`` and ``commonLabels`` (kustomize ``api/internal/builtins/LabelTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.compose.fields.field_spec_set import FieldSpecSet, merge_field_specs
from renderer.compose.fields.field_specs import set_entries
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.kustomization import FieldSpec, Label

_METADATA = FieldSpec("metadata/labels", create=True)


def transforms(context: TransformerContext) -> Iterator[Transform]:
    written = context.root.kustomization
    for label in written.labels:
        yield labelling(label.pairs, _field_specs(label, context.field_specs))
    if written.labels or written.common_labels:
        yield labelling(written.common_labels, context.field_specs.common_labels)


def labelling(labels: Mapping[str, str], specs: tuple[FieldSpec, ...]) -> Transform:
    """Sets the labels in every field that ``specs`` lead to."""
    return lambda resources: set_entries(resources, specs, labels)


def _field_specs(label: Label, builtin: FieldSpecSet) -> tuple[FieldSpec, ...]:
    """Selectors, which include templates and metadata; or templates if asked for, and metadata."""
    specs = merge_field_specs(label.field_specs, builtin.labels)
    if label.include_selectors:
        return merge_field_specs(specs, builtin.common_labels)
    if label.include_templates:
        specs = merge_field_specs(specs, builtin.template_labels)
    return merge_field_specs(specs, (_METADATA,))
