"""Quantities in manifests that may hold anything."""

from __future__ import annotations

from renderer.model.diagnostic import DiagnosticError
from renderer.model.json import Json
from renderer.model.quantity import Quantity


def amount(value: Json) -> Quantity | None:
    """None for nothing, and for what is no quantity, of which the schema tells."""
    if value is None:
        return None
    try:
        return Quantity.of(value)
    except DiagnosticError:
        return None
