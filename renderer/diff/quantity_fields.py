"""Which fields hold quantities, and whether two of them are the same amount."""

from __future__ import annotations

from renderer.model.diagnostic import DiagnosticError
from renderer.model.field_path import Segment
from renderer.model.json import Json
from renderer.model.quantity import Quantity

#: Fields whose value is a quantity. ``cpu.guest`` of an instance type is a number, which is one as well.
_FIELDS = frozenset(
    {
        "capacity",  # of an emptyDisk
        "divisor",
        "guest",
        "maxGuest",
        "memoryRequest",
        "pageSize",
        "reservedOverhead",
        "sizeLimit",
    }
)
#: Fields whose mapping holds quantities by resource name.
_MAPS = frozenset(
    {
        "capacity",
        "default",  # these of a LimitRange
        "defaultRequest",
        "hard",
        "limits",
        "max",
        "maxLimitRequestRatio",
        "min",
        "overhead",
        "requests",
    }
)


def is_same_amount(before: Json, after: Json, field: Segment, parent: Segment) -> bool:
    """Whether two values of ``field`` in ``parent`` are quantities, and equal: ``1Gi`` and ``1024Mi``."""
    if field not in _FIELDS and parent not in _MAPS:
        return False
    if before is None or after is None:
        return False
    try:
        return Quantity.of(before).compare(Quantity.of(after)) == 0
    except DiagnosticError:
        return False
