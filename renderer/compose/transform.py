"""What a transformer is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias

from renderer.compose.fields.field_spec_set import FieldSpecSet
from renderer.compose.merge_keys.merge_schema import MergeSchema
from renderer.compose.res_map import ResMap
from renderer.model.diagnostic import Diagnostic
from renderer.model.record import Record
from renderer.model.source_tree import KustomizationRoot

#: Changes the resources of a kustomization. Raises ``DiagnosticError``.
Transform: TypeAlias = Callable[[ResMap], None]


class TransformerContext(Record):
    """What the transformers of one kustomization are made from; ``warn`` takes what is no error."""

    root: KustomizationRoot
    field_specs: FieldSpecSet
    schema: Callable[[], MergeSchema]
    warn: Callable[[Diagnostic], None]


#: The transforms that a kustomization asks for with the fields that a transformer is for, in order.
Transformer: TypeAlias = Callable[[TransformerContext], Iterable[Transform]]
