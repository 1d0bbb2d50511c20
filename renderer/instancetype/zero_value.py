"""When Go takes a field for not set."""

from __future__ import annotations

from renderer.model.json import Json


def is_null(value: Json) -> bool:
    """Whether a pointer or a map is nil: ``false``, ``""`` and ``{}`` are values."""
    return value is None


def is_zero(value: Json) -> bool:
    """Whether a field that is no pointer has its zero value: null, ``""``, 0, false or an empty list."""
    return value is None or (not value and not isinstance(value, dict))
