"""Values of fields during composition: the absent value, and texts that need no quotes in YAML."""

from __future__ import annotations

from enum import Enum
from typing import Literal, TypeAlias

from renderer.model.kube.json import Json
from renderer.yamlio.scalars import CORE_RULES, Kind, NotJsonError, resolve


class Absent(Enum):
    """The type of ``ABSENT``, which is not a JSON value."""

    ABSENT = 0


ABSENT: Literal[Absent.ABSENT] = Absent.ABSENT

#: The value of a field, if the field exists.
Slot: TypeAlias = "Json | Literal[Absent.ABSENT]"


#: First characters of texts that YAML reads as another type; the empty text is null.
_MEANINGFUL = frozenset(("", *"+-.0123456789~tTfFnN"))


def is_bare_text(text: str) -> bool:
    """Return True if YAML 1.2 reads the text, written without quotes, as a text."""
    if text[:1] not in _MEANINGFUL:
        return True
    try:
        return resolve(text, CORE_RULES).kind is Kind.STR
    except NotJsonError:
        return False
