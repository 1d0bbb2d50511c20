"""``replacements`` (kustomize ``api/internal/builtins/ReplacementTransformer.go``)."""

from __future__ import annotations

from collections.abc import Iterator

from renderer.compose.transform import Transform, TransformerContext


def transforms(context: TransformerContext) -> Iterator[Transform]:
    if context.root.replacements:
        from renderer.compose.replacements.replace import replacing  # noqa: PLC0415 - few have any

        yield replacing(context.root.replacements)
