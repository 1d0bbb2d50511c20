"""``replacements`` (kustomize ``api/internal/builtins/ReplacementTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.transform import Transform, TransformerContext


def transforms(context: TransformerContext) -> Iterator[Transform]:
    if context.root.replacements:
        from renderer.compose.replacements import replacement_transform  # noqa: PLC0415 - few have any

        yield replacement_transform(context.root.replacements)
