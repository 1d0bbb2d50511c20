"""The quantities in an instance type's ``spec.memory``."""

from __future__ import annotations

from dataclasses import replace

from renderer.instancetype.apply_error import ApplyError, Party
from renderer.kubevirt.placeholders import has_placeholder
from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import FieldPath
from renderer.model.json import Json, JsonObject
from renderer.model.quantity import Quantity


def written_size(memory: JsonObject, field: str) -> Json:
    """``memory[field]`` as the API server writes it, a placeholder as it stands.

    Raises ``ApplyError`` (quantity-invalid) for what is no quantity.
    """
    size = memory.get(field)
    return size if has_placeholder(size) else size_quantity(memory, field).json


def size_quantity(memory: JsonObject, field: str) -> Quantity:
    """``memory[field]``, 0 when absent. Raises ``ApplyError`` (quantity-invalid) for what is no quantity."""
    try:
        return Quantity.of(memory.get(field))
    except DiagnosticError as error:
        place = FieldPath.of("spec", "memory", field)
        raise ApplyError(
            Party.INSTANCETYPE, *(replace(found, field=place) for found in error.diagnostics)
        ) from None
