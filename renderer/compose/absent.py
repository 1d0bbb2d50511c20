"""What stands for a field that is not there, which is not the same as a field that holds null."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from renderer.model.json import Json


class Absent(Enum):
    ABSENT = 0


ABSENT: Literal[Absent.ABSENT] = Absent.ABSENT

#: The value of a field, if it is there.
Slot: TypeAlias = "Json | Literal[Absent.ABSENT]"
