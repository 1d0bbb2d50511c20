"""``limits`` of ``vmrender.yaml``: below what the run allows, never above."""

from __future__ import annotations

from collections.abc import Mapping

from renderer.model.fields import Fields
from renderer.model.limits import LimitValueError, check_lowered


def read_limits(fields: Fields) -> Mapping[str, int]:
    """From ``limits`` in ``fields``, by field of ``Limits``; notes what is wrong."""
    found: dict[str, int] = {}
    if "limits" not in fields:
        return found
    from renderer.model.limits import limit_field, limit_value  # noqa: PLC0415 - few projects have any

    given = fields.child("limits")
    for name, value in given.content.items():
        try:
            field = limit_field(name)
            found[field] = limit_value(name, value)
            check_lowered(field, found[field])
        except LimitValueError as error:
            given.reject(name, str(error), error.hint)
    return found
