"""``commonAnnotations`` (kustomize ``api/internal/builtins/AnnotationsTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from renderer.compose.fields.field_specs import set_entries
from renderer.compose.transform import Transform, TransformerContext
from renderer.model.kustomization import FieldSpec


def transforms(context: TransformerContext) -> Iterator[Transform]:
    annotations = context.root.kustomization.common_annotations
    if annotations:
        yield annotating(annotations, context.field_specs.common_annotations)


def annotating(annotations: Mapping[str, str], specs: tuple[FieldSpec, ...]) -> Transform:
    """Sets the annotations in every field that ``specs`` lead to."""
    return lambda resources: set_entries(resources, specs, annotations)
