"""What a switch of ``customize`` is."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from renderer.model.json import Json
from renderer.sizes.customize.values import Value


class Target(StrEnum):
    """What a switch is for."""

    INSTANCETYPE = "instance type"
    PREFERENCE = "preference"


class Switch(NamedTuple):
    """``--name VALUE`` writes the field ``path`` of a spec; ``--no-name`` removes one that ``is_optional``.

    ``off`` is written instead of removing where a missing field does not mean off, but only if the field
    ``off_within`` is there. ``with_it`` are mappings that are made with this field, and ``replaces`` what
    would contradict it.
    """

    name: str
    path: str
    value: Value
    summary: str
    alias: str = ""
    is_optional: bool = True
    off: Json = None
    off_within: str = ""
    with_it: tuple[str, ...] = ()
    replaces: tuple[str, ...] = ()
